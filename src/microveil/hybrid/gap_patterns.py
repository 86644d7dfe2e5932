"""Numbers with gaps: records with the same gaps are protected together, so that the gaps tell nobody apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim
from microveil.core.progress import within
from microveil.core.words import counted
from microveil.data.table import Table, Values
from microveil.hybrid.clusters import job_in, numbered_through
from microveil.hybrid.nesting_notes import broken_nestings
from microveil.hybrid.range_notes import outside_range
from microveil.run.method import Job, Outcome

Rows = NDArray[np.int64]
Bool = NDArray[np.bool_]

_NOTES_OF = 2  # patterns whose own notes are shown; the others are smaller


@dataclass(frozen=True)
class _Pattern:
    """The records that lack the same numbers."""

    rows: Rows
    gaps: frozenset[str]

    def __str__(self) -> str:
        return f"{counted(len(self.rows), 'record')} " + (
            f"without {', '.join(sorted(self.gaps))}" if self.gaps else "without gaps"
        )


def rare_patterns(table: Table, given: Table, fewest: int) -> Bool:
    """The records whose gaps in numbers, replaced or kept, are shared by fewer than so many."""
    rare = np.zeros(table.rows, dtype=np.bool_)
    for pattern in _patterns(table, given):
        rare[pattern.rows] = len(pattern.rows) < fewest
    return rare


def by_patterns(run: Callable[[Table, Job], Outcome], table: Table, job: Job) -> Outcome:
    """Run a method of complete records on the records of each pattern of gaps; the gaps stay.

    Statistics of observed values that are exact in each pattern are exact in the file. What is impossible in the new
    values is told once for the file.
    """
    done = _each_pattern(run, table, job)
    impossible = (*outside_range(table, done.columns), *broken_nestings(table, done.columns))
    return replace(done, notes=(*done.notes, *impossible))


def _each_pattern(run: Callable[[Table, Job], Outcome], table: Table, job: Job) -> Outcome:
    patterns = _patterns(table, job.given)
    if len(patterns) == 1 and not patterns[0].gaps:
        return run(table, job)
    outcomes, done = [], 0
    for number, pattern in enumerate(patterns):
        with within(done / table.rows, (done + len(pattern.rows)) / table.rows):
            outcomes.append(_of_pattern(run, table, job, number, pattern))
        done += len(pattern.rows)
    said = _told_once(patterns, outcomes)
    note = f"{len(patterns)} patterns of gaps: records were grouped with those that have the same gaps, which stay"
    return Outcome(
        {name: _joined(table[name], name, patterns, outcomes) for name in table.names},
        numbered_through(outcomes, [pattern.rows for pattern in patterns]),
        notes=(note, *said),
        claims=_common_claims(outcomes),
    )


def _told_once(patterns: Sequence[_Pattern], outcomes: Sequence[Outcome]) -> list[str]:
    """The notes of the largest patterns; what is true of several patterns is told once, with how many they are."""
    several = Counter(text for outcome in outcomes for text in dict.fromkeys(outcome.notes))
    said: dict[str, None] = {}
    for pattern, outcome in list(zip(patterns, outcomes, strict=True))[:_NOTES_OF]:
        for text in outcome.notes:
            where = pattern if several[text] == 1 else f"in {several[text]} of {len(patterns)} patterns of gaps"
            said[text if several[text] == len(patterns) else f"{where}: {text}"] = None
    return list(said)


def _patterns(table: Table, given: Table) -> list[_Pattern]:
    """The patterns, that of the most records first."""
    numbers = {name: values for name, values in {**table.columns, **given.columns}.items() if values.levels is None}
    names = [name for name, values in numbers.items() if values.missing.any()]
    if not names:
        return [_Pattern(np.arange(table.rows), frozenset())]
    missing = np.column_stack([numbers[name].missing for name in names])
    kinds, labels = np.unique(missing, axis=0, return_inverse=True)
    found = [
        _Pattern(np.flatnonzero(labels.reshape(-1) == i), frozenset(np.array(names, dtype=object)[kind].tolist()))
        for i, kind in enumerate(kinds)
    ]
    return sorted(found, key=lambda pattern: -len(pattern.rows))


def _of_pattern(
    run: Callable[[Table, Job], Outcome], table: Table, job: Job, number: int, pattern: _Pattern
) -> Outcome:
    """What was observed of these records, protected; nothing to do where nothing was."""
    part = job_in(job, number, pattern.rows)
    seen = [name for name in table.names if name not in pattern.gaps]
    if not seen:
        return Outcome({}, np.zeros(len(pattern.rows), dtype=np.int64), claims=None)
    kept = [name for name in job.given.names if name not in pattern.gaps]
    part = replace(
        part,
        streams=job.streams.at("gaps", *sorted(pattern.gaps)),
        given=part.given.only(kept),
        original=part.original.only(seen),
    )
    return run(table.only(seen).take(pattern.rows), part)


def _joined(values: Values, name: str, patterns: Sequence[_Pattern], outcomes: Sequence[Outcome]) -> Values:
    data = values.data.copy()
    for pattern, outcome in zip(patterns, outcomes, strict=True):
        if name in outcome.columns:
            data[pattern.rows] = outcome.columns[name].data
    return values.with_data(data)


def _common_claims(outcomes: Sequence[Outcome]) -> tuple[Claim, ...]:
    """The claims that every pattern of gaps makes, stated for the columns of the most complete pattern."""
    runs = [outcome for outcome in outcomes if outcome.columns]
    widest = max(runs, key=lambda outcome: len(outcome.columns))
    promised = [{replace(claim, columns=()) for claim in outcome.claims or ()} for outcome in runs]
    return tuple(
        claim for claim in widest.claims or () if all(replace(claim, columns=()) in claims for claims in promised)
    )
