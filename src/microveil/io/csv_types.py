"""Types of text columns, decided over every field.

A column holds numbers, dates, times or true/false only if every field that is not empty does. Numbers
with leading zeros are codes and stay text, as do whole numbers too long to be held exactly.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

_LEADING_ZERO = r"^ *[+-]?0[0-9xX]"
_LONG = 17
_LONG_WHOLE = rf"^ *[+-]?[0-9]{{{_LONG},}} *$"
_ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$"
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_NO_NUMBER = (
    *("na", "n/a", "#n/a", "nan", "null", "none", "missing", ".", "..", "-", "?"),
    *("n.a.", "k.a.", "k. a.", "keine angabe", "n.d.", "n/d", "s/d", "ns/nr", "ns/nc", "non réponse", "sin dato"),
    *("inf", "+inf", "-inf", "infinity", "-infinity"),
)
# errors of spreadsheets in any language (#DIV/0!, #NV, #¡VALOR!), and numbers too wide for their cell (####)
_ERROR = r"^ *#(#*|[¡¿]?\p{L}[\p{L}\p{N}/ ]*[!?]?) *$"
# between the thousands of numbers, besides the point or comma that is not the decimal mark
_BLANKS = " \u00a0\u202f'’"
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")
_LOGICAL = (*_TRUE, *_FALSE)


def number_pattern(decimal: str) -> str:
    """The numbers with this decimal mark as a regular expression; thousands may be grouped."""
    mark, group = re.escape(decimal), re.escape("." if decimal == "," else ",")
    plain = rf"([0-9]+{mark}?[0-9]*|{mark}[0-9]+)([eE][+-]?[0-9]+)?"
    grouped = rf"[1-9][0-9]{{0,2}}(({group}[0-9]{{3}})+|([{_BLANKS}][0-9]{{3}})+)({mark}[0-9]*)?"
    return rf"^ *[+-]?({plain}|{grouped}) *$"


def could_be_number(text: pa.ChunkedArray) -> bool:
    """Whether the first field begins as a number does, or is a word for "no value"."""
    sample = _first_value(text)
    return sample is not None and (_starts_number(sample) or bool(is_no_number(pa.array([sample]))[0].as_py()))


def _starts_number(sample: str) -> bool:
    start = sample.strip(" ")[:1]
    return start.isascii() and (start.isdigit() or start in ("+", "-", ".", ","))


def find_type(text: pa.ChunkedArray, decimal: str = ".", grouped: bool = True) -> pa.ChunkedArray:
    """The column in the narrowest type that every one of its fields fits, else unchanged.

    `grouped`: the thousands of numbers may be grouped (`1.000,50` where the decimal mark is a comma).
    """
    sample = _first_value(text)
    if sample is None:
        return text
    if sample in _LOGICAL:
        return _booleans(text)
    if not _starts_number(sample):
        return text
    attempts = (_whole, lambda column: _numbers(column, decimal, grouped), _dates, _moments, _times)
    return next((found for attempt in attempts if (found := attempt(text)) is not None), text)


def is_no_number(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which fields are usual words for "no value" or "infinite", or errors of spreadsheets."""
    words = pc.is_in(pc.utf8_lower(pc.utf8_trim(text, characters=" ")), pa.array(_NO_NUMBER, pa.string()))
    return pc.or_(words, pc.fill_null(pc.match_substring_regex(text, _ERROR), False))


def has_leading_zeros(text: pa.ChunkedArray) -> bool:
    """Whether any field is a number with zeros in front, or begins as one."""
    # few fields begin so that the slow question needs to be asked
    some = pc.or_(
        pc.or_(pc.starts_with(text, "0"), pc.starts_with(text, " ")),
        pc.or_(pc.starts_with(text, "+"), pc.starts_with(text, "-")),
    )
    return _any(pc.match_substring_regex(text.filter(some), _LEADING_ZERO))


def _first_value(text: pa.ChunkedArray) -> str | None:
    for chunk in text.chunks:
        place = pc.index(chunk.is_valid(), True).as_py()
        if place >= 0:
            return str(chunk[place].as_py()) or None
    return None


def _any(mask: pa.ChunkedArray) -> bool:
    return bool(pc.any(mask).as_py())


def _all(mask: pa.ChunkedArray) -> bool:
    return bool(pc.all(mask).as_py())


def _cast(text: pa.ChunkedArray, to: pa.DataType) -> pa.ChunkedArray | None:
    try:
        return text.cast(to)
    except pa.ArrowInvalid:
        pass
    if not _any(pc.or_(pc.starts_with(text, " "), pc.ends_with(text, " "))):
        return None
    # blanks around a number are no part of it
    try:
        return pc.utf8_trim(text, characters=" ").cast(to)
    except pa.ArrowInvalid:
        return None


def _whole(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    found = _cast(text, pa.int64())
    return None if found is None or has_leading_zeros(text) else found


def _numbers(text: pa.ChunkedArray, decimal: str, grouped: bool) -> pa.ChunkedArray | None:
    if has_leading_zeros(text):
        return None
    plain = text
    if decimal != ".":
        # a point is no decimal mark here: 1.000 would come out as one
        plain = None if _any(pc.match_substring(text, ".")) else pc.replace_substring(text, decimal, ".")
    found = None if plain is None else _cast(plain, pa.float64())
    if found is None and grouped:
        plain = _without_groups(text, decimal)
        found = None if plain is None else _whole_or_number(plain)
    if found is None or plain is None or _has_long_whole(plain):
        return None
    return found if _all(pc.is_finite(found)) else None


def _has_long_whole(text: pa.ChunkedArray) -> bool:
    return pc.max(pc.binary_length(text)).as_py() >= _LONG and _any(pc.match_substring_regex(text, _LONG_WHOLE))


def _without_groups(text: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray | None:
    """Numbers with grouped thousands without their groups; None if they are no such numbers.

    Blanks between digits group thousands only beside decimals: numbers of telephones have them too.
    """
    if not _all(pc.match_substring_regex(text, number_pattern(decimal))):
        return None
    other = "." if decimal == "," else ","
    if _any(pc.match_substring_regex(text, f"[0-9][{_BLANKS}][0-9]")) and not _any(pc.match_substring(text, decimal)):
        return None
    bare = pc.replace_substring_regex(text, f"[{re.escape(other)}{_BLANKS}]", "")
    return pc.replace_substring(bare, decimal, ".")


def _whole_or_number(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    found = _cast(text, pa.int64())
    return found if found is not None else _cast(text, pa.float64())


def _dates(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return _cast(text, pa.date32())


def _moments(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    zone = "UTC" if _all(pc.match_substring_regex(text, _ZONE)) else None
    for unit in ("us", "ns"):
        found = _cast(text, pa.timestamp(unit, zone))
        if found is not None:
            return found
    return None


def _times(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    if not _all(pc.match_substring_regex(text, _TIME)):
        return None
    # there is no cast from text to a time of day: make it a moment of the first day and drop the day
    moments = _cast(pc.binary_join_element_wise("1970-01-01", text, " "), pa.timestamp("us"))
    return None if moments is None else moments.cast(pa.int64()).cast(pa.time64("us"))


def _booleans(text: pa.ChunkedArray) -> pa.ChunkedArray:
    words = set(pc.unique(text).to_pylist()) - {None}
    for true, false in zip(_TRUE, _FALSE, strict=True):
        if words <= {true, false}:
            return pc.equal(text, true)
    return text
