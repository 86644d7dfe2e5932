"""Dates as days, so that rules can speak of them: dates, moments, and texts that are all written in one way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.open_types import Cell

_TIME = r"(?:[ T](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?)?"
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"
# what a month stands in front of is said by a dot nowhere
_TEXTS = {
    "year first": re.compile(rf"{_YEAR}(?P<mark>[-/.]){_MONTH}(?P=mark){_DAY}{_TIME}"),
    "day first": re.compile(rf"{_DAY}(?P<mark>[-/.]){_MONTH}(?P=mark){_YEAR}{_TIME}"),
    "month first": re.compile(rf"{_MONTH}(?P<mark>[-/]){_DAY}(?P=mark){_YEAR}{_TIME}"),
}
TYPED = "typed"
UNCLEAR = "unclear"
_FIRST = date(1970, 1, 1).toordinal()
_SECONDS = 86_400


def form_of_days(levels: Sequence[Cell]) -> str:
    """How values say days: typed dates, or texts in one way; unclear if day and month may change places; else empty.

    >>> form_of_days(["2025-12-11", "2025-02-28"]), form_of_days(["03/04/2025"]), form_of_days(["a", "b"])
    ('year first', 'unclear', '')
    """
    if not levels:
        return ""
    if all(isinstance(level, date) for level in levels):
        return TYPED
    if not all(isinstance(level, str) for level in levels):
        return ""
    fitting = [form for form in _TEXTS if days_of_levels(levels, form) is not None]
    return fitting[0] if len(fitting) == 1 else UNCLEAR if fitting else ""


def days_of_levels(levels: Sequence[Cell], form: str) -> Floats | None:
    """The days since 1970 that values say, with their time as a part of a day; None where one says no such day."""
    found = np.empty(len(levels))
    for place, level in enumerate(levels):
        day = _typed(level) if form == TYPED else _read(level, form)
        if day is None:
            return None
        found[place] = day
    return found


def numbers_of_levels(levels: Sequence[Cell]) -> Floats | None:
    """Values that are numbers, as such; None where one is none."""
    if any(isinstance(level, bool) or not isinstance(level, int | float) for level in levels):
        return None
    return np.array(levels, dtype=np.float64)


def _typed(level: Cell) -> float | None:
    if not isinstance(level, date):
        return None
    if not isinstance(level, datetime):
        return float(level.toordinal() - _FIRST)
    seconds = 3600 * level.hour + 60 * level.minute + level.second + level.microsecond / 1e6
    seconds -= (level.utcoffset() or timedelta()).total_seconds()
    return level.toordinal() - _FIRST + seconds / _SECONDS


def _read(level: Cell, form: str) -> float | None:
    found = _TEXTS[form].fullmatch(level.strip()) if isinstance(level, str) else None
    if found is None:
        return None
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
        at = time(int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError:
        return None
    return day.toordinal() - _FIRST + (3600 * at.hour + 60 * at.minute + at.second) / _SECONDS
