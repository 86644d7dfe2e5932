"""The decimal mark of a CSV file: told, or found where all columns of numbers agree.

`1.000,00` and `1,5` can only have a decimal comma, `1,000.00` and `0.5` only a decimal point, and `1.000` may have
either: what the other numbers of the file do not settle is an error, because a wrong guess would turn thousands
into ones, or amounts into text that nobody protects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.csv_types import could_be_number, has_leading_zeros, is_no_number, number_pattern
from microveil.io.odd_cells import without_few_like_numbers

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


def find_decimal(
    columns: Iterable[TextColumn], told: str | None, delimiter: str, where: str, line_of: Callable[[int], int]
) -> str:
    """The decimal mark of these columns; what contradicts it or what was told is an error with its line."""
    seen: dict[str, _Seen] = {}
    doubtful: dict[str, _Seen] = {}
    for column in columns:
        certain, doubts = _marks(column.text)
        for mark, row in certain.items():
            seen.setdefault(mark, _Seen(column.name, row))
        for mark, row in doubts.items():
            doubtful.setdefault(mark, _Seen(column.name, row))
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


def _marks(text: pa.ChunkedArray) -> tuple[dict[str, int], dict[str, int]]:
    """The decimal marks that a column of numbers shows, each with its first row; and those that may group thousands."""
    nothing: dict[str, int] = {}
    if not could_be_number(text) or not any(pc.any(pc.match_substring(text, mark)).as_py() for mark in MARKS):
        return nothing, nothing
    text = pc.if_else(is_no_number(text), pa.scalar(None, pa.string()), text)
    if not _are_numbers(*_matches(text)):
        text = without_few_like_numbers(text)
    point, comma = _matches(text)
    if not _are_numbers(point, comma) or has_leading_zeros(text):
        return nothing, nothing
    certain = _found({",": pc.and_not(comma, point), ".": pc.and_not(point, comma)})
    return certain, nothing if certain else _found({mark: pc.match_substring(text, mark) for mark in MARKS})


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
