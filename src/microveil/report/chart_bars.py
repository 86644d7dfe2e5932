"""Frequencies of a categorical column before and after protection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.numbers import format_percent
from microveil.report.chart_bins import LEAST_RECORDS
from microveil.report.chart_room import Room
from microveil.report.chart_svg import (
    WIDTH,
    draw,
    draw_message,
    heading,
    legend,
    line,
    rectangle,
    shorten_apart,
    text,
    text_width,
)

_ROW, _TOP = 26.0, 58.0
_MOST_ROWS = 15
_VALUES = 146.0


def bars_pair(
    name: str,
    categories: Sequence[object],
    before: ArrayLike,
    after: ArrayLike,
    *,
    ordered: bool = False,
    missing: tuple[float, float] = (0.0, 0.0),
    note: str = "",
    room: Room | None = None,
) -> str:
    """Shares of the categories of a column before (wide bar) and after protection (narrow bar), as inline SVG.

    `before` and `after` count the records (or weights) of each category. Categories are sorted by their
    original share, or kept as they come when `ordered`. Beyond fifteen the smallest are gathered in one row,
    as are those with fewer than five original records when there are several. `missing` counts the records without
    a value, before and after: they have a row of their own, and shares are of all records. `note` says more about
    what the categories are; `room` is that of charts beside this one, so that bars of all have the same scale.

    >>> "<svg" in bars_pair("sex", ["female", "male"], [52, 48], [50, 50])
    True
    """
    names, shares = _shares(categories, before, after, ordered, missing)
    if not names:
        return draw_message(name, "No records to show.")
    top = max(float(shares.max()), room.top if room is not None else 0.0)
    parts = [
        heading(name, "share of records" + (f"; {note}" if note else "")),
        legend([("mv-before", "original"), ("mv-after", "protected")]),
        *_rows(names, shares, top),
    ]
    told = "; ".join(
        f"{label}: {format_percent(b)} before, {format_percent(a)} after"
        for label, b, a in zip(names, *shares, strict=True)
    )
    return draw(f"Categories of {name}", told, _TOP + _ROW * len(names) + 4, parts)


def bars_room(
    categories: Sequence[object],
    before: ArrayLike,
    after: ArrayLike,
    *,
    ordered: bool = False,
    missing: tuple[float, float] = (0.0, 0.0),
) -> Room:
    """The room that bars need."""
    _, shares = _shares(categories, before, after, ordered, missing)
    return Room(float(shares.max(initial=0.0)))


def _shares(
    categories: Sequence[object], before: ArrayLike, after: ArrayLike, ordered: bool, missing: tuple[float, float]
) -> tuple[list[str], Floats]:
    """The rows to draw and their shares before and after; none where there is no record."""
    counts = np.array([_counts(before), _counts(after)])
    if counts.shape[1] != len(categories):
        raise BadInput(f"{len(categories)} categories but {counts.shape[1]} counts; give one count for each")
    gaps = _counts(missing)
    totals = counts.sum(axis=1) + gaps
    if len(categories) == 0 or not totals[0] > 0:
        return [], np.zeros((2, 0))
    names, counts = _gather([str(category) for category in categories], counts, ordered)
    if gaps.any():
        names, counts = [*names, "missing"], np.hstack([counts, gaps[:, None]])
    return names, np.asarray(counts / np.maximum(totals, 1e-300)[:, None], dtype=np.float64)


def _counts(values: ArrayLike) -> Floats:
    counts = np.asarray(values, dtype=np.float64).ravel()
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise BadInput("counts of categories must be finite and not negative")
    return counts


def _gather(names: list[str], counts: Floats, ordered: bool) -> tuple[list[str], Floats]:
    """The rows to draw: the largest categories, and one row for all others."""
    by_size = np.argsort(-counts[0], kind="stable")
    rare = counts[0] < LEAST_RECORDS
    kept = by_size[: _MOST_ROWS - 1] if len(names) > _MOST_ROWS else by_size
    if rare.sum() > 1:
        kept = kept[~rare[kept]]
    if ordered:
        kept = np.sort(kept)
    rest = np.setdiff1d(np.arange(len(names)), kept)
    shown = [names[i] for i in kept]
    if len(rest) == 0:
        return shown, counts[:, kept]
    gathered = counts[:, rest].sum(axis=1, keepdims=True)
    return [*shown, f"other ({len(rest)} categories)"], np.hstack([counts[:, kept], gathered])


def _rows(names: list[str], shares: Floats, top: float) -> list[str]:
    longest = min(max(text_width(label) for label in names), 180.0)
    left = longest + 10
    width = WIDTH - left - _VALUES
    parts = [
        text(WIDTH - 74, _TOP - 6, "original", "mv-soft mv-small", "end"),
        text(WIDTH, _TOP - 6, "protected", "mv-soft mv-small", "end"),
    ]
    for i, (label, told) in enumerate(zip(names, shorten_apart(names, longest), strict=True)):
        y = _TOP + _ROW * i
        before, after = shares[:, i]
        tip = f"{label}: {format_percent(before)} before, {format_percent(after)} after"
        parts += [
            text(left - 8, y + 17, told, anchor="end", tip=label),
            rectangle(left, y + 5, max(width * before / top, 0.5), 16, "mv-before", tip),
            rectangle(left, y + 10, max(width * after / top, 0.5), 6, "mv-after", tip),
            text(WIDTH - 74, y + 17, format_percent(before), "mv-small", "end"),
            text(WIDTH, y + 17, format_percent(after), "mv-small", "end"),
        ]
    return [*parts, line(left, _TOP, left, _TOP + _ROW * len(names), "mv-axis")]
