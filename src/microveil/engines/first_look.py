"""The first pass over a file: all that scanning it asks of every record, so that they are read once for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.data import frames, units
from microveil.engines.files import Block
from microveil.engines.marking import Marked
from microveil.engines.unit_asked import UnitLook
from microveil.kernels.summaries.together import Together

_FEW = 13  # one more than a column of codes has


@dataclass(frozen=True)
class Whole:
    """A column of whole numbers: a few of its values, and whether some are too long for amounts."""

    few: frozenset[float]
    long: bool

    @classmethod
    def of(cls, series: frames.Series, missing: Sequence[Cell]) -> Whole:
        """The numbers of some records."""
        numbers = frames.raw_numbers(series)
        absent = np.isnan(numbers) | np.isin(numbers, [code for code in missing if isinstance(code, int | float)])
        few = np.unique(numbers[~absent])[:_FEW]
        return cls(frozenset(few.tolist()), frames.has_long_numbers(series, tuple(missing)))

    def merge(self, other: Whole) -> Whole:
        """Of both."""
        return Whole(frozenset(sorted(self.few | other.few)[:_FEW]), self.long or other.long)


@dataclass(frozen=True)
class ColumnLook:
    """What was seen of a column: gaps, and what it would mean for it to hold amounts."""

    complete: bool
    refused: tuple[int, str] | None = None  # where it would be refused as amounts first, and why
    not_a_weight: bool = False
    whole: Whole | None = None
    unit: UnitLook | None = None
    ends: tuple[float, float] | None = None  # of amounts

    def merge(self, other: ColumnLook) -> ColumnLook:
        """Of the records of both."""
        return ColumnLook(
            self.complete and other.complete,
            min((one.refused for one in (self, other) if one.refused is not None), default=None),
            self.not_a_weight or other.not_a_weight,
            self.whole.merge(other.whole) if self.whole is not None and other.whole is not None else None,
            self.unit.merge(other.unit) if self.unit is not None and other.unit is not None else None,
            _wider(self.ends, other.ends),
        )


@dataclass(frozen=True)
class ToAsk:
    """What is asked of each column, by what is stated of it."""

    records: int
    amounts: frozenset[str]  # that may be amounts
    weights: frozenset[str]
    whole: frozenset[str]  # whole numbers of which no kind is stated
    missing: Mapping[str, tuple[Cell, ...]]
    near: Mapping[str, int]  # what the unit of amounts is likely to be

    @classmethod
    def about(
        cls,
        first: pa.Table,
        records: int,
        amounts: frozenset[str],
        weights: frozenset[str],
        whole: frozenset[str],
        missing: Mapping[str, Sequence[Cell]],
    ) -> ToAsk:
        """The same, with units as the first records have them: most files are alike from the first record on."""
        codes = {name: tuple(missing.get(name, ())) for name in first.column_names}
        frame, near = frames.open_frame(first), {}
        for name in (one for one in amounts if frames.is_numeric(frame.get_column(one))):
            some = units.values_that_count(_numbers(frame.get_column(name), codes[name]))
            if len(some):
                near[name] = units.guess_unit(some, units.COARSEST)[0]
        return cls(records, amounts, weights, whole, codes, near)

    def of(self, block: Block) -> FirstLook:
        """One block."""
        frame = frames.open_frame(block.table)
        columns = {name: self._column(block, name, frame.get_column(name)) for name in block.table.column_names}
        return FirstLook({block.first: Marked.of(block.table, frozenset())}, Together(columns))

    def _column(self, block: Block, name: str, series: frames.Series) -> ColumnLook:
        missing = self.missing[name]
        found = ColumnLook(not missing and _has_no_gap(block.table[name]))
        # what is no number is refused by its first record
        if name in self.weights and frames.is_numeric(series):
            found = replace(found, not_a_weight=_are_no_weights(series))
        if name in self.whole:
            found = replace(found, whole=Whole.of(series, missing))
        if name not in self.amounts:
            return found
        try:
            values = frames.continuous_values(series, name, missing).numbers
        except BadInput as problem:
            return replace(found, complete=False, refused=(block.first, str(problem)))
        unit = UnitLook.of(block.first, values, self.records, self.near.get(name))
        # + 0.0: which of two zeros of unlike sign is found depends on the order
        ends = float(np.fmin.reduce(values) + 0.0), float(np.fmax.reduce(values) + 0.0)
        return replace(found, complete=not np.isnan(values).any(), unit=unit, ends=ends)


@dataclass(frozen=True)
class FirstLook:
    """What was seen of some records: their hashes, by the place of their block, and their columns."""

    marked: Mapping[int, Marked]
    columns: Together[str, ColumnLook]

    def merge(self, other: FirstLook) -> FirstLook:
        """Of the records of both."""
        return FirstLook({**self.marked, **other.marked}, self.columns.merge(other.columns))

    def refuse(self, amounts: Sequence[str], weights: Sequence[str]) -> None:
        """Refuse what cannot be amounts or weights, the first of it in the file."""
        looks = self.columns.parts
        refused = [(looks[name].refused, place) for place, name in enumerate(amounts) if looks[name].refused]
        if refused:
            told, _ = min(refused)
            assert told is not None
            raise BadInput(told[1])
        for name in weights:
            if looks[name].not_a_weight:
                raise BadInput(f"the weights in {name!r} must all be positive numbers without gaps")

    @property
    def complete(self) -> frozenset[str]:
        """The columns in which nothing is missing."""
        return frozenset(name for name, look in self.columns.parts.items() if look.complete)

    @property
    def ends(self) -> dict[str, tuple[float, float]]:
        """The smallest and the largest values of amounts of which none is missing."""
        found = {name: self.columns.parts[name].ends for name in self.complete}
        return {name: ends for name, ends in found.items() if ends is not None}

    @property
    def units(self) -> dict[str, UnitLook]:
        """What was seen of the units of amounts."""
        return {name: look.unit for name, look in self.columns.parts.items() if look.unit is not None}


def _are_no_weights(series: frames.Series) -> bool:
    numbers = frames.raw_numbers(series)
    return bool(np.isnan(numbers).any() or (numbers <= 0).any() or frames.has_long_numbers(series, ()))


def _wider(one: tuple[float, float] | None, two: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if one is None or two is None else (min(one[0], two[0]), max(one[1], two[1]))


def _numbers(series: frames.Series, missing: Sequence[Cell]) -> Floats:
    numbers = frames.raw_numbers(series)
    for code in missing:
        if isinstance(code, int | float):
            numbers[numbers == code] = np.nan
    return numbers


def _has_no_gap(column: pa.ChunkedArray) -> bool:
    if column.null_count:
        return False
    return not pa.types.is_floating(column.type) or not pc.any(pc.is_nan(column)).as_py()
