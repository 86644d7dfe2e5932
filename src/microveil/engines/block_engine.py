"""The engine `blocks`: a plan on files larger than memory, from a key to a folder of files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput, BrokenPromise, NothingHidden
from microveil.core.streams import Key, Streams
from microveil.data.schema import check_levels
from microveil.engines.file_release import FileRelease
from microveil.engines.files import BLOCK_ROWS
from microveil.engines.linking import Linking
from microveil.engines.part_files import PartFile, Staged, beside, check_folder, staged, write_parts
from microveil.engines.passing import InBlocks
from microveil.engines.promises_kept import Judged, Judging
from microveil.engines.putting import put_all
from microveil.engines.refusing import ORDER_IN_MEMORY, refuse_before_reading
from microveil.engines.released_columns import Columns, ToLook
from microveil.engines.scanning import Scan
from microveil.engines.shuffling import Shuffle
from microveil.engines.survey import Survey, find_nothing_hidden, judge_rules, ledger_of
from microveil.engines.unstated_roles import refuse_unstated_in_blocks
from microveil.engines.workers import HERE, Threads, Workers
from microveil.io.permitting import WEAK_SEED
from microveil.run.as_they_are import tell_passed_over
from microveil.run.contract import Step
from microveil.run.looking import note_originals
from microveil.run.promises import Promise
from microveil.run.restoring import note_emptied
from microveil.run.rounded_away import complaints, give_up_rounded, rounding_notes
from microveil.run.state import Path as StreamPath
from microveil.run.state import State
from microveil.run.steps import Progress
from microveil.run.unchanged import notes_on
from microveil.run.weight_notes import note_totals

_NOT_MEASURED = (
    "not measured on a file in blocks: how many records the columns that stay single out, whether values of an "
    "identifier have several records each, and what is proven about linking"
)


class EngineOfBlocks(Protocol):
    """What engines for files in blocks differ in: who works on the blocks, and how records come into random order."""

    name: ClassVar[str]

    @property
    def block_rows(self) -> int:
        """How many rows a block has."""

    def working(self) -> AbstractContextManager[Workers]:
        """Those who work on blocks, for as long as it takes."""

    def write(
        self, passing: InBlocks, survey: Survey, columns: Columns, folder: Path, held: Path
    ) -> tuple[str, list[PartFile]]:
        """Write the files of the release; its fingerprint in the order of the source, and what was written.

        `held` is a folder for what is kept meanwhile.
        """

    def run(
        self,
        source: Scan,
        steps: Sequence[Step],
        key: Key,
        into: Path,
        *,
        paths: Sequence[StreamPath] | None = None,
        reproducible: bool = False,
        progress: Progress | None = None,
    ) -> FileRelease:
        """Run the steps and write the release; every promise that blocks tell is checked before a file is there."""
        return run_in_blocks(self, source, steps, key, into, paths, reproducible, progress)


@dataclass(frozen=True)
class BlockEngine(EngineOfBlocks):
    """Takes a file in blocks of rows, one for each thread at a time; what comes out depends on neither."""

    name: ClassVar[str] = "blocks"

    threads: int = 1
    block_rows: int = BLOCK_ROWS

    def __post_init__(self) -> None:
        check_counts(threads=self.threads, block_rows=self.block_rows)

    @contextmanager
    def working(self) -> Iterator[Workers]:
        """The threads that work on blocks."""
        yield Threads(self.threads)

    def write(
        self, passing: InBlocks, survey: Survey, columns: Columns, folder: Path, held: Path
    ) -> tuple[str, list[PartFile]]:
        """Write the records of all blocks in random order."""
        with Shuffle(held, passing.streams, survey.released) as shuffle:
            fingerprint = put_all(passing, survey, columns, shuffle)
            names = [str(name) for name in columns.looked.kept]
            return fingerprint, write_parts(folder, shuffle.tables(names), survey.released, self.threads)


def check_counts(**given: int) -> None:
    """Refuse settings of an engine that are no counts."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadInput(f"{name} must be a whole number of 1 or more; {value!r} was given")


def run_in_blocks(
    engine: EngineOfBlocks,
    source: Scan,
    steps: Sequence[Step],
    key: Key,
    into: Path,
    paths: Sequence[StreamPath] | None,
    reproducible: bool,
    progress: Progress | None,
) -> FileRelease:
    """Run the steps and write the release; every promise that blocks tell is checked before a file is there."""
    refuse_before_reading(steps, source.n)
    refuse_facts(source)
    check_folder(into)
    if not key.strong and not reproducible:
        raise BadInput(WEAK_SEED)
    by_number: list[StreamPath] = [("step", number) for number in range(1, len(steps) + 1)]
    todo = list(zip(steps, by_number if paths is None else paths, strict=True))
    source.files.refuse_changed()
    with engine.working() as workers, staged(into) as stage:
        own = source.worked_by(workers)
        streams = Streams(key.for_data(own.mark))
        held = stage.held.absolute()
        passing = InBlocks(own, streams, engine.block_rows, workers, folder=held, order_in_memory=ORDER_IN_MEMORY)
        for number, (step, path) in enumerate(todo, start=1):
            if progress is not None:
                progress(step.method.name, number, len(steps) + 1)
            passing = passing.learn(step, tuple(path))
        if progress is not None:
            progress("writing", len(steps) + 1, len(steps) + 1)
        return _finish(engine, passing, key, into, stage, reproducible)


def refuse_facts(source: Scan) -> None:
    """One sentence for what only a file in memory can be protected with."""
    homes = source.facts.names("household")
    if homes:
        raise BadInput(
            f"{homes[0]!r} holds households, whose numbers are drawn anew over all records; on a file in blocks give "
            "it the role identifier, which leaves it out, or run in memory with engine='memory'"
        )
    dated = next((edit for edit in source.facts.edits if source.facts.is_of_days(edit)), None)
    if dated is not None:
        raise BadInput(
            f"the edit {str(dated)!r} is about dates, which is counted over a file in memory alone; on a file in "
            "blocks leave it out, or run with engine='memory'"
        )
    ruled = {name for edit in source.facts.edits for name in edit.columns}
    if ruled and source.integers == "round":
        raise BadInput(
            f"the edits are about {', '.join(sorted(map(str, ruled)))}, and amounts are rounded inside the edits over "
            "all records together; on a file in blocks state integers='keep exact', or run with engine='memory'"
        )


def _finish(
    engine: EngineOfBlocks, passing: InBlocks, key: Key, into: Path, stage: Staged, reproducible: bool
) -> FileRelease:
    source = passing.source
    amounts = _changed_amounts(passing)
    look = ToLook.at(source, amounts)
    survey = passing.gather(lambda passed: Survey.of(passed, look))
    state, broken_rules = judge_rules(ledger_of(passing, survey.steps), survey.rules)
    for name, values in state.changed.items():
        if values.kind == "ordinal":
            check_levels(name, values.levels)  # classes of large amounts may be called alike
    columns = look.decide(
        survey.columns,
        state.promises,
        lambda name: passing.gather(lambda passed: look.strangers(passed.state, name)).values,
    )
    judging = Judging(passing, columns)
    unchecked = tuple(promise for promise in state.promises if not judging.can_judge(promise))
    state = replace(state, promises=tuple(one for one in state.promises if one not in unchecked))
    verdicts = judging.verdicts(state.promises)
    judged = [promise for promise, _ in verdicts]
    unchecked += tuple(promise for promise in state.promises if promise not in judged)
    state = replace(state, promises=tuple(one for one in state.promises if one in judged))
    state, destroyed = give_up_rounded(state, verdicts, lambda suspects: judging.verdicts(suspects, exact=True))
    source.files.refuse_changed()  # what would break promises too
    kept = [(promise, verdict) for promise, verdict in verdicts if promise in state.promises]
    broken = complaints(state, kept)
    if broken:
        raise BrokenPromise("; ".join(broken))
    _refuse_unprotected(passing, state, survey, columns)
    fingerprint, parts = engine.write(passing, survey, columns, stage.new, stage.held)
    if sum(part.rows for part in parts) != survey.released:
        raise BrokenPromise("the files hold another number of records than the release; nothing was written")
    source.files.refuse_changed()
    notes = _notes(state, survey, columns, key, source, unchecked, broken_rules)
    return FileRelease(
        source,
        into,
        tuple(parts),
        survey.released,
        fingerprint,
        state.steps,
        state.promises,
        (*state.lost, *destroyed),
        unchecked,
        state.unchanged,
        tuple(state.changed),
        (*notes, *rounding_notes(kept)),
        key,
        engine.name,
        partial(_judge_again, engine, judging, state.promises),
        reproducible,
        Linking(passing.streams, survey.released, _rows_of(engine, passing, survey), into, _makes_records(survey)),
        engine.working,
        frozenset(promise for promise, verdict in kept if not verdict.exactly),
    )


def _judge_again(engine: EngineOfBlocks, judging: Judging, promises: Sequence[Promise], into: Path) -> Judged:
    """What is found of promises by whoever works on blocks then: those of the run may be gone.

    What steps held on disk was removed with the run: they are run again, in a hidden folder beside the release.
    """
    with _passing_again(engine, judging.passing, into) as passing:
        return replace(judging, passing=passing).verdicts(promises)


@contextmanager
def _passing_again(engine: EngineOfBlocks, before: InBlocks, into: Path) -> Iterator[InBlocks]:
    """The same passes by whoever works then; steps that held records on disk are run again."""
    with engine.working() as workers, beside(into) as folder:
        own = before.source.worked_by(workers)
        passing = replace(before, source=own, workers=workers, learnt=(), folder=folder.absolute())
        for one in before.learnt:
            if not one.on_disk:
                passing = replace(passing, learnt=(*passing.learnt, one))
            else:
                passing = passing.learn(one.step, one.path)
        yield passing


def _rows_of(engine: EngineOfBlocks, passing: InBlocks, survey: Survey) -> Callable[[Ints, Path], Ints]:
    """Which released record each of some records of the source became."""
    if _makes_records(survey):
        return lambda places, _: np.full(len(places), -1, dtype=np.int64)
    if survey.released == passing.source.n:
        return lambda places, _: places  # none was left out
    starts = survey.starts()

    def rows(places: Ints, into: Path) -> Ints:
        found = np.full(len(places), -1, dtype=np.int64)
        with _passing_again(engine, passing, into) as again:
            for first, origin in again.each(lambda passed: (passed.first, passed.state.origin)):
                at = np.searchsorted(places, first + origin)
                own = np.flatnonzero(places[np.minimum(at, len(places) - 1)] == first + origin)
                found[at[own]] = starts[first] + own
        return found

    return rows


def _changed_amounts(passing: InBlocks) -> list[str]:
    """The columns of amounts that hold new values: those of a small block tell which."""
    for state in replace(passing, rows=1024, workers=HERE).each(lambda passed: passed.state):
        if len(state.origin):
            return [name for name, values in state.changed.items() if values.levels is None]
    raise BadInput("no record is left to release")


def _refuse_unprotected(passing: InBlocks, state: State, survey: Survey, columns: Columns) -> None:
    """What stays here: columns or records as they were, and columns that look like identifiers unnoticed."""
    exposed = find_nothing_hidden(passing, state, survey, columns)
    if exposed:
        for text in exposed:
            warnings.warn(text, NothingHidden, stacklevel=5)
        raise BrokenPromise(f"{'; '.join(exposed)}; nothing was written")
    refuse_unstated_in_blocks(passing, state, survey, columns)


def _notes(
    state: State,
    survey: Survey,
    columns: Columns,
    key: Key,
    source: Scan,
    unchecked: Sequence[Promise],
    broken_rules: Sequence[str],
) -> Iterator[str]:
    total, now = survey.weights
    for name in source.facts.names("weight"):
        yield from note_totals(name, source.n - survey.released, total, now)
    yield from source.files.notes
    yield from broken_rules
    yield from state.notes
    yield from columns.told
    yield from notes_on(state.unchanged)
    yield from note_originals(state)
    yield from columns.notes
    for promise in unchecked:
        who = state.steps[promise.step].method.name
        yield f"promised by {who} and not checked, since blocks do not tell it: {promise}"
    lost = source.facts.names("weight") if not now else ()  # of records that a step changed before others were made
    emptied = [name for name in source.columns if name not in state.changed or name in lost]
    emptied = emptied if _makes_records(survey) else []
    if emptied:
        yield note_emptied(emptied)
    left = [name for name in _left_as_they_are(state, survey, source) if name not in emptied]
    if left:
        yield f"released as they are: {', '.join(map(str, left))}"
    yield from tell_passed_over(state, {*source.facts.names("identifier"), *emptied})
    yield _NOT_MEASURED
    if not key.strong:
        yield "the seed is not a strong key: it is fine for tests, not for a real release"


def _makes_records(survey: Survey) -> bool:
    return any(one.new_rows for one in survey.steps)


def _left_as_they_are(state: State, survey: Survey, source: Scan) -> list[str]:
    hidden = set(source.facts.names("identifier"))
    whole = {name for name, cells in survey.cells.items() if 0 < cells.cells == cells.same}
    return [name for name in source.columns if name not in hidden and (name not in state.changed or name in whole)]
