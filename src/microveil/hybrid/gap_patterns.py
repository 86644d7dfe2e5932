"""Numbers with gaps: records with the same gaps are protected together, so that the gaps tell nobody apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.core.words import counted
from microveil.data.table import Table
from microveil.hybrid.groups.ranges import outside_range
from microveil.hybrid.nesting_notes import broken_nestings
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.run.job import Job, Outcome
from microveil.run.parts import Part, Ran, Run, join_rows, part_of, run_parts

_BEGINNING = 6  # words of a note that tell what it is about
_NOTES_OF = 2  # patterns whose own notes are shown; the others are smaller


@dataclass(frozen=True)
class _Pattern:
    """The records that lack the same numbers."""

    rows: Ints
    gaps: frozenset[str]

    def __str__(self) -> str:
        return f"{counted(len(self.rows), 'record')} " + (
            f"without {', '.join(sorted(self.gaps))}" if self.gaps else "without gaps"
        )


def rare_patterns(table: Table, given: Table, fewest: int) -> Bools:
    """The records whose gaps in numbers, replaced or kept, are shared by fewer than so many."""
    rare = np.zeros(table.rows, dtype=np.bool_)
    for pattern in _patterns(table, given):
        rare[pattern.rows] = len(pattern.rows) < fewest
    return rare


def by_patterns(run: Run, table: Table, job: Job) -> Outcome:
    """Run a method of complete records on the records of each pattern of gaps; the gaps stay.

    Statistics of observed values that are exact in each pattern are exact in the file. What is impossible in the new
    values is told once for the file.
    """
    done = each_pattern(run, table, job)
    impossible = (*outside_range(table, done.columns), *broken_nestings(table, done.columns))
    return replace(done, notes=(*done.notes, *impossible))


def each_pattern(run: Run, table: Table, job: Job) -> Outcome:
    """The same for a method that tells by itself what is impossible in the new values."""
    patterns = _patterns(table, job.given)
    if len(patterns) == 1 and not patterns[0].gaps:
        return run(table, job)

    def run_observed(part: Table, its: Job) -> Outcome:
        # where nothing was observed there is nothing to do
        return run(part, its) if part.names else Outcome({}, np.zeros(part.rows, dtype=np.int64), claims=())

    ran = run_parts((_part_with(pattern, table, job) for pattern in patterns), run_observed, table.rows, job.engine)
    note = f"{len(patterns)} patterns of gaps: records were grouped with those that have the same gaps, which stay"
    return join_rows(table, ran, (note, *_told_once(ran)))


def _told_once(ran: Sequence[Ran]) -> list[str]:
    """The notes of the largest patterns, and of smaller ones what these have none like.

    What is true of several patterns is told once, with how many they are.
    """
    several = Counter(text for part in ran for text in dict.fromkeys(part.outcome.notes))
    like = Counter(shape for part in ran[_NOTES_OF:] for shape in dict.fromkeys(map(_shape, part.outcome.notes)))
    said: dict[str, None] = {}
    shapes: set[tuple[str, ...]] = set()
    for place, part in enumerate(ran):
        for text in part.outcome.notes:
            if place >= _NOTES_OF and _shape(text) in shapes:
                continue
            shapes.add(_shape(text))
            if several[text] == len(ran):
                said[text] = None
            elif several[text] > 1:
                said[f"in {several[text]} of {len(ran)} patterns of gaps: {text}"] = None
            else:
                others = like[_shape(text)] - (place >= _NOTES_OF)
                more = f"; the like in {counted(others, 'smaller pattern')} of gaps" if others else ""
                said[f"{part.label}: {text}{more}"] = None
    return list(said)


def _shape(note: str) -> tuple[str, ...]:
    """How a note begins, without figures and plurals: of two that begin alike one is an example of the other."""
    words = re.sub(r"\d[\d,.]*", "#", note).split()
    return tuple(word.rstrip("s") for word in words[:_BEGINNING])


def _patterns(table: Table, given: Table) -> list[_Pattern]:
    """The patterns, that of the most records first."""
    numbers = {name: values for name, values in {**table.columns, **given.columns}.items() if values.levels is None}
    names = [name for name, values in numbers.items() if values.missing.any()]
    if not names:
        return [_Pattern(np.arange(table.rows), frozenset())]
    missing = np.column_stack([numbers[name].missing for name in names])
    labels, sizes = group_rows(missing.astype(np.int64))
    kinds = missing[first_rows(labels, len(sizes))]
    found = [
        _Pattern(np.flatnonzero(labels == i), frozenset(np.array(names, dtype=object)[kind].tolist()))
        for i, kind in enumerate(kinds)
    ]
    return sorted(found, key=lambda pattern: -len(pattern.rows))


def _part_with(pattern: _Pattern, table: Table, job: Job) -> Part:
    """What was observed of these records; a rule about a number that they lack says nothing of them."""
    edits = tuple(edit for edit in job.edits if pattern.gaps.isdisjoint(edit.columns))
    return part_of(
        table,
        replace(job, edits=edits),
        ("gaps", *sorted(pattern.gaps)),
        pattern.rows,
        names=[name for name in table.names if name not in pattern.gaps],
        given=[name for name in job.given.names if name not in pattern.gaps],
        label=str(pattern),
    )
