"""The risk-utility map: every candidate release by what it loses and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from microveil.core.numbers import format_number
from microveil.report.chart_svg import (
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

_LEFT, _TOP, _RIGHT, _BOTTOM = 56.0, 44.0, WIDTH - 12.0, 396.0
_HEIGHT = _BOTTOM + 42
_LABEL_ROOM = 190.0
_MOST_LABELS = 30

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class MapPoint:
    """A candidate release; `reference` marks the unprotected file and other fixed points, `chosen` the decision."""

    label: str
    loss: float
    risk: float
    reference: bool = False
    chosen: bool = False


def risk_utility_map(
    points: Sequence[MapPoint],
    frontier: Sequence[tuple[float, float]] | None = None,
    *,
    loss_name: str = "information loss",
    risk_name: str = "disclosure risk",
    title: str = "Risk-utility map",
    better: str = "lower left is better",
) -> str:
    """Scatter of loss (across) and risk (upwards) of candidate releases, as inline SVG.

    Use it to choose between methods and parameters: `better` says which corner to look for. `frontier` holds the
    (loss, risk) pairs that no other candidate beats in both; they are joined by steps. Labels that would
    cover one another are left out, and with more than thirty points those of ordinary ones; the pointer
    still shows them. Points without a finite loss or risk are counted below the title.

    Reference: Duncan, Keller-McNulty and Stokes (2001), Disclosure risk vs. data utility: the R-U confidentiality
    map, National Institute of Statistical Sciences, technical report 121.

    >>> "<svg" in risk_utility_map([MapPoint("rank swap", 12.0, 8.0)])
    True
    """
    shown = [point for point in points if math.isfinite(point.loss) and math.isfinite(point.risk)]
    if not shown:
        return draw_message(title, "No candidate with a known loss and risk.")
    edge = sorted((x, y) for x, y in frontier or () if math.isfinite(x) and math.isfinite(y))
    frame = _Frame.around([(p.loss, p.risk) for p in shown] + edge)
    left_out = len(points) - len(shown)
    note = better + (f"; {left_out} without a known loss or risk" if left_out else "")
    parts = [heading(title, note), *_axes(frame, loss_name, risk_name), _steps(edge, frame)]
    ranked = sorted(shown, key=lambda p: _importance(p, set(edge)))
    parts += [_mark(point, frame, set(edge)) for point in reversed(ranked)]
    parts += _labels(ranked, frame, set(edge))
    return draw(title, _describe(shown, edge, loss_name, risk_name), _HEIGHT, parts)


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
        parts.append(text(x, _BOTTOM + 17, format_number(tick, short=True), "mv-soft mv-small", "middle"))
    for tick in ticks(frame.low[1], frame.high[1], 6):
        y = frame.y(tick)
        parts.append(line(_LEFT, y, _RIGHT, y, "mv-grid"))
        parts.append(text(_LEFT - 8, y + 4, format_number(tick, short=True), "mv-soft mv-small", "end"))
    parts += [line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "mv-axis"), line(_LEFT, _TOP, _LEFT, _BOTTOM, "mv-axis")]
    parts.append(text((_LEFT + _RIGHT) / 2, _BOTTOM + 36, f"{shorten(loss_name, 400)} →", "mv-small", "middle"))
    middle = (_TOP + _BOTTOM) / 2
    turned = text(0, 0, f"{shorten(risk_name, 300)} →", "mv-small", "middle")
    return [*parts, f'<g transform="translate(13 {at(middle)}) rotate(-90)">{turned}</g>']


def _steps(edge: Sequence[tuple[float, float]], frame: _Frame) -> str:
    """The border of what can be reached: from each point of the frontier across, then down to the next."""
    if len(edge) < 2:
        return ""
    path = f"M{at(frame.x(edge[0][0]))} {at(frame.y(edge[0][1]))}"
    path += "".join(f"H{at(frame.x(loss))}V{at(frame.y(risk))}" for loss, risk in edge[1:])
    return f'<path class="mv-frontier" d="{path}"/>'


def _importance(point: MapPoint, edge: set[tuple[float, float]]) -> int:
    if point.chosen:
        return 0
    if point.reference:
        return 1
    return 2 if (point.loss, point.risk) in edge else 3


def _mark(point: MapPoint, frame: _Frame, edge: set[tuple[float, float]]) -> str:
    x, y = frame.x(point.loss), frame.y(point.risk)
    tip = f"{point.label}: loss {format_number(point.loss)}, risk {format_number(point.risk)}"
    hint = f"<title>{clean(tip)}</title>"
    if point.reference:
        return f'<path class="mv-reference" d="M{at(x)} {at(y - 6)}l6 6l-6 6l-6 -6z">{hint}</path>'
    on_edge = point.chosen or (point.loss, point.risk) in edge
    style, radius = ("mv-after", 4.5) if on_edge else ("mv-before", 4.0)
    dot = f'<circle class="{style}" cx="{at(x)}" cy="{at(y)}" r="{at(radius)}">{hint}</circle>'
    ring = f'<circle class="mv-outline" cx="{at(x)}" cy="{at(y)}" r="8.5"/>' if point.chosen else ""
    return ring + dot


def _labels(ranked: Sequence[MapPoint], frame: _Frame, edge: set[tuple[float, float]]) -> list[str]:
    """Labels of the most important points first, each at the first free place around its point."""
    taken = [_around(frame.x(point.loss), frame.y(point.risk)) for point in ranked]
    steps = _step_boxes(edge, frame)
    parts: list[str] = []
    for point in ranked:
        if not point.label or (len(ranked) > _MOST_LABELS and _importance(point, edge) == 3):
            continue
        label = shorten(point.label, _LABEL_ROOM, 11)
        where = (frame.x(point.loss), frame.y(point.risk), text_width(label, 11))
        important = _importance(point, edge) < 3
        # rather across the line of the frontier than without the name of a point on it
        place = _free_place(*where, [*taken, *steps]) or (_free_place(*where, taken) if important else None)
        if place is None:
            continue
        x, y, box = place
        taken.append(box)
        style = "mv-small" if important else "mv-soft mv-small"
        parts.append(text(x, y, label, style, tip=point.label))
    return parts


def _free_place(x: float, y: float, width: float, taken: Sequence[Box]) -> tuple[float, float, Box] | None:
    own = _around(x, y)
    middle = x - width / 2
    for left, base in (
        *((x + 10, y + 4), (x - 10 - width, y + 4), (middle, y - 10), (middle, y + 19)),
        *((x + 8, y - 7), (x + 8, y + 15), (x - 8 - width, y - 7), (x - 8 - width, y + 15)),
    ):
        box = (left - 1, base - 10, left + width + 1, base + 3)
        inside = box[0] >= _LEFT + 2 and box[2] <= WIDTH and box[1] >= _TOP - 6 and box[3] <= _BOTTOM - 1
        if inside and not any(other != own and _overlap(box, other) for other in taken):
            return left, base, box
    return None


def _around(x: float, y: float) -> Box:
    return (x - 5, y - 5, x + 5, y + 5)


def _step_boxes(edge: set[tuple[float, float]], frame: _Frame) -> list[Box]:
    """What the line of the frontier covers, so that no label is struck through."""
    boxes: list[Box] = []
    for (loss, risk), (next_loss, next_risk) in pairwise(sorted(edge)):
        x, y, next_x, next_y = frame.x(loss), frame.y(risk), frame.x(next_loss), frame.y(next_risk)
        boxes.append((x, y - 1, next_x, y + 1))
        boxes.append((next_x - 1, min(y, next_y), next_x + 1, max(y, next_y)))
    return boxes


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _describe(points: Sequence[MapPoint], edge: Sequence[tuple[float, float]], loss_name: str, risk_name: str) -> str:
    losses, risks = [p.loss for p in points], [p.risk for p in points]
    told = (
        f"{len(points)} candidates; {loss_name} from {format_number(min(losses))} to {format_number(max(losses))}, "
        f"{risk_name} from {format_number(min(risks))} to {format_number(max(risks))}."
    )
    names = [p.label for p in points if (p.loss, p.risk) in set(edge)]
    return told + (f" On the frontier: {', '.join(names)}." if names else "")
