"""What is to be known of all records of a file: levels, units and subdomains, each found by passes when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.data import units
from microveil.data.frames import open_frame, raw_numbers
from microveil.data.schema import Column
from microveil.engines.asking import ask_together
from microveil.engines.files import BLOCK_ROWS, Block, Files
from microveil.engines.unit_asked import UnitLook, find_unit
from microveil.engines.workers import HERE, Nobody, Workers
from microveil.io.rounding import doubles
from microveil.kernels.summaries.distinct import Distinct
from microveil.kernels.summaries.together import Together

MOST_LEVELS = 1 << 22  # different values of a column that are held in memory


@dataclass(frozen=True)
class Levels:
    """The levels of a column in their order, and the same as values of the column's own type."""

    levels: tuple[Cell, ...]
    values: pa.Array

    def codes_of(self, array: pa.Array) -> Ints:
        """The number of each value among the levels, -1 where it is missing."""
        found = pc.index_in(_one_zero(array), self.values)
        return np.asarray(pc.fill_null(found, -1).to_numpy(zero_copy_only=False), dtype=np.int64)


@dataclass(frozen=True)
class Subdomains:
    """The combinations of some columns that occur, with how many records have each, and their labels."""

    found: Distinct
    texts: tuple[str, ...]


class NotKnownThere(Exception):
    """Raised where a block is worked on elsewhere, and something of the whole file was not found before."""

    def __init__(self, how: str, names: Sequence[str]) -> None:
        super().__init__(how, names)
        self._how, self._names = how, names

    def find(self, known: Known) -> None:
        """Find it, by passes over the file."""
        getattr(known, self._how)(self._names)


class Known:
    """Facts of a whole file that blocks of it need; found once and kept."""

    def __init__(
        self,
        files: Files,
        schema: Mapping[str, Column],
        workers: Workers = HERE,
        looks: Mapping[str, UnitLook] | None = None,
    ) -> None:
        self._files, self._schema, self._workers, self._looks = files, schema, workers, looks or {}
        self._levels: dict[str, Levels] = {}
        self._units: dict[str, int | None] = {}
        self._meant: dict[str, int | None] = {}
        self._domains: dict[tuple[str, ...], Subdomains] = {}
        self._finding = RLock()

    def found_by(self, workers: Workers) -> Known:
        """The same facts, and those to come are found by others; both have what either finds."""
        made = copy(self)
        made._workers = workers
        return made

    def __getstate__(self) -> dict[str, Any]:
        # a lock is for the threads of one process
        return {name: value for name, value in vars(self).items() if name != "_finding"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _finding=RLock())

    def _refuse_elsewhere(self, how: str, names: Sequence[str]) -> None:
        if isinstance(self._workers, Nobody):
            raise NotKnownThere(how, names)

    # -- levels ----------------------------------------------------------------------------------

    def levels(self, name: str) -> Levels:
        """The levels of a column of categories."""
        if name not in self._levels:
            self.find_levels([name])
        return self._levels[name]

    def find_levels(self, names: Iterable[str]) -> None:
        """Find the levels of several columns in one pass."""
        with self._finding:
            wanted = [name for name in names if name not in self._levels]
            if not wanted:
                return
            self._refuse_elsewhere("find_levels", wanted)
            found = self._gather(wanted, lambda block: Together({name: _Values.of(block, name) for name in wanted}))
            for name in wanted:
                self._levels[name] = _ordered(found.parts[name].array, self._schema[name], name)

    # -- subdomains ------------------------------------------------------------------------------

    def domains(self, by: Sequence[str]) -> Subdomains:
        """The subdomains that some columns form."""
        key = tuple(by)
        with self._finding:
            if key not in self._domains:
                self._refuse_elsewhere("domains", key)
                self.find_levels(key)
                found = self._gather(key, lambda block: Distinct.of(self.codes(block.table, key)))
                self._domains[key] = Subdomains(found, tuple(self._label(key, row) for row in found.rows.tolist()))
        return self._domains[key]

    def codes(self, table: pa.Table, names: Sequence[str]) -> Ints:
        """Columns of categories of a block as codes side by side."""
        return np.stack([self.levels(name).codes_of(table[name].combine_chunks()) for name in names], axis=1)

    def _label(self, by: tuple[str, ...], row: Sequence[int]) -> str:
        pairs = zip(by, row, strict=True)
        return ", ".join(f"{name}={'missing' if code < 0 else self.levels(name).levels[code]}" for name, code in pairs)

    # -- units -----------------------------------------------------------------------------------

    def unit(self, name: str) -> int | None:
        """The power of ten that the bulk of a column's amounts are multiples of."""
        if name not in self._units:
            self.find_units([name])
        return self._units[name]

    def find_units(self, names: Iterable[str]) -> None:
        """Find the units of several columns of amounts, all in the same passes."""
        with self._finding:
            wanted = [name for name in names if name not in self._units]
            if wanted:
                self._refuse_elsewhere("find_units", wanted)
                calls = {name: partial(find_unit, look=self._looks.get(name)) for name in wanted}
                self._units |= ask_together(calls, self._answer_of_amounts)

    def meant_unit(self, name: str) -> int | None:
        """The unit of the column as its numbers read: those of 32 bits have fewer digits than they hold."""
        return self._meant.get(name) if name in self._meant else self.unit(name)

    def find_meant_units(self, names: Iterable[str]) -> None:
        """Find the units of columns of 32 bits as their numbers read."""
        single = [name for name in names if self._files.schema.field(name).type == pa.float32()]
        with self._finding:
            wanted = [name for name in single if name not in self._meant]
            if wanted:
                self._meant |= ask_together(
                    dict.fromkeys(wanted, find_unit), lambda asked: self._answer_of_amounts(asked, meant=True)
                )

    def holds_all(self, name: str, values: Floats) -> bool:
        """Whether all of these numbers occur in a column."""
        missing = values
        for block in self._files.blocks(BLOCK_ROWS, [name]):
            if not len(missing):
                break
            missing = np.setdiff1d(missing, self._numbers(block, name, meant=True))
        return not len(missing)

    def _answer_of_amounts(self, asked: Mapping[str, Any], meant: bool = False) -> Mapping[str, Any]:
        def of(block: Block) -> Together[Any, Any]:
            return Together(
                {
                    name: question(block.first, units.values_that_count(self._numbers(block, name, meant)))
                    for name, question in asked.items()
                }
            )

        found: Together[Any, Any] = self._gather(list(asked), of)
        return found.parts

    def _numbers(self, block: Block, name: str, meant: bool) -> Floats:
        if meant:
            numbers = doubles(block.table[name].combine_chunks())
        else:
            numbers = raw_numbers(open_frame(block.table.select([name])).get_column(name))
        for code in self._schema[name].missing:
            if isinstance(code, int | float):
                numbers[numbers == code] = np.nan
        return numbers

    def _gather(self, names: Sequence[str], of: Any) -> Any:
        return self._workers.gather(self._files, BLOCK_ROWS, names, of)


@dataclass(frozen=True)
class _Values:
    """The different values of a column; too many are refused."""

    array: pa.Array
    name: str

    @classmethod
    def of(cls, block: Block, name: str) -> _Values:
        return cls(pc.unique(_one_zero(block.table[name].combine_chunks())), name)

    def merge(self, other: _Values) -> _Values:
        found = pc.unique(pa.concat_arrays([self.array, other.array]))
        if len(found) > MOST_LEVELS:
            raise BadInput(
                f"column {self.name!r} has more than {MOST_LEVELS:,} different values, too many for categories of a "
                "file that is taken in blocks; leave it out of the step, or state the kind continuous for amounts"
            )
        return _Values(found, self.name)


def _one_zero(array: pa.Array) -> pa.Array:
    """Zero has one sign: which one a record has must neither part it from others nor show."""
    return pc.add(array, pa.scalar(0.0, array.type)) if pa.types.is_floating(array.type) else array


def _ordered(found: pa.Array, column: Column, name: str) -> Levels:
    """The levels in declared order, else sorted, as `frames.encode` has them."""
    absent = {None, *column.missing}
    wanted = [level for level in found.to_pylist() if level not in absent and level == level]
    if column.levels is not None:
        unknown = [level for level in wanted if level not in column.levels]
        if unknown:
            raise BadInput(
                f"column {name!r} holds {unknown[:5]!r}, not among its declared levels {list(column.levels)}"
            )
        present = set(wanted)
        ordered = [level for level in column.levels if level in present]
        # as the column spells them: what was declared may be 1 where the column holds 1.0
        spelt = {level: level for level in wanted}
        ordered = [spelt[level] for level in ordered]
    else:
        ordered = sorted(wanted, key=lambda level: (str(type(level)), level))
    return Levels(tuple(ordered), pa.array(ordered, found.type))
