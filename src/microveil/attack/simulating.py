"""The public plan run by the intruder on what is known: pairs of known and released values whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from microveil.attack.known_settings import without_columns
from microveil.attack.rerunning import rerun
from microveil.attack.view import View
from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.data.table import Values
from microveil.measure import PublicPlan, PublicStep

# records up to which the plan is run so many times; of more records each tells as much
_RUNS = ((2_000, 8), (5_000, 5))
_LEAST_RUNS = 3


class Chain(NamedTuple):
    """Steps that have columns in common, restricted to known columns.

    `exact`: nothing that decides about its values is unknown to the intruder but chance, so that the simulation differs
    from the release by chance alone. `columns` are those that it replaced.
    """

    steps: tuple[PublicStep, ...]
    exact: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for step in self.steps for name in step.columns))

    @property
    def random(self) -> bool:
        """Whether anything is drawn."""
        return any(step.method.random for step in self.steps)


class Simulated(NamedTuple):
    """A chain, and each of its columns as every run released it: rows are runs, columns are the known records.

    Categories are codes of the released column: -1 for a gap, one more than the last for what nobody released.
    `settled` is what the first steps, in which nothing is drawn, make of the columns.
    """

    chain: Chain
    columns: dict[str, AnyArray]
    settled: dict[str, AnyArray]


def simulate(view: View) -> list[Simulated] | str:
    """The plan run on the known records under own keys; or why that tells nothing."""
    if view.plan is None:
        return "nobody knows which method made this file, so that it cannot be run again"
    if any(step.synthetic or step.method.ties_record != "record" for step in view.plan.steps):
        return "records were drawn anew, so that none is tied to an original"
    chains = find_chains(view)
    if not chains:
        return "no step changed a column that the intruder knows"
    data = _as_microdata(view, chains)
    try:
        return [Simulated(chain, _runs(view, data, chain), settle(view, data, chain)) for chain in chains]
    except MicroveilError as problem:
        return f"its plan cannot be run on the known columns ({problem})"


def values_before(view: View, step: PublicStep) -> Mapping[str, Values] | None:
    """Known columns as earlier steps handed them to a step: nothing if there was none; None where that is not known.

    It is known where nothing was drawn, and nothing that decides is unknown to the intruder.
    """
    assert view.plan is not None
    steps = view.plan.steps
    number = next(i for i, one in enumerate(steps) if one is step)
    together = next((numbers for numbers in _linked_steps(view) if number in numbers), [])
    earlier = tuple(steps[i] for i in together if i < number)
    if not earlier:
        return {}
    exact = view.known.rows == view.released.rows and all(_known_part(view, one) == one for one in earlier)
    if not exact or any(one.method.random or one.synthetic for one in earlier):
        return None
    chain = Chain(earlier, exact)
    try:
        return next(_each_run(PublicPlan(earlier, frozenset(chain.columns)), _as_microdata(view, [chain]), 1))
    except MicroveilError:
        return None


def recoded_amounts(view: View) -> dict[str, Floats]:
    """Amounts that steps without draws changed column by column: what the known values became."""
    if view.plan is None:
        return {}
    found: dict[str, Floats] = {}
    for chain in find_chains(view):
        if chain.exact and all(not step.method.random and step.method.columns_apart for step in chain.steps):
            amounts = [name for name in chain.columns if view.released[name].levels is None]
            try:
                became = settle(view, _as_microdata(view, [chain]), chain) if amounts else {}
            except MicroveilError:
                continue
            found |= {name: np.asarray(became[name], dtype=np.float64) for name in amounts}
    return found


def find_chains(view: View) -> list[Chain]:
    """The steps on known columns, those together that have columns in common: others run apart."""
    assert view.plan is not None
    parts = [_known_part(view, step) for step in view.plan.steps]
    whole = view.known.rows == view.released.rows
    return [
        Chain(
            tuple(parts[number] for number in numbers),
            whole and all(parts[number] == view.plan.steps[number] for number in numbers),
        )
        for numbers in _linked_steps(view)
    ]


def _linked_steps(view: View) -> list[list[int]]:
    """The numbers of steps on known columns, those together that have columns in common."""
    assert view.plan is not None
    parts = [_known_part(view, step) for step in view.plan.steps]
    found: list[list[int]] = []
    for number, part in enumerate(parts):
        if part.columns:
            met = [numbers for numbers in found if _touched([parts[one] for one in numbers]) & _touched([part])]
            found = [numbers for numbers in found if numbers not in met]
            found.append(sorted([number, *(one for numbers in met for one in numbers)]))
    return found


def _touched(steps: Sequence[PublicStep]) -> frozenset[str]:
    """All columns that some steps read or replace."""
    return frozenset(name for step in steps for name in (*step.columns, *step.given, *step.by))


def _known_part(view: View, step: PublicStep) -> PublicStep:
    def known(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in view.known.names)

    pairs = [(name, kind) for name, kind in zip(step.columns, step.kinds, strict=True) if name in view.known.names]
    return PublicStep(
        without_columns(step.method, _unknown(view)),
        tuple(name for name, _ in pairs),
        tuple(kind for _, kind in pairs),
        known(step.given),
        known(step.by),
        step.missing,
        step.records,
        step.synthetic,
    )


def _unknown(view: View) -> frozenset[str]:
    """The columns of the file that the intruder does not know."""
    assert view.plan is not None
    there = {name for step in view.plan.steps for name in (*step.columns, *step.given, *step.by)}
    return frozenset((there | set(view.released.names)) - set(view.known.names))


def _runs(view: View, data: Microdata, chain: Chain) -> dict[str, AnyArray]:
    plan = PublicPlan(chain.steps, frozenset(chain.columns))
    count = _count_runs(view.known.rows) if chain.random else 1
    runs = list(_each_run(plan, data, count))
    return {name: np.vstack([_as_released(run[name], view.released[name]) for run in runs]) for name in chain.columns}


def settle(view: View, data: Microdata, chain: Chain) -> dict[str, AnyArray]:
    """The columns of a chain after its first steps, up to the one in which something is drawn."""
    first = tuple(takewhile(lambda step: not step.method.random, chain.steps))
    columns = {name: data.values(name) for name in chain.columns}
    if first:
        columns |= next(_each_run(PublicPlan(first, frozenset(Chain(first, True).columns)), data, 1))
    return {name: _as_released(values, view.released[name]) for name, values in columns.items()}


def _count_runs(records: int) -> int:
    return next((runs for most, runs in _RUNS if records <= most), _LEAST_RUNS)


def _each_run(plan: PublicPlan, data: Microdata, count: int) -> Iterator[dict[str, Values]]:
    """The columns of each run, in the order of the known records; a record that was left out has gaps."""
    for number in range(count):
        release = rerun(plan, data, Key.of(f"an intruder's own run {number}"))
        place = np.full(data.n, -1, dtype=np.int64)
        kept = release.origin >= 0
        place[release.origin[kept]] = np.flatnonzero(kept)
        yield {name: release.data.values(name).at(place) for name in plan.changed}


def _as_released(simulated: Values, released: Values) -> AnyArray:
    """A simulated column in the coding of the released one; what cannot be compared with it says nothing."""
    if released.levels is None:
        return simulated.numbers if simulated.levels is None else np.full(len(simulated.data), np.nan)
    code = {_text(level): number for number, level in enumerate(released.levels)}
    if simulated.levels is None:
        values, inverse = np.unique(simulated.numbers, return_inverse=True)
        lookup = [-1 if np.isnan(value) else code.get(_text(value), len(code)) for value in values.tolist()]
        return np.array(lookup, dtype=np.int64)[inverse.reshape(-1)]
    lookup = [*(code.get(_text(level), len(code)) for level in simulated.levels), -1]
    return np.array(lookup, dtype=np.int64)[simulated.data]


def _text(level: object) -> str:
    return f"{level:.15g}" if isinstance(level, int | float) else str(level)


def _as_microdata(view: View, chains: Sequence[Chain]) -> Microdata:
    """The known columns as a file, each of the kind that the first step took it for."""
    kinds: dict[str, str] = {}
    for step in (step for chain in chains for step in chain.steps):
        for name, kind in zip(step.columns, step.kinds, strict=True):
            kinds.setdefault(name, kind)
    for name in view.known.names:
        kinds.setdefault(name, view.known[name].kind)
    columns = {name: _cells(view.known[name], kinds[name]) for name in view.known.names}
    levels = {
        name: _levels_there(view.known[name])
        for name, kind in kinds.items()
        if kind == "ordinal" and not _is_number(columns[name])
    }
    hierarchies = {name: paths for name in view.known.names if (paths := view.known[name].hierarchy)}
    return Microdata(pa.table(columns), kinds=kinds, levels=levels, hierarchies=hierarchies)


def _cells(values: Values, kind: str) -> pa.Array:
    """The cells of a column; amounts of whole numbers are whole numbers, for methods round these."""
    if values.levels is None:
        return _amounts(values.numbers)
    cells = [None if code < 0 else values.levels[code] for code in values.data.tolist()]
    if kind == "continuous":
        return _amounts(np.array([np.nan if cell is None else float(cell) for cell in cells]))
    return pa.array(cells)


def _amounts(numbers: Floats) -> pa.Array:
    there = numbers[~np.isnan(numbers)]
    whole = bool((there == np.round(there)).all()) and bool((np.abs(there) < 2**53).all())
    return pa.array(numbers, pa.int64() if whole else pa.float64(), mask=np.isnan(numbers), safe=False)


def _levels_there(values: Values) -> list[object]:
    codes: Ints = np.unique(values.data[values.data >= 0])
    assert values.levels is not None
    return [values.levels[code] for code in codes.tolist()]


def _is_number(column: pa.Array) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))
