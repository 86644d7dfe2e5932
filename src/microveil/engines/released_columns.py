"""The columns of a block on their way into the file: in the types, digits and words of the whole release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Bools, Floats
from microveil.core.errors import BadInput
from microveil.data.canonical import arrow_of
from microveil.data.frames import wider_decimals
from microveil.data.table import are_all_in_order
from microveil.data.units import said
from microveil.engines.different_values import DifferentValues, widest
from microveil.engines.merging import added, merged
from microveil.engines.passing import Passed
from microveil.engines.scanning import Scan
from microveil.io.cleaning import columns_to_write, scrubbed, settled, without_missing_codes
from microveil.io.rounding import doubles, ends_kept, ends_of, in_unit, note_wider, put_back, unit_to_write
from microveil.run.promises import Promise
from microveil.run.restoring import Restored, note_beside, restore
from microveil.run.state import State

_MOST_STRANGERS = 1 << 22  # different values that are held in memory to look for them in the source


@dataclass(frozen=True)
class Digits:
    """What tells whether a changed column is rounded to the digits of the source when it is written."""

    finer: int  # values in finer digits than the source's
    computed: int  # those among them that are not the record's own
    changed: int  # values that are not the record's own

    def merge(self, other: Digits) -> Digits:
        """Of both."""
        return Digits(self.finer + other.finer, self.computed + other.computed, self.changed + other.changed)


@dataclass(frozen=True)
class Strangers:
    """The different values of a column in finer digits than the source's that are not the record's own."""

    values: Floats
    name: str

    def merge(self, other: Strangers) -> Strangers:
        """Of both."""
        found = np.union1d(self.values, other.values)
        if len(found) > _MOST_STRANGERS:
            raise BadInput(
                f"{self.name!r} has more than {_MOST_STRANGERS:,} new values in finer digits than most of the source; "
                "integers='keep exact' writes them as they are"
            )
        return Strangers(found, self.name)


@dataclass(frozen=True)
class ColumnsSeen:
    """What is to be known of the released columns of all blocks before one of them can be written."""

    plain: Mapping[str, frozenset[pa.DataType]]  # in which all columns come back
    types: Mapping[str, frozenset[pa.DataType]]  # the same of those that are written, as files hold them
    wider: Mapping[str, frozenset[pa.DataType]]  # the same once they are rounded
    half_units: Mapping[str, float]
    beside: Mapping[str, int]
    digits: Mapping[str, Digits]
    ends: Mapping[tuple[str, int], tuple[float, float]]  # of the originals that a step saw, by column and step
    hit: frozenset[str]  # columns in which a code for a missing value stands
    unstated: Mapping[str, DifferentValues]  # of the columns without a stated role

    def ends_of_step(self, name: str, promise: Promise) -> tuple[float, float]:
        """The ends of a column among what the step of a promise saw."""
        return self.ends[name, promise.step]

    def merge(self, other: ColumnsSeen) -> ColumnsSeen:
        """Of the blocks of both."""
        return ColumnsSeen(
            merged(self.plain, other.plain, frozenset.union),
            merged(self.types, other.types, frozenset.union),
            merged(self.wider, other.wider, frozenset.union),
            merged(self.half_units, other.half_units, max),
            added(self.beside, other.beside),
            merged(self.digits, other.digits, Digits.merge),
            merged(self.ends, other.ends, lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))),
            self.hit | other.hit,
            merged(self.unstated, other.unstated, DifferentValues.merge),
        )


@dataclass(frozen=True)
class _Compared:
    """New values of a column, the same in the source's unit, and which are not the record's own."""

    values: Floats
    coarser: Floats
    changed: Bools

    @cached_property
    def finer(self) -> Bools:
        """Which are in finer digits than the source's."""
        return np.asarray((self.coarser != self.values) & ~np.isnan(self.values), dtype=np.bool_)

    @property
    def digits(self) -> Digits:
        """How many are."""
        return Digits(
            int(np.count_nonzero(self.finer)),
            int(np.count_nonzero(self.finer & self.changed)),
            int(np.count_nonzero(self.changed & ~np.isnan(self.values))),
        )


@dataclass(frozen=True)
class ToLook:
    """The columns that are released, and the unit in which each changed amount may be written."""

    source: Scan
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    units: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def at(cls, source: Scan, amounts: Iterable[str]) -> ToLook:
        """The columns of a release in which these amounts were changed."""
        kept, notes = columns_to_write(source.facts)
        chosen = [name for name in amounts if source.integers == "round" and name in kept]
        source.known.find_units(chosen)
        source.known.find_meant_units(chosen)
        found = {name: unit_to_write(source.known.meant_unit(name), source.roles[name]) for name in chosen}
        return cls(source, tuple(kept), tuple(notes), {name: unit for name, unit in found.items() if unit is not None})

    def codes(self, name: str) -> list[float]:
        """The numbers that stand for missing in a column."""
        return [code for code in self.source.facts.schema[name].missing if isinstance(code, int | float)]

    def look(self, passed: Passed) -> ColumnsSeen:
        """One block."""
        state = passed.state
        restored = restore(state)
        types, wider, digits, hit, plain, unstated = {}, {}, {}, set(), {}, {}
        schema = self.source.facts.schema
        sources = {name: self._source(state, name) for name in self.units}
        for name in state.source.columns if len(state.origin) else ():
            array = arrow_of(restored.frame.get_column(name))
            plain[name] = frozenset({array.type})
            if not schema[name].stated:
                unstated[name] = DifferentValues.of(array, schema[name].missing, self.source.n)
            if name not in self.kept:
                continue
            as_written = settled(array, name)
            types[name] = frozenset({as_written.type})
            if name in self.units:
                compared = self._compared(state, name, array, sources[name])
                wider[name] = frozenset({put_back(compared.coarser, array.type).type})
                digits[name] = compared.digits
            told: list[str] = []
            without_missing_codes(as_written, schema[name].missing, name, told)
            hit |= {name} if told else set()
        ends = _ends(passed, sources)
        half_units = restored.half_units if len(state.origin) else {}
        return ColumnsSeen(plain, types, wider, half_units, restored.beside, digits, ends, frozenset(hit), unstated)

    def _compared(self, state: State, name: str, array: pa.Array, source: Floats) -> _Compared:
        """New values beside those of the source."""
        values = doubles(array)
        own = source if are_all_in_order(state.origin, len(source)) else source[state.origin]
        return _Compared(values, in_unit(values, self.units[name], self.codes(name), None), values != own)

    def _source(self, state: State, name: str) -> Floats:
        """A column of the source, NaN where it is missing."""
        source, codes = doubles(arrow_of(state.source.narwhal.get_column(name))), self.codes(name)
        if codes:
            source[np.isin(source, codes)] = np.nan
        return source

    def strangers(self, state: State, name: str) -> Strangers:
        """The values of one block that must be looked for in the source."""
        if not len(state.origin):
            return Strangers(np.zeros(0), name)
        array = arrow_of(restore(state).frame.get_column(name))
        found = self._compared(state, name, array, self._source(state, name))
        return Strangers(np.unique(found.values[found.finer & found.changed]), name)

    # -- deciding --------------------------------------------------------------------------------

    def decide(self, seen: ColumnsSeen, promises: Sequence[Promise], strangers: Callable[[str], Floats]) -> Columns:
        """How all blocks are written; `strangers` finds those of a column, by one more pass."""
        rounded = {
            name: unit for name, unit in self.units.items() if self._is_rounded(name, seen.digits.get(name), strangers)
        }
        ends = {
            name: kept
            for name in rounded
            if (kept := ends_kept(promises, name, partial(seen.ends_of_step, name))) is not None
        }
        types = {name: widest(seen.types[name]) for name in self.kept}
        notes = [
            *self.notes,
            *(f"{name!r} was rounded to {said(unit)}, as in the source" for name, unit in rounded.items()),
        ]
        for name in rounded:
            now = widest(seen.wider[name] | {types[name]})
            if now != types[name]:
                notes.append(note_wider(name, types[name]))
            types[name] = now
        notes += [
            f"cells of {name!r} with a code for a missing value were written as empty"
            for name in self.kept
            if name in seen.hit
        ]
        half_units = {**seen.half_units, **{name: 0.5 * 10.0**unit for name, unit in rounded.items()}}
        told = [*self._wider(types, seen.plain), *(note_beside(name, count) for name, count in seen.beside.items())]
        return Columns(self, rounded, ends, types, half_units, tuple(notes), tuple(told))

    def _is_rounded(self, name: str, digits: Digits | None, strangers: Callable[[str], Floats]) -> bool:
        if digits is None or not digits.finer:
            return False
        if 2 * digits.computed > digits.changed:
            return True
        # cells that were left or exchanged rather than computed: the finer values are the exceptions of the source
        return not self.source.known.holds_all(name, strangers(name))

    def _wider(self, types: Mapping[str, pa.DataType], plain: Mapping[str, frozenset[pa.DataType]]) -> list[str]:
        notes = []
        for name, now in types.items():
            was = self.source.files.schema.field(name).type
            if pa.types.is_decimal(was) and any(kind != was and _is_number(kind) for kind in plain[name]):
                notes.append(wider_decimals(name, self.source.facts.narwhal.get_column(name).dtype))
            if self.source.integers == "round" and pa.types.is_integer(was) and now != was:
                if pa.types.is_floating(now):
                    notes.append(f"values of {name!r} lie beyond 2^53 now and come back as Float64")
                elif pa.types.is_integer(now):
                    held = self.source.facts.narwhal.get_column(name).dtype
                    notes.append(f"values of {name!r} no longer fit {held} and come back as Int64")
        return notes


@dataclass(frozen=True)
class Columns:
    """How the columns of all blocks are written."""

    looked: ToLook
    rounded: Mapping[str, int]
    ends: Mapping[str, tuple[float, float]]
    types: Mapping[str, pa.DataType]
    half_units: Mapping[str, float]
    notes: tuple[str, ...]  # on what is written
    told: tuple[str, ...]  # on what is released

    def table(self, state: State, names: Iterable[str]) -> pa.Table:
        """Some columns of a block as they are written, in the order of the source; identifiers are not among them."""
        return self.table_of(restore(state), [name for name in names if name in self.looked.kept])

    def table_of(self, restored: Restored, names: Iterable[str] | None = None) -> pa.Table:
        """The same of a block that was restored; all columns that are written, where none is named."""
        columns, schema = {}, self.looked.source.facts.schema
        for name in self.looked.kept if names is None else names:
            array = arrow_of(restored.frame.get_column(name))
            if name in self.rounded:
                numbers = in_unit(doubles(array), self.rounded[name], self.looked.codes(name), self.ends.get(name))
                array = put_back(numbers, array.type)
            array = settled(array, name)
            array = array.cast(self.types[name]) if array.type != self.types[name] else array
            columns[str(name)] = scrubbed(without_missing_codes(array, schema[name].missing, name, []))
        return pa.table(columns)


def _ends(passed: Passed, sources: Mapping[str, Floats]) -> dict[tuple[str, int], tuple[float, float]]:
    """The ends of amounts among the originals that each step saw, also of those that were left out later."""
    found = {}
    for number, step in enumerate(passed.steps):
        seen = passed.before(number).origin[step.seen]
        for name, source in sources.items():
            own = source if are_all_in_order(seen, len(source)) else source[seen[seen >= 0]]
            found[name, number] = ends_of(own)
    return found


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(kind) or pa.types.is_floating(kind) or pa.types.is_integer(kind))
