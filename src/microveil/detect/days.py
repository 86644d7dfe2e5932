"""Days of birth: dates, as such or as text or number, over the span of lives."""

from __future__ import annotations

import re
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from microveil.detect.column import Look
from microveil.detect.detector import Detector
from microveil.detect.words import says

_ISO = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?:[ T].*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[ T].*)?")
_SPAN_OF_LIVES = 45  # years between the first and the last tenth: files of events are shorter
_FEWEST_DAYS = 20


def day_of(text: str) -> date | None:
    """The day a text or a number of eight digits says, if it says one."""
    found = _ISO.fullmatch(text)
    if found:
        return _day(int(found[1]), int(found[3]), int(found[4]))
    found = _DAY_FIRST.fullmatch(text)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    return _day(year, second, first) or _day(year, first, second)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def days_of(look: Look) -> list[date]:
    """The days that the sampled values say; empty where most of them say none."""
    if look.form == "moment":
        return [day for day in pc.cast(look.sample, pa.date32(), safe=False).to_pylist() if day is not None]
    if look.form not in ("text", "whole"):
        return []
    days = [day for day in map(day_of, look.texts) if day is not None and 1850 < day.year < 2100]
    return days if len(days) > 0.8 * len(look.texts) else []


def _birthdays(look: Look) -> float:
    days = sorted(days_of(look))
    if not days:
        return 0.0
    if says(look.words, "birth"):
        # the type or quality of such a date is no date itself, so that this one is
        return 1.0
    if len(days) < _FEWEST_DAYS:
        return 0.0
    tenth = len(days) // 10
    lived = days[-1 - tenth].year - days[tenth].year
    return 1.0 if lived >= _SPAN_OF_LIVES else 0.0


DETECTORS = (Detector("days of birth", _birthdays),)
