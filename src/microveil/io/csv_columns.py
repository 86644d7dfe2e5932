"""Columns of CSV files that are taken some rows at a time: each in the type that it has where all rows are in memory.

A few fields tell which type that is: those that were met first, and those that changed what was thought. All others
were seen beside them, and fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.io.csv_decimal import NO_MARKS, Marks, has_marks, marks_of, marks_of_numbers, no_numbers_at_all
from microveil.io.csv_decimal import without_words as without_usual_words
from microveil.io.csv_read import Typed, emptied, typed, without
from microveil.io.csv_types import could_be_number, has_leading_zeros
from microveil.io.odd_cells import FIRST, begins_with_numbers, is_like_number, odd_among_numbers

MOST_DIFFERENT = 1 << 22  # fields of a column that are held in memory
_TELLING = 1_000

Parts = Callable[[], Iterator[pa.ChunkedArray]]


@dataclass(frozen=True)
class TextParts:
    """The fields of one column, some rows at a time, and what is known of all columns."""

    name: str
    parts: Parts
    quotes_tell: bool
    words: list[str]  # for missing
    is_category: bool

    def marks(self) -> Marks:
        """The decimal marks that the column shows."""
        first = next((part for part in self._observed() if part.null_count < len(part)), None)
        if first is None or not could_be_number(first) or not any(map(has_marks, self._observed())):
            return NO_MARKS
        certain: dict[str, int] = {}
        doubtful: dict[str, int] = {}
        before = 0
        for part in self._observed():
            rest = without_usual_words(part)
            marks = marks_of_numbers(rest)
            if marks is None:
                odd = pc.any(is_like_number(rest)).as_py()
                if no_numbers_at_all(rest) or (has_leading_zeros(rest) and not odd):
                    return NO_MARKS
                different = self._different(self._observed)
                rows = [
                    {mark: self.row_of([different[row].as_py()]) for mark, row in one.items()}
                    for one in marks_of(different)
                ]
                return Marks(*rows)
            for known, found in ((certain, marks.certain), (doubtful, marks.doubtful)):
                for mark, row in found.items():
                    known.setdefault(mark, before + row)
            before += len(part)
        return Marks(certain, {} if certain else doubtful)

    def _observed(self) -> Iterator[pa.ChunkedArray]:
        return (without(part, ["", *self.words]) for part in self.parts())

    def _without_words(self) -> Iterator[pa.ChunkedArray]:
        return (without(emptied(part, self.quotes_tell), self.words) for part in self.parts())

    def _different(self, parts: Parts) -> pa.ChunkedArray:
        """The different fields in the order in which they come."""
        found = pa.array([], pa.string())
        for part in parts():
            found = pc.unique(pa.chunked_array([found, *part.chunks]))
            if len(found) > MOST_DIFFERENT:
                raise BadInput(
                    f"column {self.name!r} begins like numbers, and more than {MOST_DIFFERENT:,} different texts do "
                    f"not tell what it holds; say kinds={{{self.name!r}: 'nominal'}} if these are categories"
                )
        return pa.chunked_array([found])

    def row_of(self, texts: list[str]) -> int:
        """The first row in which one of these stands."""
        before = 0
        for part in self.parts():
            row = pc.index(pc.is_in(part, pa.array(texts, pa.string())), True).as_py()
            if row >= 0:
                return before + int(row)
            before += len(part)
        raise KeyError(texts)

    # -- types -----------------------------------------------------------------------------------

    def telling(self, decimal: str) -> pa.ChunkedArray:
        """Fields that tell the type of all, in their order."""
        known: dict[int, pa.ChunkedArray] = {}
        for number, part in enumerate(self.parts()):
            if part.null_count < len(part):
                first = pc.index(pc.is_valid(part), True).as_py()
                known[number] = part.slice(first, _TELLING)
                break
        while (found := self._otherwise(_joined(known), decimal)) is not None:
            number, fields = found
            known[number] = _joined({0: known[number], 1: fields}) if number in known else fields
        return _joined(known)

    def _otherwise(self, telling: pa.ChunkedArray, decimal: str) -> tuple[int, pa.ChunkedArray] | None:
        """Fields beside which the type is another one, and the number of their part."""
        thought = _kind(self._typed(telling, decimal))

        def differs(part: pa.ChunkedArray) -> bool:
            return _kind(self._typed(_joined({0: telling, 1: part}), decimal)) != thought

        for number, part in enumerate(self.parts()):
            if differs(part):
                while len(part) > 1:
                    half = len(part) // 2
                    smaller = next((one for one in (part.slice(0, half), part.slice(half)) if differs(one)), None)
                    if smaller is None:
                        break
                    part = smaller
                return number, part
        return None

    def _typed(self, text: pa.ChunkedArray, decimal: str) -> Typed:
        return typed(text, self.quotes_tell, decimal, self.words, self.is_category)

    def converted(self, part: pa.ChunkedArray, telling: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
        """Some rows in the type of the column."""
        return self._typed(_joined({0: telling, 1: part}), decimal).column.slice(len(telling))

    def odd(self, decimal: str) -> list[str]:
        """The cells that are no numbers in a column of text that otherwise holds numbers."""
        if self.is_category:
            return []
        first: dict[int, pa.ChunkedArray] = {}
        for number, part in enumerate(self._without_words()):
            have = sum(map(len, first.values()))
            if have >= FIRST:
                break
            first[number] = part.slice(0, FIRST - have)
        begin = _joined(first)
        if not begins_with_numbers(begin, decimal):
            return []
        return odd_among_numbers(_joined({0: begin, 1: self._different(self._without_words)}), decimal)


def _kind(found: Typed) -> tuple[pa.DataType, bool]:
    return found.column.type, found.without_words


def _joined(fields: dict[int, pa.ChunkedArray]) -> pa.ChunkedArray:
    chunks = [chunk for number in sorted(fields) for chunk in fields[number].chunks]
    return pa.chunked_array(chunks, pa.string())
