"""One look at all blocks after all steps: what was claimed and counted, and how columns come back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.claims import EditHolds
from microveil.core.arrays import Ints
from microveil.core.edits import Edit
from microveil.data.canonical import canonical
from microveil.data.table import Values
from microveil.engines.merging import merged
from microveil.engines.passing import InBlocks, LearntStep, Passed
from microveil.engines.released_columns import Columns, ColumnsSeen, ToLook
from microveil.engines.step_seen import SameCells, StepSeen, count_same
from microveil.run.contract import Step, StepRecord
from microveil.run.copies import RecordSums
from microveil.run.digits import round_as_written
from microveil.run.edit_notes import tell_broken, tell_recoded
from microveil.run.looking import tell_all_came_back
from microveil.run.promises import Promise
from microveil.run.restoring import restore
from microveil.run.state import State
from microveil.run.unchanged import hidden_nothing


@dataclass(frozen=True)
class Survey:
    """What was seen of all blocks."""

    rows: Mapping[int, int]  # released of each block, by the place of the block
    steps: tuple[StepSeen, ...]
    columns: ColumnsSeen
    cells: Mapping[str, SameCells]  # of the release beside the source
    differing: int  # records that are not the original's on all released columns
    # of one column that a step acted on, as it is and as it may be rounded: other sums tell that the records are others
    moved: tuple[RecordSums, RecordSums]
    weights: tuple[float, float]  # before and after
    rules: Mapping[Edit, tuple[int, int]]  # records that break each, before and after
    wide: frozenset[str]  # the columns of which some values need more than a double or a microsecond still

    @classmethod
    def of(cls, passed: Passed, look: ToLook) -> Survey:
        """One block."""
        state, source = passed.state, passed.begun.source
        steps = tuple(StepSeen.of(passed, number, look.source.n) for number in range(len(passed.steps)))
        acted_on = dict.fromkeys((*(name for step in state.steps for name in step.columns), *state.changed))
        differs = np.zeros(len(state.origin), dtype=np.bool_)
        cells = {}
        for name in acted_on:
            after = state.values(name)
            before = source.values(name, "continuous" if after.levels is None else None).at(state.origin)
            same = state.same_cells(name, before, after)
            if name in look.kept:
                differs |= ~same & ~(before.missing & after.missing)
            places = passed.first + state.origin
            cells[name] = count_same(before, same, None, 0, places, look.source.n)
        moved = [name for name in acted_on if name in look.kept][:1]
        weights = source.weights
        now = 0.0
        for name in source.names("weight"):
            now = float(np.nansum(state.values(name, "continuous").numbers)) if _is_amount(state, name) else 0.0
        return cls(
            {passed.first: len(state.origin)},
            steps,
            look.look(passed),
            cells,
            int(np.count_nonzero(differs)),
            (RecordSums.of(whole_columns(passed, moved, ())), RecordSums.of(whole_columns(passed, moved, moved))),
            (0.0 if weights is None else float(weights.sum()), now),
            {edit: _count_broken(edit, state) for edit in source.edits},
            _wide(state, look.source.wide),
        )

    def merge(self, other: Survey) -> Survey:
        """Of the blocks of both."""
        return Survey(
            {**self.rows, **other.rows},
            tuple(one.merge(two) for one, two in zip(self.steps, other.steps, strict=True)),
            self.columns.merge(other.columns),
            merged(self.cells, other.cells, SameCells.merge),
            self.differing + other.differing,
            (self.moved[0].merge(other.moved[0]), self.moved[1].merge(other.moved[1])),
            (self.weights[0] + other.weights[0], self.weights[1] + other.weights[1]),
            merged(self.rules, other.rules, lambda a, b: (a[0] + b[0], a[1] + b[1])),
            self.wide | other.wide,
        )

    @property
    def released(self) -> int:
        """The number of released records."""
        return sum(self.rows.values())

    def starts(self) -> dict[int, int]:
        """How many released records stand before those of each block."""
        places = sorted(self.rows)
        before = np.cumsum([0, *(self.rows[place] for place in places)])
        return dict(zip(places, before.tolist(), strict=False))


def whole_columns(passed: Passed, names: Sequence[str], rounded: Collection[str]) -> list[tuple[Values, Values]]:
    """Columns of one block as all its originals have them and as they are released, some of them in its digits."""
    state, source = passed.state, passed.begun.source
    found = []
    for name in names:
        after = state.values(name)
        before = source.values(name, "continuous" if after.levels is None else None)
        if name in rounded and after.levels is None and before.levels is None:
            after = after.with_data(round_as_written(source, name, after.data))
        found.append((before, after))
    return found


def _count_broken(edit: Edit, state: State) -> tuple[int, int]:
    before = edit.broken({name: state.source.values(name).numbers for name in edit.columns})
    if not all(_is_amount(state, name) for name in edit.columns):
        return int(np.count_nonzero(before)), 0
    after = edit.broken({name: state.values(name).numbers for name in edit.columns})
    return int(np.count_nonzero(before)), int(np.count_nonzero(after))


def _wide(state: State, names: frozenset[str]) -> frozenset[str]:
    """Those of some columns in which a released value needs a wider form still."""
    if not names or not len(state.origin):
        return frozenset()
    frame = restore(state).frame.to_native()
    return frozenset(name for name in names if canonical(frame[name], name).wide)


def _is_amount(state: State, name: str) -> bool:
    return state.changed[name].levels is None if name in state.changed else state.source.kinds[name] == "continuous"


# -- what is promised, told and counted -------------------------------------------------------------


def ledger_of(passing: InBlocks, seen: Sequence[StepSeen]) -> State:
    """The state after all steps but for its records: promises, notes, and what came back."""
    _, first = next(iter(passing.source.blocks(1)))
    state = State.begin(first)
    for number, (learnt, one) in enumerate(zip(passing.learnt, seen, strict=True)):
        state = _after(state, learnt, one, number, passing, any(earlier.new_rows for earlier in seen[:number]))
    return state


def _after(state: State, learnt: LearntStep, seen: StepSeen, number: int, passing: InBlocks, saw_made: bool) -> State:
    step = learnt.step
    record = state.record_of(state.prepare(step, passing.streams.at(*learnt.path)), learnt.notes)
    texts = passing.source.known.domains(step.by).texts if step.by else ()
    labels = dict(enumerate(texts)) if step.by else {-1: ""}
    found = seen.outcome(record, learnt, state, labels)
    promises, lost = state.promises_after(
        record, found, _reference(learnt, saw_made), same_rows=seen.same_rows, new_rows=seen.new_rows
    )
    notes = (*record.notes, *found.notes)
    ran = step
    if not step.by:
        ran = Step(step.method.as_run(found.tallies), step.columns, step.given, step.by, step.missing)
    as_run: StepRecord = replace(record, step=ran, notes=notes, records=seen.rows)
    return replace(
        state,
        changed={**state.changed, **found.columns},
        promises=promises,
        lost=(*state.lost, *lost),
        unchanged=(*state.unchanged, *seen.unchanged(record, number, texts, state)),
        steps=(*state.steps, as_run),
        notes=(*state.notes, *notes),
    )


def judge_rules(state: State, rules: Mapping[Edit, tuple[int, int]]) -> tuple[State, list[str]]:
    """The state with a promise for every rule about changed columns that holds, and notes on those that do not."""
    notes, fresh = [], []
    for edit, (before, after) in rules.items():
        if not any(name in state.changed for name in edit.columns):
            continue
        recoded = [name for name in edit.columns if not _is_amount(state, name)]
        if recoded:
            notes.append(tell_recoded(edit, recoded))
        elif after:
            notes.append(tell_broken(edit, after, before, state))
        else:
            fresh.append(Promise(EditHolds.of(edit), step=len(state.steps) - 1))
    told = {promise.claim for promise in state.promises}
    return replace(state, promises=(*state.promises, *(one for one in fresh if one.claim not in told))), notes


def _reference(learnt: LearntStep, saw_made: bool) -> Ints | None:
    """As many records as the step saw, None where it saw all; which they were is known in the blocks.

    Of made records (-1) there are no originals, so that nothing is promised beside these.
    """
    if learnt.saw_all and not saw_made:
        return None
    # one number that is shown so often: it takes no memory
    return np.broadcast_to(np.int64(-1 if saw_made else 0), (sum(learnt.sizes.values()),))


def find_nothing_hidden(passing: InBlocks, state: State, survey: Survey, columns: Columns) -> tuple[str, ...]:
    """Sentences on what came back whole: columns that a step was to protect, or every record in whatever order."""
    found = hidden_nothing(state.unchanged)
    if found:
        return found
    names = " then ".join(step.method.name for step in state.steps)
    acted_on = [
        name
        for step in state.steps
        for name, kind in zip(step.columns, step.kinds, strict=True)
        if not step.method.may_spare(kind)
    ]
    repeated = sorted({name for name in acted_on if acted_on.count(name) > 1 and survey.cells[name].all_same}, key=str)
    if repeated:
        listed = ", ".join(map(repr, repeated))
        return (f"{names} left every value of {listed} as it was: nothing is protected there",)
    if not state.changed or survey.released != passing.source.n:
        return ()
    if survey.differing and any(sums.same for sums in survey.moved):
        # the one column has the values that it had: a pass over all of them tells whether the records are the same
        kept, rounded = columns.looked.kept, columns.rounded
        whole = passing.gather(lambda passed: RecordSums.of(whole_columns(passed, kept, rounded))).same
    else:
        whole = not survey.differing
    return (tell_all_came_back(state.steps),) if whole else ()
