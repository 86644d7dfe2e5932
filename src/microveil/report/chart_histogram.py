"""Distribution of a continuous column before and after protection."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats
from microveil.core.numbers import format_number, format_percent
from microveil.report.chart_bins import Bins, common_bins
from microveil.report.chart_room import Room
from microveil.report.chart_svg import (
    SMALL,
    WIDTH,
    at,
    draw,
    draw_message,
    heading,
    legend,
    line,
    rectangle,
    text,
    text_width,
    ticks,
)

_LEFT, _TOP, _PLOT_HEIGHT = 44.0, 50.0, 168.0
_GAP = 16.0
_WIDEST = 96.0
_HEIGHT = _TOP + _PLOT_HEIGHT + 26


def histogram_pair(name: str, before: ArrayLike, after: ArrayLike, *, note: str = "", room: Room | None = None) -> str:
    """Histograms of a continuous column before (filled) and after protection (outline), as inline SVG.

    Use it to show at a glance whether the shape of a distribution was kept. Bins are common to both, lie
    over the central 99 % of the original and become logarithmic where one bin would hold most records;
    everything beyond is gathered in one bin per side, so that no extreme record is shown. Records without a value
    have a bar of their own. `note` says more about what is drawn; `room` is that of charts beside this one, so that all
    have the same scale upwards and the same bins.

    >>> histogram_pair("age", range(100), range(100)).startswith("<svg")
    True
    """
    original, protected = _numbers(before), _numbers(after)
    missing = (_share_missing(original), _share_missing(protected))
    bins = _bins(original, protected, missing)
    if bins is None:
        return draw_message(name, "Too few records to show a distribution.")
    if not np.isfinite(protected).any():
        return draw_message(name, "No finite values are left after protection.")
    scale = ", logarithmic scale across" if bins.scale else ""
    said = f"share of records in %{scale}" + (f"; {note}" if note else "")
    bins = replace(bins, given=room or Room())
    top = bins.room.top
    parts = [
        heading(name, said),
        legend([("mv-before", "original"), ("mv-outline", "protected")]),
        *_y_axis(top),
        *_bars(bins, top),
        *_x_axis(bins),
    ]
    return draw(f"Distribution of {name}", _describe(original, protected, missing), _HEIGHT, parts)


def histogram_room(before: ArrayLike, after: ArrayLike) -> Room:
    """The room that a histogram needs."""
    original, protected = _numbers(before), _numbers(after)
    bins = _bins(original, protected, (_share_missing(original), _share_missing(protected)))
    return Room() if bins is None else bins.room


def _bins(original: Floats, protected: Floats, missing: tuple[float, float]) -> Bins | None:
    bins = common_bins(original, protected)
    return None if bins is None else bins.of_all_records(missing)


def _share_missing(values: Floats) -> float:
    return float(np.isnan(values).mean()) if len(values) else 0.0


def _numbers(values: ArrayLike) -> Floats:
    numbers = np.array(values, dtype=np.float64).ravel()
    # differences of larger numbers would overflow; they are counted beyond the last bin all the same
    huge = np.abs(numbers) > 1e300
    numbers[huge] = np.copysign(np.inf, numbers[huge])
    return numbers


def _describe(before: Floats, after: Floats, missing: tuple[float, float]) -> str:
    quartiles = [np.quantile(values[np.isfinite(values)], [0.25, 0.5, 0.75]) for values in (before, after)]
    told = [", ".join(format_number(float(q)) for q in of) for of in quartiles]
    gaps = f" Missing: {format_percent(missing[0])} before, {format_percent(missing[1])} after." if any(missing) else ""
    return f"Quartiles of the original: {told[0]}. Quartiles of the protected column: {told[1]}.{gaps}"


def _y_axis(top: float) -> list[str]:
    parts = []
    for tick in ticks(0, 100 * top, 4):
        y = _y(tick / 100, top)
        parts.append(line(_LEFT, y, WIDTH, y, "mv-axis" if tick == 0 else "mv-grid"))
        parts.append(text(_LEFT - 8, y + 4, format_number(tick), "mv-soft mv-small", "end"))
    return parts


def _y(share: float, top: float) -> float:
    return _TOP + _PLOT_HEIGHT * (1 - share / top)


def _side(bins: Bins) -> float:
    """The width of an outer bin: that of an inner one, but enough for its label."""
    outer = bins.has_below + bins.has_above + bins.has_missing
    equal = (WIDTH - _LEFT - outer * _GAP) / (len(bins.before) + outer)
    return min(max(equal, 58.0), _WIDEST)


def _inner(bins: Bins) -> tuple[float, float, float]:
    """Where the inner bins begin and end, and how wide one is; few bins stand in the middle."""
    count, aside = len(bins.before), _side(bins) + _GAP
    start = _LEFT + aside * bins.has_below
    stop = WIDTH - aside * (bins.has_above + bins.has_missing)
    spare = max(stop - start - count * _WIDEST, 0.0) / 2
    return start + spare, stop - spare, (stop - start - 2 * spare) / count


def _bars(bins: Bins, top: float) -> list[str]:
    start, stop, width = _inner(bins)
    parts = _run(start, width, list(zip(bins.before, bins.after, strict=True)), top)
    side = _side(bins)
    if bins.has_below:
        parts += _run(start - _GAP - side, side, [bins.below], top)
    if bins.has_above:
        parts += _run(stop + _GAP, side, [bins.above], top)
    if bins.has_missing:
        parts += _run(WIDTH - side, side, [bins.missing], top)
    return parts


def _run(start: float, width: float, shares: list[tuple[float, float]], top: float) -> list[str]:
    """Neighbouring bars of the original and the outline of the protected ones over them."""
    floor = _y(0, top)
    inset = min(0.5, width / 10)
    parts = [
        rectangle(start + i * width + inset, _y(before, top), width - 2 * inset, floor - _y(before, top), "mv-before")
        for i, (before, _) in enumerate(shares)
        if before > 0
    ]
    steps = "".join(f"V{at(_y(after, top))}h{at(width)}" for _, after in shares)
    return [*parts, f'<path class="mv-outline" d="M{at(start)} {at(floor)}{steps}V{at(floor)}"/>']


def _x_axis(bins: Bins) -> list[str]:
    start, stop, _ = _inner(bins)
    y, middle = _TOP + _PLOT_HEIGHT, _GAP + _side(bins) / 2
    low, high = f"< {bins.label(bins.edges[0])}", f"≥ {bins.label(bins.edges[-1])}"
    first, last = _LEFT - 20.0, float(WIDTH)
    parts = []
    if bins.has_below:
        parts.append(text(start - middle, y + 19, low, "mv-small", "middle"))
        first = start - middle + text_width(low, SMALL) / 2 + 6
    if bins.has_above:
        parts.append(text(stop + middle, y + 19, high, "mv-small", "middle"))
        # the last edge is told by the label already
        last = min(stop - 1, stop + middle - text_width(high, SMALL) / 2 - 6)
    elif bins.has_missing:
        last = stop
    if bins.has_missing:
        parts.append(text(WIDTH - _side(bins) / 2, y + 19, "missing", "mv-small", "middle"))
    for x, label in _placed_ticks(bins, first, last):
        parts += [line(x, y, x, y + 4, "mv-axis"), text(x, y + 19, label, "mv-soft mv-small", "middle")]
    return parts


def _placed_ticks(bins: Bins, first: float, last: float) -> list[tuple[float, str]]:
    """As many evenly chosen ticks as have room between the labels of the outer bins."""
    placed: list[tuple[float, str]] = []
    for values in _tick_choices(bins):
        labels = [format_number(value, short=True) for value in values]
        half = max((text_width(label, SMALL) / 2 for label in labels), default=0.0)
        placed = [(_x(value, bins), label) for value, label in zip(values, labels, strict=True)]
        placed = [(x, label) for x, label in placed if first <= x - half and x + half <= last]
        if all(b[0] - a[0] >= 2 * half + 6 for a, b in pairwise(placed)):
            break
    return placed


def _tick_choices(bins: Bins) -> list[list[float]]:
    """Ticks from many to few."""
    low, high = float(bins.edges[0]), float(bins.edges[-1])
    if len(bins.before) == 1:
        return [[(low + high) / 2]]
    if bins.scale is None:
        choices = [ticks(low, high, count) for count in (8, 6, 4, 3, 2, 1)]
        return [[v for v in values if not bins.whole or v == round(v)] for values in choices]
    exponents = range(round(math.log10(bins.scale)), math.floor(math.log10(max(-low, high))) + 1)
    choices = []
    for stride in (1, 2, 3):
        powers = [10.0**e for e in exponents[::-1][::stride]]
        choices.append([v for v in (*(-p for p in powers), 0.0, *reversed(powers)) if low <= v <= high])
    return choices


def _x(value: float, bins: Bins) -> float:
    start, stop, _ = _inner(bins)
    points = np.array([bins.edges[0], value, bins.edges[-1]])
    low, middle, high = points if bins.scale is None else np.arcsinh(points / bins.scale)
    return float(start + (stop - start) * (middle - low) / (high - low))
