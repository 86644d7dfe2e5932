"""Cells that turn a column of numbers into text: taken for categories, its amounts would pass unprotected."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.csv_types import find_type, is_no_number, number_pattern
from microveil.io.formats.format import Missing

_NUMBER = r"[0-9][0-9., '’\x{00a0}\x{202f}]*"
_SIGN = r"[€$£¥%]"
# hardly any code is written so: 0x1F, 1e400, (12.50), 12.50-, $12.50, 12.50 €
_LIKE_NUMBERS = (
    rf"^ *[+-]?(0[xX][0-9a-fA-F]+|[0-9]+[.,]?[0-9]*[eE][+]?[0-9]{{3,}}|\( *{_NUMBER}\)|{_NUMBER}-|{_SIGN} *{_NUMBER}"
    rf"|{_NUMBER}{_SIGN}) *$"
)
_FEWEST_NUMBERS = 20
_MOST = 0.05  # of the different values: where more are written so, they may be codes after all
FIRST = 1_000
_SHOWN = 5


def odd_among_numbers(text: pa.ChunkedArray, decimal: str = ".") -> list[str]:
    """The different fields that are no numbers in a column that otherwise holds numbers; none if it does not.

    They are words for "no value" or "infinite", errors of spreadsheets, or a few that are written like numbers.
    """
    if not begins_with_numbers(text, decimal):
        return []
    values = pc.unique(text).drop_null()
    is_word = is_no_number(values)
    words, others = values.filter(is_word), values.filter(pc.invert(is_word))
    if not pa.types.is_string(find_type(pa.chunked_array([others]), decimal).type):
        return sorted(words.to_pylist())
    odd = _few_like_numbers(others)
    numbers = find_type(pa.chunked_array([others.filter(pc.invert(odd))]), decimal).type
    if pa.types.is_integer(numbers) or pa.types.is_floating(numbers):
        return sorted([*words.to_pylist(), *others.filter(odd).to_pylist()])
    return []


def begins_with_numbers(text: pa.ChunkedArray, decimal: str) -> bool:
    """Whether nothing among the first fields says that these are no numbers: most columns of text show it there."""
    values = pc.unique(text.slice(0, FIRST)).drop_null()
    odd = pc.or_(is_no_number(values), pc.match_substring_regex(values, _LIKE_NUMBERS))
    first = values.filter(pc.invert(odd))
    numbers = pc.all(pc.match_substring_regex(first, number_pattern(decimal)), min_count=0).as_py()
    return bool(numbers) or not pa.types.is_string(find_type(pa.chunked_array([first]), decimal).type)


def without_few_like_numbers(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """The fields, empty where one of a few is written like a number and is none."""
    values = pc.unique(text).drop_null()
    odd = values.filter(_few_like_numbers(values))
    return pc.if_else(pc.is_in(text, odd), pa.scalar(None, pa.string()), text) if len(odd) else text


def is_like_number(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which fields are written like numbers and are none."""
    return pc.match_substring_regex(text, _LIKE_NUMBERS)


def _few_like_numbers(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which of the different values are written like numbers and are none, if they are few beside many others."""
    odd = pc.match_substring_regex(values, _LIKE_NUMBERS)
    count = pc.sum(odd).as_py() or 0
    return odd if _are_few(count, len(values) - count) else pa.array([False] * len(values), pa.bool_())


def _are_few(odd: int, numbers: int) -> bool:
    return numbers >= _FEWEST_NUMBERS and odd < _MOST * (odd + numbers)


def odd_beside_numbers(texts: Collection[str], numbers: int) -> list[str]:
    """The different texts in a column that also holds so many different numbers; none if some are no odd cells."""
    values = pa.array(sorted(texts), pa.string())
    others = values.filter(pc.invert(is_no_number(values)))
    odd = pc.sum(pc.match_substring_regex(others, _LIKE_NUMBERS)).as_py() or 0
    spoilt = odd == len(others) and (not odd or _are_few(odd, numbers))
    return sorted(texts) if spoilt else []


def words_for_missing(missing: Missing, name: str) -> list[str]:
    """The codes for missing in a column that are texts."""
    given = missing.get(name, ()) if isinstance(missing, Mapping) else missing
    return [code for code in given if isinstance(code, str)]


def written_codes(given: Collection[str]) -> list[Any]:
    """Codes for missing values as somebody writes them: each as the text it is, and as the number if it is one.

    >>> written_codes(["n/a", "-9"])
    ['n/a', '-9', -9]
    """
    found: list[Any] = list(given)
    for item in given:
        try:
            found.append(int(item) if item.lstrip("+-").isdigit() else float(item))
        except ValueError:
            continue
    return found


def odd_cells(name: str, odd: list[str], place: str) -> BadInput:
    """What to do about odd cells in a column of numbers; `place` says where the first one is."""
    shown = odd[:_SHOWN]
    more = f" and {len(odd) - _SHOWN} more such texts" if len(odd) > _SHOWN else ""
    return BadInput(
        f"column {name!r} holds numbers and {shown}{more} (first in {place}): if these mean missing, say "
        f"missing={shown}; if they are categories, say kinds={{{name!r}: 'nominal'}}; infinite values and numbers "
        "written in another way must be replaced first"
    )
