"""Running in parts and joining what came of them: subdomains, patterns of gaps, groups, kinds and blocks of columns.

A part is some rows of a table, some of its columns, or both, with the job to run them by. Parts of the rows are joined
by `join_rows`, parts of the columns by `join_columns`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from microveil.claims import Claim
from microveil.core.arrays import AnyArray, Bools, Ints
from microveil.core.errors import BadInput
from microveil.data.coding import join_values
from microveil.data.table import Table, Values, are_all_in_order
from microveil.run.engine import Engine
from microveil.run.job import Job, Outcome

Run = Callable[[Table, Job], Outcome]
T = TypeVar("T")

_NOTES_SHOWN = 3


@dataclass(frozen=True)
class Part:
    """Rows of the whole (by position) and columns of it, with a job of their own.

    `label` stands before what is noted of the part, `place` before what is wrong in it; empty: nothing does.
    """

    rows: Ints
    table: Table
    job: Job
    label: str = ""
    place: str = ""

    def ran(self, run: Run) -> Ran:
        """What a method makes of the part; an error says where it was."""
        return in_place(self.place, lambda: Ran(self.rows, self.table.names, run(self.table, self.job), self.label))


def place_of(label: str) -> str:
    """How errors call a subdomain; the whole file needs no name."""
    return f"the subdomain {label}" if label else ""


def in_place(place: str, run: Callable[[], T]) -> T:
    """What somebody makes of a part; an error says where it was."""
    try:
        return run()
    except BadInput as problem:
        if not place:
            raise
        raise type(problem)(f"in {place}: {problem}") from None


@dataclass(frozen=True)
class Ran:
    """What came of a part: its rows in the whole, the columns it was to protect, and the outcome."""

    rows: Ints
    names: tuple[str, ...]
    outcome: Outcome
    label: str = ""

    @property
    def where(self) -> Ints:
        """The row of the whole behind each row that was returned, -1 where it is synthetic."""
        origin = self.outcome.origin
        return self.rows if origin is None else np.where(origin >= 0, self.rows[origin], -1)


# -- splitting -----------------------------------------------------------------------------------


def part_of(
    table: Table,
    job: Job,
    path: Sequence[str | int],
    rows: Ints | slice | None = None,
    *,
    names: Iterable[str] | None = None,
    given: Iterable[str] | None = None,
    label: str = "",
    place: str = "",
) -> Part:
    """Some rows and columns of a table (None: all) with the job cut to them; `path` leads to streams of their own.

    A run of consecutive rows (a slice) is not copied.
    """
    as_given = job.original is table  # then it is not cut twice
    table = table if names is None else table.only(names)
    original = table if as_given else job.original.only(table.names)
    job = replace(job, streams=job.streams.at(*path), given=job.given if given is None else job.given.only(given))
    if rows is None:
        return Part(np.arange(table.rows), table, replace(job, original=original), label, place)
    places = np.arange(*rows.indices(table.rows)) if isinstance(rows, slice) else rows
    table = table.take(rows)
    job = job.at_rows(rows, places, table if as_given else original.take(rows))
    return Part(places, table, job, label, place)


def group_parts(
    table: Table, job: Job, labels: Ints, *, bare: Bools | None = None, word: str = "group"
) -> Iterator[Part]:
    """One part for each group; labels number them from 0.

    Groups marked `bare` are without the columns given; `word` is what errors call a group.
    """
    for number, rows in enumerate(members_of(labels)):
        place = f"{word} {number} of {len(rows)} record{'s' * (len(rows) != 1)}"
        given = () if bare is not None and bare[number] else None
        yield part_of(table, job, ("cluster", number), rows, given=given, place=place)


def members_of(labels: Ints) -> list[Ints]:
    """The rows of each group; labels number the groups from 0."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


# -- running -------------------------------------------------------------------------------------


def run_by_rows(run: Run, table: Table, job: Job) -> Outcome:
    """What comes of a table where each record stands for itself: the engine says how many rows are taken at a time."""
    runs = list(job.engine.split(table.rows))
    _refuse_wrong_split(runs, table.rows)
    if len(runs) == 1:
        return run(table, job)
    held = [rows for rows in runs if len(range(*rows.indices(table.rows)))]
    return join_rows(table, run_parts((part_of(table, job, (), rows) for rows in held), run, table.rows, job.engine))


def run_parts(parts: Iterable[Part], run: Run, rows: int, engine: Engine) -> list[Ran]:
    """What a method makes of each part, by an engine; `rows` are those of all parts together.

    An engine of somebody's own is not trusted: a record that it lost or gave twice would be in the release.
    """
    handed: list[Ints] = []

    def noted() -> Iterator[Part]:
        for part in parts:
            handed.append(part.rows)
            yield part

    ran = list(engine.map(noted(), run, rows))
    same = len(ran) == len(handed) and all(
        isinstance(one, Ran) and np.array_equal(one.rows, own) for one, own in zip(ran, handed, strict=True)
    )
    if not same:
        raise BadInput(
            f"the engine gave back {len(ran)} parts for {len(handed)}, or other records than it was given; map must "
            "return what came of each part, in their order"
        )
    return ran


def _refuse_wrong_split(runs: Sequence[slice], rows: int) -> None:
    held = np.zeros(rows, dtype=np.int64)
    for run in runs:
        held[run] += 1
    if (held != 1).any():
        raise BadInput(
            f"the engine split {rows} rows into {runs[:3]} ...; split must give slices that hold every row once"
        )


# -- joining -------------------------------------------------------------------------------------


def join_rows(whole: Table, ran: Sequence[Ran], notes: Sequence[str] | None = None) -> Outcome:
    """One outcome of parts of the rows, which are in the order of the whole again; synthetic ones follow.

    A column that a part did not change is there as it was. Groups are numbered through. Notes: those of all parts with
    their labels unless other ones are given. Claims: those that all parts make.
    """
    where, order = order_rows(ran)
    columns = {name: _joined(name, whole, ran) for name in _changed(ran)}
    groups = _joined_groups([part.outcome.groups for part in ran])
    if not are_all_in_order(order, len(order)):
        columns = {name: values.at(order) for name, values in columns.items()}
        groups = None if groups is None else groups[order]
    return Outcome(
        columns,
        groups,
        None if np.array_equal(where, np.arange(whole.rows)) else where,
        label_notes(ran) if notes is None else tuple(notes),
        find_common_claims(ran),
        _add_tallies(ran),
    )


def _add_tallies(ran: Sequence[Ran]) -> Counter[str]:
    """The numbers that the parts counted, added up; one that is 0 was counted, too."""
    total: Counter[str] = Counter()
    for part in ran:
        total.update(part.outcome.tallies)
    return total


def refuse_other_levels(parts: Sequence[Mapping[str, Values]], maker: str, word: str) -> None:
    """The values of parts of the rows are one column again only where they mean the same; `word` is a part."""
    for name, values in parts[0].items():
        if any(name not in part or part[name].levels != values.levels for part in parts):
            raise BadInput(
                f"{maker} made other categories of {name!r} in one {word} than in another; use a mask that keeps the "
                "categories, or run it as a step of its own"
            )


def join_columns(whole: Table, ran: Sequence[Ran]) -> Outcome:
    """One outcome of parts of the columns, each with all rows in their places: every claim is on its own columns.

    There are no groups in common, so that nothing is claimed of groups.
    """
    columns = {name: values for part in ran for name, values in part.outcome.columns.items()}
    said = [part.outcome.claims for part in ran]
    claims = tuple(
        claim.on(part.names)
        for part, claims in zip(ran, said, strict=True)
        for claim in claims or ()
        if not claim.of_groups
    )
    ordered = {name: columns.pop(name) for name in whole.names if name in columns}
    return Outcome(
        {**ordered, **columns},
        notes=label_notes(ran),
        claims=None if all(claims is None for claims in said) else claims,
    )


def order_rows(ran: Sequence[Ran]) -> tuple[Ints, Ints]:
    """The row of the whole behind each row of the parts once they are in order, and that order."""
    where = np.concatenate([part.where for part in ran])
    if are_all_in_order(where, len(where)):
        return where, where
    order = np.argsort(np.where(where < 0, np.iinfo(np.int64).max, where), kind="stable")
    return where[order], order


def label_notes(ran: Sequence[Ran]) -> tuple[str, ...]:
    """All notes, each with the label of its part."""
    return tuple(f"{part.label}: {note}" if part.label else note for part in ran for note in part.outcome.notes)


def count_notes(ran: Sequence[Ran], word: str = "cluster") -> tuple[str, ...]:
    """The most frequent notes of many small parts, each with the number of parts; `word` is what a part is called."""
    return _told_in_parts(Counter(note for part in ran for note in part.outcome.notes), word)


def common_notes(ran: Sequence[Ran], word: str) -> tuple[str, ...]:
    """What is noted of every part, once, and the most frequent other notes with the number of parts."""
    said = Counter(note for part in ran for note in dict.fromkeys(part.outcome.notes))
    everywhere = tuple(note for note, count in said.items() if count == len(ran))
    return (
        *everywhere,
        *_told_in_parts(Counter({note: count for note, count in said.items() if count < len(ran)}), word),
    )


def _told_in_parts(said: Counter[str], word: str) -> tuple[str, ...]:
    notes = [f"in {count} {word}{'s' * (count != 1)}: {note}" for note, count in said.most_common(_NOTES_SHOWN)]
    if len(said) > _NOTES_SHOWN:
        others = len(said) - _NOTES_SHOWN
        notes.append(f"{others} other note{'s' * (others != 1)} on {word}s {'are' if others != 1 else 'is'} not shown")
    return tuple(notes)


def find_common_claims(ran: Sequence[Ran]) -> tuple[Claim, ...] | None:
    """The claims that all parts make, as the part with the most columns states them; None if none of them says.

    A part says nothing of columns it was not given.
    """
    if all(part.outcome.claims is None for part in ran):
        return None
    asked = [part for part in ran if part.names] or ran
    widest = max(asked, key=lambda part: len(part.names))
    said = {id(part): _by_columns(part) for part in asked}
    common = []
    for claim in widest.outcome.claims or ():
        bare, columns = replace(claim, columns=()), set(claim.columns or widest.names)
        absent = [columns.intersection(widest.names) - set(part.names) for part in asked]
        if all(
            columns == lacking or (bare, frozenset(columns - lacking)) in said[id(part)]
            for part, lacking in zip(asked, absent, strict=True)
        ):
            common.append(claim)
    return tuple(common)


def _by_columns(part: Ran) -> set[tuple[Claim, frozenset[str]]]:
    return {(replace(claim, columns=()), frozenset(claim.columns or part.names)) for claim in part.outcome.claims or ()}


def _changed(ran: Sequence[Ran]) -> list[str]:
    return list(dict.fromkeys(name for part in ran for name in part.outcome.columns))


def _joined(name: str, whole: Table, ran: Sequence[Ran]) -> Values:
    return join_values(
        [part.outcome.columns[name] if name in part.outcome.columns else whole[name].at(part.where) for part in ran]
    )


def _joined_groups(parts: Sequence[Ints | None]) -> Ints | None:
    """Consecutive numbers of the groups of all parts, or None if some part formed none."""
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    shifted, start = [], 0
    for part in found:
        shifted.append(np.where(part >= 0, part + start, -1))
        start += int(part.max(initial=-1)) + 1
    return np.concatenate(shifted)


def taken(values: AnyArray | None, rows: Ints) -> AnyArray | None:
    """Weights or households of the rows of the source that a step left, in their order; none of rows that it made."""
    return None if values is None or (rows < 0).any() else values[rows]


def carried(labels: Ints, where: Ints) -> Ints:
    """The label of each row after a step, -1 where the row is new."""
    found, kept = np.full(len(where), -1, dtype=np.int64), where >= 0
    found[kept] = labels[where[kept]]
    return found
