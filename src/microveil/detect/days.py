"""Days of birth and other full dates that single people out: as dates, as text or as numbers.

No rule asks what day it is today: a file is judged alike whenever it is looked at.
"""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.detect.column import Look
from microveil.detect.detector import Detector
from microveil.detect.periods import are_periods, month_named
from microveil.detect.words import says

_TIME = r"(?:[ T].*)?"
_ISO = re.compile(rf"(\d{{4}})([-/.]?)(\d{{2}})\2(\d{{2}}){_TIME}")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{2}}|\d{{4}}){_TIME}")
_DIGITS = re.compile(r"(\d{1,2})(\d{2})(\d{4})")
_SIX_DIGITS = re.compile(r"(\d{2})(\d{2})(\d{2})")
_YEAR_FIRST = re.compile(rf"(\d{{2}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}")
_NAMED_MONTH = re.compile(rf"(\d{{1,2}})[-/. ]{{0,2}}([^\W\d_]{{3,9}})[-/., ]{{0,2}}(\d{{2}}|\d{{4}}){_TIME}")
_FIRST_SHORT_YEAR = 30  # 30 is 1930, 29 is 2029
_FEWEST_DAYS = 20
_SPAN_OF_LIVES = 45  # years between the first and the last tenth: files of events are shorter
_SPAN_OF_FIELD_WORK = 5  # years that a survey or a yearly file of events may take
_LONG_AGO = 2010  # those born since then are children; most events that files of today hold are later
_DAYS_OF_MONTHS = 5  # with fewer different days of the month the dates stand for months or quarters
_YEARS = (1850, 2100)
_TRIED = 50
_MOST_SHORT = 0.8


def day_of(text: str) -> date | None:
    """The day a text or a number of seven or eight digits says, if it says one.

    >>> day_of("1984-03-12") == day_of("12.3.84") == day_of("12/03/1984") == day_of("12MAR1984") == day_of("19840312")
    True
    """
    if found := _ISO.fullmatch(text):
        day = _day(int(found[1]), int(found[3]), int(found[4]))
        if day is not None:
            return day
    if found := _DIGITS.fullmatch(text):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    if found := _DAY_FIRST.fullmatch(text):
        first, second, year = int(found[1]), int(found[3]), _full_year(found[4])
        day = _day(year, second, first) or _day(year, first, second)
        if day is not None:
            return day
    if found := _YEAR_FIRST.fullmatch(text):
        return _day(_full_year(found[1]), int(found[3]), int(found[4]))
    if found := _NAMED_MONTH.fullmatch(text):
        return _day(_full_year(found[3]), month_named(found[2]), int(found[1]))
    return None


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) > 2 else year + (1900 if year >= _FIRST_SHORT_YEAR else 2000)


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
    if sum(day_of(text) is not None for text in look.texts[:_TRIED]) < 0.5 * len(look.texts[:_TRIED]):
        return []  # most columns are none: they need not be read to the end
    days = [day for day in map(day_of, look.texts) if day is not None and _YEARS[0] < day.year < _YEARS[1]]
    return days if len(days) > 0.8 * len(look.texts) else []


def _birthdays(look: Look) -> float:
    if says(look.words, "birth") and (days_of(look) or _count_days(look) or _are_six_digits(look)):
        # the type or quality of such a date is no date itself, so that this one is
        return 1.0
    bulk = _bulk(look)
    return 1.0 if bulk and bulk[1].year - bulk[0].year >= _SPAN_OF_LIVES else 0.0


def _count_days(look: Look) -> bool:
    """Whether whole numbers count days or seconds from some day, or write a day as six digits: no years, no months."""
    if look.form != "whole" or look.is_code or says(look.words, "weight") or says(look.words, "about an identifier"):
        return False
    if says(tuple(word for word in look.words if not says((word,), "birth")), "key"):
        return False  # the code of a place of birth
    numbers = look.numbers
    years = (numbers > _YEARS[0]) & (numbers < _YEARS[1])
    months = (numbers // 100 > _YEARS[0]) & (numbers // 100 < _YEARS[1]) & (numbers % 100 <= 12)
    return bool(numbers[-1] - numbers[0] > 366 and max(np.mean(years), np.mean(months)) < 0.9)


def _are_six_digits(look: Look) -> bool:
    """Whether nearly all texts write a day as six digits, with the year first or last: no months."""
    if look.form != "text" or are_periods(look):
        return False
    found = (_SIX_DIGITS.fullmatch(text) for text in look.texts)
    days = sum(_is_short_day(one) for one in found if one is not None)
    return days > _MOST_SHORT * len(look.texts)


def _is_short_day(found: re.Match[str]) -> bool:
    year, month, day = found.groups()
    first, last = _day(_full_year(year), int(month), int(day)), _day(_full_year(day), int(month), int(year))
    return first is not None or last is not None


def _bulk(look: Look) -> tuple[date, date] | None:
    """The first and the last day without a tenth at either end; None where there are few days, or only months."""
    days = sorted(days_of(look))
    if len(days) < _FEWEST_DAYS or len({day.day for day in days}) < _DAYS_OF_MONTHS:
        return None
    tenth = len(days) // 10
    return days[tenth], days[-1 - tenth]


def _long_ago(look: Look) -> float:
    bulk = _bulk(look)
    return 1.0 if bulk and bulk[1].year < _LONG_AGO else 0.0


def _over_years(look: Look) -> float:
    bulk = _bulk(look)
    return 1.0 if bulk and (bulk[1] - bulk[0]).days >= 365.25 * _SPAN_OF_FIELD_WORK else 0.0


DETECTORS = (
    Detector("days of birth", _birthdays),
    Detector("days long ago", _long_ago, sentence=f"its days lie before {_LONG_AGO}, as days of birth do"),
    Detector(
        "days over years",
        _over_years,
        sentence="it holds full dates over more than five years, which single people out",
        role="key",
    ),
)
