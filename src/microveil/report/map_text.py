"""The risk-utility map in characters, for a terminal: points by their marks, frontier, limits, and a list of names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.report.chart_svg import ticks
from microveil.report.mapped import Mapped, PlanMap

MOST_NAMES = 60
_SEVERAL, _OTHER, _ORIGINAL = "+", "∙", "◇"
_LEFT = 8


def text_map(shown: PlanMap, width: int = 76, height: int = 20) -> str:
    """The map: loss across, risk upwards, plans by the numbers that they have on a page; the first sixty are named.

    Several named plans in one place are a plus, and the list tells them; points without a name are small dots.
    """
    placed = shown.placed
    if not placed:
        return "No plan has a known loss and risk."
    marked = _marked(shown)
    drawing = _Drawing(shown, max(width - _LEFT - 1, 20), max(height, 8))
    drawing.lines()
    for point in placed:
        if point.reference:
            drawing.put(point, _ORIGINAL)
        elif not any(point is other for other in marked.values()):
            drawing.put(point, _OTHER)
    for mark, point in marked.items():
        drawing.put(point, mark)
    return "\n".join([*drawing.rows(), "", *_names(shown, marked, width)])


def _marked(shown: PlanMap) -> dict[str, Mapped]:
    """The plans that are named, by their numbers."""
    placed = [point for point in shown.numbered if shown.has_place(point)]
    return {str(number): point for number, point in enumerate(placed[:MOST_NAMES], start=1)}


class _Drawing:
    """A grid of characters with the frontier, limits and marks."""

    def __init__(self, shown: PlanMap, width: int, height: int) -> None:
        self.shown, self.width, self.height = shown, width, height
        self.cells = [[" "] * width for _ in range(height)]
        self.taken: dict[tuple[int, int], tuple[int, int]] = {}  # where the mark in a cell begins, its length
        axes = shown.axis(shown.loss), shown.axis(shown.risk)
        values = [
            [*(point.values[axis.name] for point in shown.placed), 0.0, *([] if axis.limit is None else [axis.limit])]
            for axis in axes
        ]
        self.low = [min(of) for of in values]
        self.high = [max(of) if max(of) > min(of) else min(of) + 1 for of in values]

    def column(self, loss: float) -> int:
        """Where a loss stands from left to right."""
        return round((loss - self.low[0]) / (self.high[0] - self.low[0]) * (self.width - 1))

    def row(self, risk: float) -> int:
        """Where a risk stands from the top."""
        return round((self.high[1] - risk) / (self.high[1] - self.low[1]) * (self.height - 1))

    def lines(self) -> None:
        """Limits, and the border of what was reached: from each point of the frontier across, then down to the next."""
        loss, risk = self.shown.axis(self.shown.loss), self.shown.axis(self.shown.risk)
        if risk.limit is not None:
            self.cells[self.row(risk.limit)] = ["-"] * self.width
        if loss.limit is not None:
            for cells in self.cells:
                cells[self.column(loss.limit)] = "|"
        if loss.better == "higher":
            return  # steps go across and then down, which is the border only where less loss is better
        places = [
            (self.column(point.values[loss.name]), self.row(point.values[risk.name])) for point in self.shown.frontier
        ]
        for (x, y), (next_x, next_y) in pairwise(places):
            for column in range(x, next_x + 1):
                self.cells[y][column] = "."
            for row in range(min(y, next_y), max(y, next_y) + 1):
                self.cells[row][next_x] = "."

    def put(self, point: Mapped, mark: str) -> None:
        """A mark in its place, further left near the right end; one that is not alone there is a plus.

        Numbers that touch would be read as one: the later is a plus too.
        """
        x, y = self.column(point.values[self.shown.loss]), self.row(point.values[self.shown.risk])
        start = min(x, self.width - len(mark))
        if mark == _OTHER:
            if (x, y) not in self.taken:
                self.cells[y][x] = mark
            return
        if self._is_free(start, y, mark):
            self._write(start, y, mark)
            return
        begun, length = self.taken.get((x, y), (x, 1))
        self._write(begun, y, _SEVERAL.ljust(length))

    def _is_free(self, start: int, y: int, mark: str) -> bool:
        inside = range(start, start + len(mark))
        touching = [self.cells[y][x] for x in (inside[0] - 1, inside[-1] + 1) if (x, y) in self.taken]
        alone = not (mark.isdigit() and any(cell.isdigit() for cell in touching))
        return alone and not any((x, y) in self.taken for x in inside)

    def _write(self, start: int, y: int, mark: str) -> None:
        for x, letter in enumerate(mark, start=start):
            self.cells[y][x] = letter
            self.taken[x, y] = (start, len(mark))

    def rows(self) -> list[str]:
        """The lines of the map with its axes."""
        loss, risk = self.shown.axis(self.shown.loss), self.shown.axis(self.shown.risk)
        labels = {self.row(tick): format_number(tick, short=True) for tick in ticks(self.low[1], self.high[1], 5)}
        found = [risk.heading]
        found += [f"{labels.get(y, ''):>{_LEFT - 2}} │{''.join(cells)}".rstrip() for y, cells in enumerate(self.cells)]
        found.append(f"{'':>{_LEFT - 1}}└{'─' * self.width}")
        under = [" "] * (self.width + _LEFT)
        for tick in ticks(self.low[0], self.high[0], 6):
            told = format_number(tick, short=True)
            start = min(_LEFT + self.column(tick) - len(told) // 2, len(under) - len(told))
            under[start : start + len(told)] = told
        return [*found, "".join(under).rstrip(), f"{loss.heading:>{_LEFT + self.width}}"]


def _names(shown: PlanMap, marked: dict[str, Mapped], width: int) -> list[str]:
    loss, risk = shown.axis(shown.loss), shown.axis(shown.risk)
    best = {id(point) for point in shown.frontier}
    told = [
        (
            mark,
            loss.told(point.values[loss.name]),
            risk.told(point.values[risk.name]),
            ("* " if id(point) in best else "  ") + point.label + _beside(point, shown),
        )
        for mark, point in marked.items()
    ]
    found = [_line(row, width) for row in (("", "loss", "risk", "  plan"), *told)]
    unnamed = sum(not point.reference for point in shown.placed) - len(marked)
    if unnamed > 0:
        found.append(f"{counted(unnamed, 'more plan')} without a name: {_OTHER}")
    return [*found, f"* on the frontier (no other beats it in both); {_ORIGINAL} the file as it is; + several"]


def _beside(point: Mapped, shown: PlanMap) -> str:
    """What is told behind a name: that records break rules, that figures are means and how far draws reach."""
    rules = " (breaks rules)" if point.impossible else ""
    if point.draws == 1:
        return rules
    ends = [
        f"{what} {said}"
        for what, name in (("loss", shown.loss), ("risk", shown.risk))
        if (said := point.range_of(shown.axis(name)))
    ]
    return f"{rules} (mean of {point.draws} draws{': ' if ends else ''}{', '.join(ends)})"


def _line(row: Sequence[str], width: int) -> str:
    mark, loss, risk, name = row
    text = f"{mark:>2} {loss:>9} {risk:>9} {name}"
    return text if len(text) <= width else f"{text[: width - 1]}…"
