"""What became of the rules of the data: those that hold in a release are promised, the others are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microveil.claims import EditHolds
from microveil.core.arrays import Floats
from microveil.core.edits import Edit
from microveil.core.words import counted
from microveil.data import frames
from microveil.run.promises import Promise
from microveil.run.state import State

_EXACT = "integers='keep exact', with columns of 64 bits, keeps it"


def judge_edits(state: State, frame: frames.Frame) -> tuple[State, tuple[str, ...]]:
    """The state with a promise for every rule that holds in the frame of its rows, and notes on those that do not.

    Rules about columns that no step changed are the original's business, unless only some of its records are released:
    then those that these keep are promised. A rule that a method kept, and that a later
    step or rounding to the digits of the source breaks, is not promised any more.
    """
    promised = {promise.claim: promise.step for promise in state.promises}
    fresh, notes, given_up = [], [], set()
    for edit in state.source.edits:
        untouched = not any(name in state.changed for name in edit.columns)
        if untouched and len(state.origin) == state.source.n:
            continue
        if state.source.is_of_days(edit):
            notes += [] if untouched else _judge_days(edit, state, frame)
            continue
        recoded = [name for name in edit.columns if state.values(name).levels is not None]
        if recoded:
            notes.append(tell_recoded(edit, recoded))
            continue
        broken, claim = _count_broken(edit, state, frame), EditHolds.of(edit)
        if broken and claim in promised:
            later = {name for record in state.steps[promised[claim] + 1 :] for name in record.columns}
            if later & set(edit.columns):
                given_up.add(claim)
                notes.append(tell_broken(edit, broken, len(state.source.broken_edits().get(edit, ())), state))
            elif not _breaks_before_rounding(edit, state):
                given_up.add(claim)
                breaks = f"{counted(broken, 'record')} {'breaks' if broken == 1 else 'break'}"
                notes.append(f"{breaks} the rule {str(edit)!r} by the digits of the file; {_EXACT}")
        elif broken:
            notes += (
                [] if untouched else [tell_broken(edit, broken, len(state.source.broken_edits().get(edit, ())), state)]
            )
        elif claim not in promised:
            fresh.append(Promise(claim, step=len(state.steps) - 1))
    lasting = tuple(promise for promise in state.promises if promise.claim not in given_up)
    return replace(state, promises=(*lasting, *fresh)), tuple(notes)


def _judge_days(edit: Edit, state: State, frame: frames.Frame) -> list[str]:
    """What became of a rule about dates, which is counted in the released values: no method promises it."""
    read = {name: state.source.read_for_rules(frame.get_column(name), name) for name in edit.columns}
    columns = {name: numbers for name, numbers in read.items() if numbers is not None}
    if len(columns) < len(read):
        return [tell_recoded(edit, [name for name in read if name not in columns])]
    broken = int(np.count_nonzero(edit.broken(columns)))
    if not broken:
        return []
    before = len(state.source.broken_edits().get(edit, ()))
    had = f" (of the original {before:,})" if before else ""
    told = f"{counted(broken, 'record')} {'breaks' if broken == 1 else 'break'} the rule {str(edit)!r}{had}"
    why = (
        "dates that are redrawn one by one do not fit together; blocks of micro-hybrid keep values of a record together"
    )
    return [f"{told}: {why}, such as blocks: [[{', '.join(map(str, edit.columns))}]]"]


def tell_recoded(edit: Edit, recoded: list[str]) -> str:
    """That a rule is about amounts which are classes now."""
    return f"the rule {str(edit)!r} means nothing any more: {', '.join(recoded)} came back as classes"


def _breaks_before_rounding(edit: Edit, state: State) -> bool:
    return bool(edit.broken({name: state.values(name).numbers for name in edit.columns}).any())


def _count_broken(edit: Edit, state: State, frame: frames.Frame) -> int:
    columns = {
        name: _as_read(frames.numbers_to_read(frame.get_column(name), name, state.source.schema[name].missing), single)
        for name, single in ((name, str(frame.schema[name]) == "Float32") for name in edit.columns)
    }
    return int(np.count_nonzero(edit.broken(columns)))


def _as_read(numbers: Floats, single: bool) -> Floats:
    """The numbers as somebody reads them from a text: those of 32 bits are written with fewer digits than they have."""
    if not single:
        return numbers
    values, places = np.unique(numbers.astype(np.float32), return_inverse=True)
    return values.astype(str).astype(np.float64)[places.reshape(-1)]


def tell_broken(edit: Edit, broken: int, before: int, state: State) -> str:
    """How many records break a rule, how many of the original did, and what helps."""
    had = f" (of the original {before:,})" if before else ""
    beside = {name for record in state.steps for name in record.given}
    stayed = [name for name in edit.columns if name not in state.changed and name not in beside]
    remedy = "micro-hybrid, and cholesky-hybrid with core: feasible, keep rules"
    if stayed:
        remedy = (
            f"{' and '.join(stayed)} stayed: protect the columns of a rule in one step, or keep these beside it (given)"
        )
    elif state.steps[-1].method.name != "repair":
        remedy += ", the method repair as the last step mends records"
    return f"{counted(broken, 'record')} {'breaks' if broken == 1 else 'break'} the rule {str(edit)!r}{had}; {remedy}"
