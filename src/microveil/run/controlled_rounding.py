"""New amounts in the digits of the source, rounded so that sums of groups stay and no rule of the data is broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from microveil.claims import EqualStayEqual, OneToOne, OrderKept, TailsAtLeast, ValuesAtLeast
from microveil.claims.groups import RowsAlike
from microveil.core.arrays import Floats, Ints
from microveil.core.words import counted
from microveil.data.units import round_to
from microveil.run.digits import unit_of
from microveil.run.inside_rules import RoundedInside
from microveil.run.state import State

_OF_COLUMNS = (EqualStayEqual, OneToOne, OrderKept, TailsAtLeast, ValuesAtLeast)
_WHOLE = 1e-3  # of a unit: what doubles may be off by in a sum
_OFTEN = 0.1  # of the sums: by chance one in 500 would be so near to a whole number


class Rounded(NamedTuple):
    """The state with rounded amounts, by how much at most each column was moved, and what to tell."""

    state: State
    moved_by: dict[str, float]
    notes: tuple[str, ...]


def round_inside_rules(state: State) -> Rounded:
    """Computed amounts of which rules speak in the units of the source.

    Sums of groups stay, and a rule that held before is not broken by rounding; totals are computed anew from their
    rounded parts. Where equal records are promised, equal values are rounded alike, and sums move. Columns without a
    rule are rounded as usual, later.
    """
    edits = [edit for edit in state.source.edits_of_amounts if any(_is_computed(state, name) for name in edit.columns)]
    units = {name: unit_of(state.source, name) for edit in edits for name in edit.columns if _is_computed(state, name)}
    known = {name: unit for name, unit in units.items() if unit is not None}
    if not known:
        return Rounded(state, {}, ())
    amounts = {name: state.values(name).numbers for edit in edits for name in edit.columns if _is_amount(state, name)}
    rules = [edit for edit in edits if set(edit.columns) <= set(amounts)]
    alike = [columns for columns in _alike(state) if columns & set(known)]
    # a row is moved with all that are like it, which needs a rule that says the same of them
    apart = [
        edit for edit in rules if any(set(edit.columns) & same and not set(edit.columns) <= same for same in alike)
    ]
    rounding = RoundedInside(amounts, known, rules, () if alike else _sums_in(state, amounts, known), apart)
    rounding.run()
    columns = {name: state.changed[name].with_data(rounding.now[name]) for name in known}
    moved_by = {name: _largest(np.abs(rounding.now[name] - amounts[name])) for name in known}
    return Rounded(replace(state, changed={**state.changed, **columns}), moved_by, _notes(rounding))


def _alike(state: State) -> list[set[str]]:
    """Sets of columns whose rows, where they are equal, must be rounded alike, because a promise is about that."""
    claims = [promise.claim for promise in state.promises]
    rows = [set(claim.columns) for claim in claims if isinstance(claim, RowsAlike)]
    return [*rows, *({name} for claim in claims if isinstance(claim, _OF_COLUMNS) for name in claim.columns)]


def _largest(moved: Floats) -> float:
    return float(moved[~np.isnan(moved)].max(initial=0.0))


def _notes(rounding: RoundedInside) -> tuple[str, ...]:
    if not rounding.within or not rounding.rules:
        return ()
    listed = ", ".join(rounding.units)
    sums = "sums of groups" if len(rounding.within) > 1 else "sums"
    told = [f"{listed}: rounded to the digits of the source so that {sums} stay, and rules where they can"]
    if rounding.sums_moved:
        told.append(f"{counted(rounding.sums_moved, 'sum')} moved by a unit or more so that a rule holds")
    return tuple(told)


def _is_amount(state: State, name: str) -> bool:
    return state.values(name).levels is None


def _is_computed(state: State, name: str) -> bool:
    """Whether most new values of a column are no values of the source: others are in its digits already."""
    if name not in state.changed or not _is_amount(state, name):
        return False
    unit = unit_of(state.source, name)
    numbers = state.changed[name].numbers
    return unit is not None and bool((round_to(numbers, unit) != numbers)[~np.isnan(numbers)].any())


def _sums_in(state: State, amounts: Mapping[str, Floats], units: Mapping[str, int]) -> tuple[Ints, ...]:
    """The groups of the last step that formed some, if it kept their sums; then the subdomains of the last step."""
    by = state.steps[-1].step.by
    domains = state.domain_of_rows(by) if by else np.zeros(len(state.origin), dtype=np.int64)
    domains = domains if (domains >= 0).all() else np.zeros(len(state.origin), dtype=np.int64)
    if not state.groupings:
        return (domains,)
    labels = state.groupings[max(state.groupings)]
    if not (labels >= 0).all() or not _are_sums_whole(labels, amounts, units):
        return (domains,)
    return (labels, domains)


def _are_sums_whole(labels: Ints, amounts: Mapping[str, Floats], units: Mapping[str, int]) -> bool:
    """Whether sums of groups are in whole units, as those of the source are but for a few values in finer digits."""
    sums = np.array([np.bincount(labels, np.nan_to_num(amounts[name])) / 10.0**unit for name, unit in units.items()])
    return bool((np.abs(sums - np.rint(sums)) < _WHOLE).mean() > _OFTEN)
