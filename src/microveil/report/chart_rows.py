"""Measures in rows, each on its own scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.report.chart_svg import WIDTH, at, draw, draw_message, heading, line, shorten, text, text_width

_ROW = 26.0
_VALUE = 122.0


@dataclass(frozen=True)
class DotRow:
    """One measure: its value on a scale from 0 to `maximum`, and which direction is better, if any."""

    label: str
    value: float | None
    maximum: float = 1.0
    better: Literal["low", "high"] | None = None
    interval: tuple[float, float] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.maximum) and self.maximum > 0):
            raise BadInput(f"maximum of {self.label!r} must be more than 0; {self.maximum} was given")
        if self.better not in ("low", "high", None):
            raise BadInput(f"better={self.better!r} of {self.label!r}; there are ['low', 'high', None]")

    @property
    def grade(self) -> str:
        """Good, middle or bad third of the scale, or neutral where no direction is better."""
        if self.better is None or not _known(self.value):
            return "neutral"
        share = min(max(float(self.value or 0.0) / self.maximum, 0.0), 1.0)
        badness = share if self.better == "low" else 1 - share
        return "good" if badness < 1 / 3 else "middle" if badness < 2 / 3 else "bad"


def dot_rows(rows: Sequence[DotRow], title: str = "") -> str:
    """One row per measure with a dot on its own scale and the value beside it, as inline SVG.

    Use it where measures with different scales stand together. The colour says in which third of the scale
    the value is, seen from its better end (arrow); whiskers show an interval.

    >>> "42" in dot_rows([DotRow("linked records", 42, 100, better="low")])
    True
    """
    if not rows:
        return draw_message(title or "Measures", "No measures to show.")
    left = min(max(text_width(row.label) for row in rows), 240.0) + 22
    right = WIDTH - _VALUE
    top = 26.0 if title else 4.0
    parts = [heading(title)] if title else []
    for i, row in enumerate(rows):
        parts += _row(row, top + _ROW * i, left, right)
    told = "; ".join(f"{row.label}: {_value_text(row)}" for row in rows)
    return draw(title or "Measures", told, top + _ROW * len(rows) + 2, parts)


def _known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _value_text(row: DotRow) -> str:
    if not _known(row.value):
        return row.note or "not applicable"
    return f"{format_number(row.value)} of {format_number(row.maximum)}"


def _row(row: DotRow, y: float, left: float, right: float) -> list[str]:
    middle = y + _ROW / 2
    parts = [text(left - 22, middle + 4, shorten(row.label, left - 22), anchor="end", tip=row.label)]
    if not _known(row.value):
        said = shorten(row.note or "not applicable", right - left)
        return [*parts, text(left, middle + 4, said, "mv-soft mv-small", tip=row.note or None)]
    parts.append(line(left, middle, right, middle, "mv-track"))
    if row.better:
        end = left - 12 if row.better == "low" else right + 12
        arrow = "◂" if row.better == "low" else "▸"
        parts.append(text(end, middle + 4, arrow, "mv-soft mv-small", "middle", tip=f"{row.better}er is better"))
    if row.interval and all(_known(bound) for bound in row.interval):
        parts.append(_whiskers(row, middle, left, right))
    parts.append(_dot(row, middle, left, right))
    shown = format_number(row.value, short=abs(float(row.value or 0.0)) >= 1e5)
    parts.append(text(right + 74, middle + 4, shown, anchor="end", tip=row.note or None))
    parts.append(text(right + 78, middle + 4, f"/ {format_number(row.maximum, short=True)}", "mv-soft mv-small"))
    return parts


def _x(value: float, row: DotRow, left: float, right: float) -> float:
    return left + (right - left) * min(max(value / row.maximum, 0.0), 1.0)


def _dot(row: DotRow, y: float, left: float, right: float) -> str:
    value = float(row.value or 0.0)
    x = _x(value, row, left, right)
    tip = f"<title>{_beyond(row, value)}</title>" if not 0 <= value <= row.maximum else ""
    style = f"mv-{row.grade}"
    if tip:
        # beyond the scale: a triangle that points outwards instead of a dot
        way = 1 if value > row.maximum else -1
        return (
            f'<path class="{style}" d="M{at(x - 4 * way)} {at(y - 5)}l{at(8 * way)} 5l{at(-8 * way)} 5z">{tip}</path>'
        )
    return f'<circle class="{style}" cx="{at(x)}" cy="{at(y)}" r="5"/>'


def _beyond(row: DotRow, value: float) -> str:
    side = "above the maximum" if value > row.maximum else "below zero"
    return f"{format_number(value)} is {side}"


def _whiskers(row: DotRow, y: float, left: float, right: float) -> str:
    low, high = row.interval or (0.0, 0.0)
    x1, x2 = _x(low, row, left, right), _x(high, row, left, right)
    tip = f"<title>interval {format_number(low)} to {format_number(high)}</title>"
    path = f"M{at(x1)} {at(y - 4)}v8M{at(x1)} {at(y)}H{at(x2)}M{at(x2)} {at(y - 4)}v8"
    return f'<path class="mv-{row.grade}" stroke-width="1.6" d="{path}">{tip}</path>'
