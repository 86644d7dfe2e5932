"""Types of text columns, decided over every field.

A column holds numbers, dates, times or true/false only if every field that is not empty does. Numbers
with leading zeros are codes and stay text, as do whole numbers too long to be held exactly.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_LEADING_ZERO = r"^ *[+-]?0[0-9xX]"
_LONG_WHOLE = r"^ *[+-]?[0-9]{17,} *$"
_TIME = r"^[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$"
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_NO_NUMBER = (
    *("na", "n/a", "#n/a", "nan", "null", "none", "missing", ".", "..", "-", "?"),
    *("inf", "+inf", "-inf", "infinity", "-infinity"),
)
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")


def typed(text: Any, decimal: str = ".") -> Any:
    """The column in the narrowest type that every one of its fields fits, else unchanged."""
    sample = _first_value(text)
    if sample is None:
        return text
    start = sample.strip(" ")[:1]
    if start in "tTfF":
        return _booleans(text)
    like_number = start.isascii() and (start.isdigit() or start in ("+", "-", ".", decimal))
    attempts = (_whole, lambda column: _numbers(column, decimal), _dates, _moments, _times) if like_number else ()
    return next((found for attempt in attempts if (found := attempt(text)) is not None), text)


def words_among_numbers(text: Any, decimal: str = ".") -> list[str]:
    """The usual words for "no value" or "infinite" in a column that otherwise holds numbers; none if it does not."""
    values = pc.unique(text).drop_null()
    is_word = pc.is_in(pc.utf8_lower(pc.utf8_trim(values, characters=" ")), pa.array(_NO_NUMBER, pa.string()))
    others = pa.chunked_array([values.filter(pc.invert(is_word))])
    if not _any(is_word) or pa.types.is_string(typed(others, decimal).type):
        return []
    return sorted(values.filter(is_word).to_pylist())


def _first_value(text: Any) -> str | None:
    for chunk in text.chunks:
        place = pc.index(chunk.is_valid(), True).as_py()
        if place >= 0:
            return str(chunk[place].as_py()) or None
    return None


def _any(mask: Any) -> bool:
    return bool(pc.any(mask).as_py())


def _all(mask: Any) -> bool:
    return bool(pc.all(mask).as_py())


def _cast(text: Any, to: Any) -> Any | None:
    try:
        return text.cast(to)
    except pa.ArrowInvalid:
        pass
    # blanks around a number are no part of it
    try:
        return pc.utf8_trim(text, characters=" ").cast(to)
    except pa.ArrowInvalid:
        return None


def _whole(text: Any) -> Any | None:
    found = _cast(text, pa.int64())
    return None if found is None or _any(pc.match_substring_regex(text, _LEADING_ZERO)) else found


def _numbers(text: Any, decimal: str) -> Any | None:
    plain = text
    if decimal != ".":
        if _any(pc.match_substring(text, ".")):
            return None
        plain = pc.replace_substring(text, decimal, ".")
    found = _cast(plain, pa.float64())
    if found is None or not _all(pc.is_finite(found)):
        return None
    if _any(pc.match_substring_regex(text, _LEADING_ZERO)) or _any(pc.match_substring_regex(text, _LONG_WHOLE)):
        return None
    return found


def _dates(text: Any) -> Any | None:
    return _cast(text, pa.date32())


def _moments(text: Any) -> Any | None:
    zone = "UTC" if _all(pc.match_substring_regex(text, _ZONE)) else None
    for unit in ("us", "ns"):
        found = _cast(text, pa.timestamp(unit, zone))
        if found is not None:
            return found
    return None


def _times(text: Any) -> Any | None:
    if not _all(pc.match_substring_regex(text, _TIME)):
        return None
    # there is no cast from text to a time of day: make it a moment of the first day and drop the day
    moments = _cast(pc.binary_join_element_wise("1970-01-01", text, " "), pa.timestamp("us"))
    return None if moments is None else moments.cast(pa.int64()).cast(pa.time64("us"))


def _booleans(text: Any) -> Any:
    words = set(pc.unique(text).to_pylist()) - {None}
    for true, false in zip(_TRUE, _FALSE, strict=True):
        if words <= {true, false}:
            return pc.equal(text, true)
    return text
