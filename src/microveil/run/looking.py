"""What a finished state shows of the source: cells and whole records that are as they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.data.table import Values
from microveil.run.contract import StepRecord
from microveil.run.copies import Copies, count_copies, same_records
from microveil.run.digits import are_copies, round_as_written
from microveil.run.state import State
from microveil.run.unchanged import hidden_nothing, is_constant

_MOST = 0.5


def share_unchanged(state: State) -> dict[str, float]:
    """The share of observed original cells that the release holds as they were, by column acted on."""
    rows = np.flatnonzero(state.origin >= 0)
    if not len(rows):
        return {}
    acted_on = _acted_on(state)
    shares = {}
    for name in dict.fromkeys((*state.changed, *acted_on)):
        same = _same_observed(state, name, rows)
        shares[name] = float(same.mean()) if len(same) else 0.0
    return shares


def find_nothing_hidden(state: State) -> tuple[str, ...]:
    """Sentences on what came back whole: columns that a step was to protect, or all records of the file."""
    found = hidden_nothing(state.unchanged) or _restored_columns(state)
    if not found and state.changed and _is_the_original(state):
        found = (tell_all_came_back(state.steps),)
    return found


def tell_all_came_back(steps: Sequence[StepRecord]) -> str:
    """The sentence on a release that holds the records of the file."""
    names = " then ".join(step.method.name for step in steps)
    return f"{names} released every original record as it was, at most in another order: nothing is protected"


def _acted_on(state: State) -> list[str]:
    """The columns that steps were to change, whatever they hold; of several steps several times."""
    return [
        name
        for step in state.steps
        for name, kind in zip(step.columns, step.kinds, strict=True)
        if not step.method.may_spare(kind)
    ]


def _restored_columns(state: State) -> tuple[str, ...]:
    """A sentence on columns that several steps changed and that are the original's in the end."""
    acted_on = _acted_on(state)
    repeated = {name for name in acted_on if acted_on.count(name) > 1}
    rows = np.arange(len(state.origin))  # one without an original has no cell there to compare with
    whole = []
    for name in sorted(repeated, key=str):
        same = _same_observed(state, name, rows)
        if len(same) and same.all() and not is_constant(_columns(state, name)[0]):
            whole.append(repr(name))
    names = " then ".join(step.method.name for step in state.steps)
    return (f"{names} left every value of {', '.join(whole)} as it was: nothing is protected there",) if whole else ()


def find_redrawn(state: State) -> tuple[str, ...]:
    """Columns of amounts of which most released values do not occur in the source: means, noise, drawn numbers."""
    found = []
    for name, values in state.changed.items():
        if values.levels is not None:
            continue
        before, after = (column.data[~column.missing] for column in _columns_as_written(state, name))
        if are_redrawn(np.isin(after, before)):
            found.append(name)
    return tuple(found)


def are_redrawn(occurring: Bools) -> bool:
    """Return whether released values are new ones, given which of them occur in the source."""
    return bool(len(occurring)) and bool(occurring.mean() < _MOST)


def note_originals(state: State) -> tuple[str, ...]:
    """A note on a release whose records are originals, only fewer of them."""
    acted_on = {name for step in state.steps for name in step.columns}
    technical = set(state.source.names("weight", "household", "stratum", "identifier"))
    if acted_on | (set(state.changed) - technical) or state.synthetic:
        return ()
    return ("the released records are original records as they were; only the others were left out",)


def count_copied_records(state: State) -> Copies | None:
    """How many synthetic records equal an original on all columns that were synthesised; None without any."""
    made = np.flatnonzero(state.origin < 0)
    if not len(made) or not state.changed:
        return None
    # amounts first: they tell soonest that records are new
    names = sorted(state.changed, key=lambda name: state.changed[name].levels is not None)
    pairs = (_columns_as_written(state, name) for name in names)
    return count_copies((before, after.at(made)) for before, after in pairs)


def _is_the_original(state: State) -> bool:
    """Whether the released records are those of the source; identifiers and household numbers are not released."""
    hidden = set(state.source.names("identifier", "household"))
    # those that changed first: they tell soonest
    names = [name for name in dict.fromkeys((*state.changed, *state.source.columns)) if name not in hidden]
    return bool(names) and same_records(_columns_as_written(state, name) for name in names)


def _same_observed(state: State, name: str, rows: Ints) -> Bools:
    """For the observed original cells behind some rows: whether the release holds them as they were."""
    before, after = _columns(state, name)
    before = before.at(state.origin[rows])
    return state.same_cells(name, before, after.at(rows))[~before.missing]


def _columns(state: State, name: str) -> tuple[Values, Values]:
    """A column of the source and of the release."""
    after = state.values(name)
    return state.source.values(name, "continuous" if after.levels is None else None), after


def _columns_as_written(state: State, name: str) -> tuple[Values, Values]:
    """The same, the latter in the digits it will have: rounded, unless its finer values are all the source's own."""
    before, after = _columns(state, name)
    if name in state.changed and after.levels is None and before.levels is None:
        rounded = round_as_written(state.source, name, after.data)
        finer = np.asarray((rounded != after.data) & ~after.missing, dtype=np.bool_)
        if finer.any() and not are_copies(after.data, finer, before.data, state.origin):
            after = after.with_data(rounded)
    return before, after
