"""The decimal mark of a CSV file: told, or found where all columns of numbers agree.

`1.000,00` and `1,5` can only have a decimal comma, `1,000.00` and `0.5` only a decimal point, and `1.000` may have
either: what the other numbers of the file do not settle is an error, because a wrong guess would turn thousands
into ones, or amounts into text that nobody protects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.csv_types import could_be_number, has_leading_zeros, is_no_number, number_pattern
from microveil.io.odd_cells import is_like_number, without_few_like_numbers

MARKS = {",": "comma", ".": "point"}


@dataclass(frozen=True)
class TextColumn:
    """A column as text, with its name."""

    name: str
    text: pa.ChunkedArray


@dataclass(frozen=True)
class _Seen:
    name: str
    row: int


class Marks(NamedTuple):
    """The decimal marks that a column of numbers shows, each with its first row; and those that may group thousands."""

    certain: Mapping[str, int]
    doubtful: Mapping[str, int]


NO_MARKS = Marks({}, {})


def find_decimal(
    columns: Iterable[TextColumn], told: str | None, delimiter: str, where: str, line_of: Callable[[int], int]
) -> str:
    """The decimal mark of these columns; what contradicts it or what was told is an error with its line."""
    return settle_decimal(((column.name, marks_of(column.text)) for column in columns), told, delimiter, where, line_of)


def settle_decimal(
    columns: Iterable[tuple[str, Marks]],
    told: str | None,
    delimiter: str,
    where: str,
    line_of: Callable[[int], int],
) -> str:
    """The same from the marks that each column shows."""
    seen: dict[str, _Seen] = {}
    doubtful: dict[str, _Seen] = {}
    for name, marks in columns:
        for mark, row in marks.certain.items():
            seen.setdefault(mark, _Seen(name, row))
        for mark, row in marks.doubtful.items():
            doubtful.setdefault(mark, _Seen(name, row))
    if told is not None:
        against = seen.get("." if told == "," else ",")
        if against is not None:
            raise _against(where, told, against, line_of)
        return told
    if len(seen) == 2:
        raise _mixed(where, seen[","], seen["."], line_of)
    if seen:
        return next(iter(seen))
    for mark, found in doubtful.items():
        if delimiter != "," or mark == ",":
            raise BadInput(
                f"{where}, column {found.name!r}, line {line_of(found.row)}: a number like 1{mark}000 may be a "
                "thousand or one, and no other number of the file tells; say decimal=',' or decimal='.'"
            )
    return "."


def marks_of(text: pa.ChunkedArray) -> Marks:
    """The marks of one column."""
    if not could_be_number(text) or not has_marks(text):
        return NO_MARKS
    text = without_words(text)
    if not _are_numbers(*_matches(text)):
        text = without_few_like_numbers(text)
    return marks_of_numbers(text) or NO_MARKS


def has_marks(text: pa.ChunkedArray) -> bool:
    """Whether any field holds a point or a comma."""
    return any(pc.any(pc.match_substring(text, mark)).as_py() for mark in MARKS)


def without_words(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """The fields, missing where a word for "no value" or "infinite" stands."""
    return pc.if_else(is_no_number(text), pa.scalar(None, pa.string()), text)


def marks_of_numbers(text: pa.ChunkedArray) -> Marks | None:
    """The marks of fields that are numbers without zeros in front; None if some are not."""
    point, comma = _matches(text)
    if not _are_numbers(point, comma) or has_leading_zeros(text):
        return None
    certain = _found({",": pc.and_not(comma, point), ".": pc.and_not(point, comma)})
    return Marks(certain, {} if certain else _found({mark: pc.match_substring(text, mark) for mark in MARKS}))


def no_numbers_at_all(text: pa.ChunkedArray) -> bool:
    """Whether some field is neither a number nor written like one: no others can make it a column of numbers."""
    point, comma = _matches(text)
    rest = text.filter(pc.invert(pc.or_(point, comma)))
    return not pc.all(is_like_number(rest), min_count=0).as_py()


def _matches(text: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Which fields are numbers with a decimal point, and which with a decimal comma."""
    point, comma = (pc.match_substring_regex(text, number_pattern(mark)) for mark in (".", ","))
    return point, comma


def _are_numbers(point: pa.ChunkedArray, comma: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.or_(point, comma)).as_py())


def _found(masks: dict[str, pa.ChunkedArray]) -> dict[str, int]:
    rows = {mark: int(pc.index(mask, True).as_py()) for mark, mask in masks.items()}
    return {mark: row for mark, row in rows.items() if row >= 0}


def _against(where: str, told: str, found: _Seen, line_of: Callable[[int], int]) -> BadInput:
    other = "." if told == "," else ","
    return BadInput(
        f"{where}: column {found.name!r} has a decimal {MARKS[other]} in line {line_of(found.row)}, against "
        f"decimal={told!r}; repair it, or say kinds={{{found.name!r}: 'nominal'}} if it holds codes"
    )


def _mixed(where: str, comma: _Seen, point: _Seen, line_of: Callable[[int], int]) -> BadInput:
    same = comma.name == point.name
    other = "" if same else f"column {point.name!r} "
    remedy = "repair one of them" if same else f"if one of them holds codes, say kinds={{{point.name!r}: 'nominal'}}"
    return BadInput(
        f"{where}: column {comma.name!r} has a decimal comma in line {line_of(comma.row)} and {other}a decimal point "
        f"in line {line_of(point.row)}; {remedy}"
    )
