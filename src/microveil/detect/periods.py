"""Months, quarters and weeks: times that many people share, and no days."""

from __future__ import annotations

import re

from microveil.detect.column import Look

_YEAR = r"(?:1[89]|20)\d\d"
_MARK = r"[-/. ]"
_PART = r"(?:[QTHS][1-4]|M(?:0[1-9]|1[0-2])|(?:KW|W)[ -]?(?:0?[1-9]|[1-4]\d|5[0-3]))"  # quarter, half, month, week
_PERIOD = re.compile(
    rf"{_YEAR}{_MARK}?(?:0[1-9]|1[0-2]|{_PART})|{_YEAR}{_MARK}[1-9]|(?:0?[1-9]|1[0-2]|{_PART}){_MARK}{_YEAR}",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"([^\W\d_]{{3,9}})\.?{_MARK}?{_YEAR}|{_YEAR}{_MARK}?([^\W\d_]{{3,9}})\.?")
# the first letters of the months in the languages whose column names are known, where they differ
_MONTHS = {
    start: number
    for number, starts in enumerate(
        (
            *("jan ene gen", "feb fev fév", "mar mär mrz maa mrt", "apr abr avr", "may mai mag mei maj", "jun jui giu"),
            *("jul lug", "aug ago aoû aou", "sep set", "oct okt ott out", "nov", "dec dez dic déc des"),
        ),
        start=1,
    )
    for start in starts.split()
}
_MOST = 0.9
_TRIED = 50


def month_named(word: str) -> int:
    """The number of the month that a word begins as; 0 if it begins as none."""
    return _MONTHS.get(word[:3].lower(), 0)


def is_period(text: str) -> bool:
    """Whether a text says a month, a quarter, half a year or a week of a year.

    >>> [is_period(text) for text in ("2014-12", "12/2014", "2014M12", "2014-W07", "2014Q3", "Mar 2014", "2014-13")]
    [True, True, True, True, True, True, False]
    """
    if _PERIOD.fullmatch(text):
        return True
    named = _NAMED.fullmatch(text)
    return named is not None and month_named(named[1] or named[2]) > 0


def are_periods(look: Look) -> bool:
    """Whether nearly all values say months, quarters or weeks."""
    if look.form not in ("text", "whole") or not any(map(is_period, look.texts[:_TRIED])):
        return False  # most columns are none: they need not be read to the end
    return sum(map(is_period, look.texts)) > _MOST * len(look.texts)
