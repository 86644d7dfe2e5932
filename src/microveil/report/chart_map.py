"""The risk-utility map: every candidate release by what it loses and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.report.chart_labels import Box, free_place
from microveil.report.chart_svg import (
    SMALL,
    WIDTH,
    at,
    clean,
    draw,
    draw_message,
    heading,
    line,
    shorten,
    text,
    text_width,
    ticks,
)

_LEFT, _TOP, _RIGHT, _BOTTOM = 58.0, 48.0, WIDTH - 12.0, 380.0
_NAMES = _BOTTOM + 68
_NAME_ROW = 20.0
_MOST_NAMES = 60
_FAR = 22.0  # a number further from its point than this is joined to it by a line

Place = tuple[float, float]


@dataclass(frozen=True)
class MapPoint:
    """A candidate release; `reference` marks the unprotected file and other fixed points, `chosen` the decision.

    `impossible` is the number of its records that break a rule of the data, `passed_over` why it is no candidate
    otherwise, and `mark` the number or sign by which it is named; without marks points are numbered. Of several `draws`
    loss and risk are means, and `spread` has the lowest and the highest of each, drawn as a thin cross.
    """

    label: str
    loss: float
    risk: float
    reference: bool = False
    chosen: bool = False
    impossible: int = 0
    passed_over: str = ""
    mark: str = ""
    spread: tuple[Place | None, Place | None] = (None, None)
    draws: int = 1

    @property
    def tip(self) -> str:
        """The point in words."""
        loss, risk = (_with_range(*one) for one in zip((self.loss, self.risk), self.spread, strict=True))
        figures = f"{self.label}: loss {loss}, risk {risk}"
        figures += f", means of {self.draws} draws" if self.draws > 1 else ""
        if not self.impossible:
            return f"{figures}; {self.passed_over}" if self.passed_over else figures
        return f"{figures}; {counted(self.impossible, 'record')} break{'s' * (self.impossible == 1)} a rule"


def _with_range(value: float, ends: Place | None) -> str:
    low, high = map(format_number, ends or (value, value))
    return format_number(value) if low == high else f"{format_number(value)} ({low} to {high})"


def risk_utility_map(
    points: Sequence[MapPoint],
    frontier: Sequence[tuple[float, float]] | None = None,
    *,
    loss_name: str = "information loss",
    risk_name: str = "disclosure risk",
    title: str = "Risk-utility map",
    better: str = "lower left is better",
    limits: tuple[float | None, float | None] = (None, None),
) -> str:
    """Scatter of loss (across) and risk (upwards) of candidate releases, as inline SVG.

    Use it to choose between methods and parameters: `better` says which corner to look for. `frontier` holds the
    (loss, risk) pairs that no other candidate beats in both; they are joined by steps. Points are named below by
    their marks, or numbered from left to right where they have none; of more than sixty only those on the frontier,
    the chosen one and the references are. Points without a finite loss or risk are counted below the title. A cross
    stands for a candidate in which records break a rule of the data, a small ring for one that is passed over.
    `limits` of loss and of risk are drawn as broken lines.

    Reference: Duncan, Keller-McNulty and Stokes (2001), Disclosure risk vs. data utility: the R-U confidentiality
    map, National Institute of Statistical Sciences, technical report 121.

    >>> "<svg" in risk_utility_map([MapPoint("rank swap", 12.0, 8.0)])
    True
    """
    shown = [point for point in points if math.isfinite(point.loss) and math.isfinite(point.risk)]
    if not shown:
        return draw_message(title, "No candidate with a known loss and risk.")
    edge = sorted((x, y) for x, y in frontier or () if math.isfinite(x) and math.isfinite(y))
    frame = _Frame.around([end for p in shown for end in _ends(p)] + edge + _corner(limits))
    left_out = len(points) - len(shown)
    note = better + (f"; {left_out} without a known loss or risk" if left_out else "")
    parts = [heading(title, note), *_axes(frame, loss_name, risk_name), *_limits(limits, frame), _steps(edge, frame)]
    corners = set(edge)
    ranked = sorted(shown, key=lambda p: _importance(p, corners))
    parts += [_cross(point, frame) for point in shown]
    parts += [_mark(point, frame, corners) for point in reversed(ranked)]
    numbered = _marked(shown)
    if len(shown) > _MOST_NAMES:
        numbered = [(mark, point) for mark, point in numbered if _importance(point, corners) < 3]
    parts += _numbers(
        numbered, shown, frame, [*_step_boxes(edge, frame), *_limit_boxes(limits, frame), *_cross_boxes(shown, frame)]
    )
    parts += _names(numbered, corners)
    height = _NAMES + _NAME_ROW * math.ceil(len(numbered) / 2)
    return draw(title, _describe(shown, edge, loss_name, risk_name), height, parts)


def _marked(points: Sequence[MapPoint]) -> list[tuple[str, MapPoint]]:
    """The points with their marks as they come, or with numbers from left to right."""
    if any(point.mark for point in points):
        return [(point.mark, point) for point in points]
    ordered = sorted(points, key=lambda point: (point.loss, point.risk, point.label))
    return [(str(number), point) for number, point in enumerate(ordered, start=1)]


@dataclass(frozen=True)
class _Frame:
    """From loss and risk to places on the page."""

    low: tuple[float, float]
    high: tuple[float, float]

    @classmethod
    def around(cls, places: Sequence[tuple[float, float]]) -> _Frame:
        lows, highs = [], []
        for values in zip(*places, strict=True):
            low, high = min(0.0, *values), max(0.0, *values)
            room = 0.06 * (high - low) or 1.0
            lows.append(low - room if low < 0 else 0.0)
            highs.append(high + room)
        return cls((lows[0], lows[1]), (highs[0], highs[1]))

    def x(self, loss: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (loss - self.low[0]) / (self.high[0] - self.low[0])

    def y(self, risk: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (risk - self.low[1]) / (self.high[1] - self.low[1])


def _axes(frame: _Frame, loss_name: str, risk_name: str) -> list[str]:
    parts = []
    for tick in ticks(frame.low[0], frame.high[0], 7):
        x = frame.x(tick)
        parts.append(line(x, _TOP, x, _BOTTOM, "mv-grid"))
        parts.append(text(x, _BOTTOM + 19, format_number(tick, short=True), "mv-soft mv-small", "middle"))
    for tick in ticks(frame.low[1], frame.high[1], 6):
        y = frame.y(tick)
        parts.append(line(_LEFT, y, _RIGHT, y, "mv-grid"))
        parts.append(text(_LEFT - 8, y + 4, format_number(tick, short=True), "mv-soft mv-small", "end"))
    parts += [line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "mv-axis"), line(_LEFT, _TOP, _LEFT, _BOTTOM, "mv-axis")]
    parts.append(text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, f"{shorten(loss_name, 360, SMALL)} →", "mv-small", "middle"))
    middle = (_TOP + _BOTTOM) / 2
    turned = text(0, 0, f"{shorten(risk_name, 360, SMALL)} →", "mv-small", "middle")
    return [*parts, f'<g transform="translate(13 {at(middle)}) rotate(-90)">{turned}</g>']


def _corner(limits: tuple[float | None, float | None]) -> list[Place]:
    """A place so far out that the lines of the limits are on the map; none without limits."""
    return [(limits[0] or 0.0, limits[1] or 0.0)] if any(limit is not None for limit in limits) else []


def _limits(limits: tuple[float | None, float | None], frame: _Frame) -> list[str]:
    """A broken line for each limit, with its figure at the end that is farther from the points sought."""
    loss, risk = limits
    parts = []
    if loss is not None:
        x = frame.x(loss)
        parts.append(line(x, _TOP, x, _BOTTOM, "mv-limit"))
        parts.append(text(x - 4, _TOP + 12, f"limit {format_number(loss)}", "mv-soft mv-small", "end"))
    if risk is not None:
        y = frame.y(risk)
        parts.append(line(_LEFT, y, _RIGHT, y, "mv-limit"))
        parts.append(text(_RIGHT, y - 5, f"limit {format_number(risk)}", "mv-soft mv-small", "end"))
    return parts


def _steps(edge: Sequence[tuple[float, float]], frame: _Frame) -> str:
    """The border of what can be reached: from each point of the frontier across, then down to the next."""
    if len(edge) < 2:
        return ""
    path = f"M{at(frame.x(edge[0][0]))} {at(frame.y(edge[0][1]))}"
    path += "".join(f"H{at(frame.x(loss))}V{at(frame.y(risk))}" for loss, risk in edge[1:])
    return f'<path class="mv-frontier" d="{path}"/>'


def _ends(point: MapPoint) -> list[Place]:
    """The place of a point, and how far its draws reach."""
    (left, right), (low, high) = point.spread[0] or (point.loss,) * 2, point.spread[1] or (point.risk,) * 2
    return [(left, low), (right, high)]


def _cross(point: MapPoint, frame: _Frame) -> str:
    """Thin lines from the lowest to the highest draw, across and upwards."""
    (left, low), (right, high) = _ends(point)
    x, y = frame.x(point.loss), frame.y(point.risk)
    across = line(frame.x(left), y, frame.x(right), y, "mv-spread") if left < right else ""
    return across + (line(x, frame.y(low), x, frame.y(high), "mv-spread") if low < high else "")


def _cross_boxes(points: Sequence[MapPoint], frame: _Frame) -> list[Box]:
    """What these lines cover."""
    boxes: list[Box] = []
    for point in points:
        (left, low), (right, high) = _ends(point)
        x, y = frame.x(point.loss), frame.y(point.risk)
        boxes += [(frame.x(left), y - 1, frame.x(right), y + 1)] if left < right else []
        boxes += [(x - 1, frame.y(high), x + 1, frame.y(low))] if low < high else []
    return boxes


def _importance(point: MapPoint, edge: set[tuple[float, float]]) -> int:
    if point.chosen:
        return 0
    if point.reference:
        return 1
    return 2 if (point.loss, point.risk) in edge else 3


def _mark(point: MapPoint, frame: _Frame, edge: set[tuple[float, float]]) -> str:
    x, y = frame.x(point.loss), frame.y(point.risk)
    hint = f"<title>{clean(point.tip)}</title>"
    if point.reference:
        return f'<path class="mv-reference" d="M{at(x)} {at(y - 6)}l6 6l-6 6l-6 -6z">{hint}</path>'
    ring = f'<circle class="mv-outline" cx="{at(x)}" cy="{at(y)}" r="8.5"/>' if point.chosen else ""
    if point.impossible:
        cross = f"M{at(x - 4)} {at(y - 4)}l8 8M{at(x + 4)} {at(y - 4)}l-8 8"
        return f'{ring}<path class="mv-reference" d="{cross}">{hint}</path>'
    if point.passed_over:
        return f'{ring}<circle class="mv-reference" cx="{at(x)}" cy="{at(y)}" r="3">{hint}</circle>'
    on_edge = point.chosen or (point.loss, point.risk) in edge
    style, radius = ("mv-after", 4.5) if on_edge else ("mv-before", 4.0)
    return f'{ring}<circle class="{style}" cx="{at(x)}" cy="{at(y)}" r="{at(radius)}">{hint}</circle>'


def _numbers(
    numbered: Sequence[tuple[str, MapPoint]], shown: Sequence[MapPoint], frame: _Frame, lines: Sequence[Box]
) -> list[str]:
    """The mark of each named point, of the original its name, at the nearest place free of points, lines and marks."""
    points = [_around(point, frame) for point in shown]
    room = (_LEFT + 2, _TOP - 6, float(WIDTH), _BOTTOM - 1)
    placed: list[Box] = []
    parts = []
    for mark, point in numbered:
        x, y = frame.x(point.loss), frame.y(point.risk)
        content = point.label if point.mark and point.reference else mark
        place = free_place(x, y, text_width(content, SMALL), room, [*points, *lines, *placed])
        if place is None:
            continue  # a crowd of equal points: the names below tell their figures
        left, base, box = place
        placed.append(box)
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        if math.dist(middle, (x, y)) > _FAR:
            parts.append(line(x, y, *middle, "mv-track"))
        parts.append(text(left, base, content, "mv-small", tip=point.label))
    return parts


def _names(numbered: Sequence[tuple[str, MapPoint]], edge: set[Place]) -> list[str]:
    """The names of the numbered points in two columns below the map, each with its figures under the pointer."""
    rows, half = math.ceil(len(numbered) / 2), WIDTH / 2
    parts = []
    for place, (mark, point) in enumerate(numbered):
        column, row = divmod(place, rows)
        x, y = column * half, _NAMES + _NAME_ROW * row
        said = " (chosen)" if point.chosen else " ×" if point.impossible else ""
        label = shorten(point.label, half - 36 - text_width(said, SMALL), SMALL) + said
        style = "mv-small" if _importance(point, edge) < 3 else "mv-soft mv-small"
        parts.append(text(x + 22, y, mark, style, "end"))
        parts.append(text(x + 30, y, label, style, tip=point.tip))
    return parts


def _around(point: MapPoint, frame: _Frame) -> Box:
    x, y, radius = frame.x(point.loss), frame.y(point.risk), 10.0 if point.chosen else 5.0
    return (x - radius, y - radius, x + radius, y + radius)


def _step_boxes(edge: Sequence[Place], frame: _Frame) -> list[Box]:
    """What the line of the frontier covers, so that no number is struck through."""
    boxes: list[Box] = []
    for (loss, risk), (next_loss, next_risk) in pairwise(edge):
        x, y, next_x, next_y = frame.x(loss), frame.y(risk), frame.x(next_loss), frame.y(next_risk)
        boxes.append((x, y - 1, next_x, y + 1))
        boxes.append((next_x - 1, min(y, next_y), next_x + 1, max(y, next_y)))
    return boxes


def _limit_boxes(limits: tuple[float | None, float | None], frame: _Frame) -> list[Box]:
    """What the lines of the limits and their figures cover."""
    boxes: list[Box] = []
    if limits[0] is not None:
        x, width = frame.x(limits[0]), text_width(f"limit {format_number(limits[0])}", SMALL)
        boxes += [(x - 1, _TOP, x + 1, _BOTTOM), (x - 4 - width, _TOP, x, _TOP + 15)]
    if limits[1] is not None:
        y, width = frame.y(limits[1]), text_width(f"limit {format_number(limits[1])}", SMALL)
        boxes += [(_LEFT, y - 1, _RIGHT, y + 1), (_RIGHT - width, y - 17, _RIGHT, y)]
    return boxes


def _describe(points: Sequence[MapPoint], edge: Sequence[tuple[float, float]], loss_name: str, risk_name: str) -> str:
    losses, risks = [p.loss for p in points], [p.risk for p in points]
    told = (
        f"{len(points)} candidates; {loss_name} from {format_number(min(losses))} to {format_number(max(losses))}, "
        f"{risk_name} from {format_number(min(risks))} to {format_number(max(risks))}."
    )
    names = [p.label for p in points if (p.loss, p.risk) in set(edge)]
    broken = [p.label for p in points if p.impossible]
    told += f" On the frontier: {', '.join(names)}." if names else ""
    return told + (f" With records that break a rule of the data: {', '.join(broken)}." if broken else "")
