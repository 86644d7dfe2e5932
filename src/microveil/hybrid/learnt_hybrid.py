"""A hybrid of records that are not all in memory: the maps that restore moments, found from moments alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microveil.core.arrays import Bools, Floats, Matrix
from microveil.core.errors import BadInput, MissingValues
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.engines.asked_job import Asking
from microveil.engines.asking import Ask, Question, ask_together
from microveil.hybrid.groups.nearness import tell_near
from microveil.hybrid.groups.ranges import outcome_counting, tell_tallies
from microveil.kernels.linalg.recolour import AffineMap
from microveil.kernels.summaries.together import Together
from microveil.run.by_rows import ByRows
from microveil.run.job import Job, Outcome
from microveil.run.statistics import gather_moments, known_ends

_LOOKED_AT = 2_000  # records, evenly spaced over the file, that tell how far values moved


@dataclass(frozen=True)
class LearntHybrid:
    """What the mask knows, the maps of the columns that vary, and the moments and ends of the original."""

    mask: ByRows
    inner: Any
    mean: Floats
    moving: Bools
    maps: tuple[AffineMap, ...]
    low: Floats
    high: Floats
    near: tuple[str, ...] = ()

    def masked(self, table: Table, job: Job) -> Matrix:
        """Some records masked, as a matrix."""
        its = replace(job, streams=job.streams.at(self.mask.name), original=table)
        columns = self.mask.act(table, its, self.inner).columns
        Y = Table({name: columns.get(name, values) for name, values in table.columns.items()}, table.rows).matrix()
        if np.isnan(Y).any():
            raise MissingValues(f"{self.mask.name} left gaps and covariances need complete records; use another mask")
        return Y

    def moved(self, Y: Matrix) -> Matrix:
        """Masked records brought to the moments of the original; columns that do not vary get their mean."""
        part = Y if self.moving.all() else Y[:, self.moving]
        for one in self.maps:
            part = one.apply(part)
        if self.moving.all():
            return part
        result = np.empty_like(Y)
        result[:] = self.mean
        result[:, self.moving] = part
        return result

    def made(self, table: Table, job: Job) -> Matrix:
        """Some records as they come out."""
        return self.moved(self.masked(table, job))

    def outcome(self, table: Table, job: Job) -> Outcome:
        """Some records, and how many values left the range of the original."""
        return outcome_counting(split_columns(self.made(table, job), table), table.names, self.low, self.high)

    def notes(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """What to know of all records."""
        return (*self.near, *tell_tallies(tallies))


def learn_hybrid(mask: ByRows, table: Table, job: Job, check_size: Callable[[int, Matrix], None]) -> LearntHybrid:
    """Moments of the original and of the masked records, and the maps from the latter to the former."""
    from microveil.kernels.linalg.recolour import nearest_maps
    from microveil.kernels.moments.central import finish_moments

    found = _learn_together(
        table,
        job,
        {
            "own": lambda its: gather_moments(table, its, lambda block, _: block.matrix(), known_ends(table, its)),
            "mask": lambda its: mask.learn(table, replace(its, streams=its.streams.at(mask.name), original=table)),
        },
    )
    (sums, low, high), inner = found["own"], found["mask"]
    start, shift, V = finish_moments(sums, low, high)
    mean = start + shift
    check_size(sums.records, V)
    moving = np.diag(V) > 0
    known = LearntHybrid(mask, inner, mean, moving, (), low, high)
    if not moving.any():
        return known

    def masked(block: Table, its: Job) -> Matrix:
        return known.masked(block, its)[:, moving]

    moved = np.zeros((0, len(mean)))

    def covariance_after(maps: Sequence[AffineMap]) -> Floats:
        nonlocal moved

        def last(block: Table, its: Job) -> Matrix:
            Y = masked(block, its)
            for one in maps[:-1]:
                Y = one.apply(Y)
            return maps[-1].about_mean(Y)

        # these maps may be the last ones: how far they move records is asked along with the sums that tell it
        after = _learn_together(
            table,
            job,
            {
                "sums": lambda its: gather_moments(table, its, last),
                "moved": lambda its: moved_by(replace(known, maps=tuple(maps)).made, table, its),
            },
        )
        moved = after["moved"]
        return finish_moments(*after["sums"]).covariance

    first = finish_moments(*gather_moments(table, job, masked))
    target = V[np.ix_(moving, moving)]
    maps = nearest_maps(first, covariance_after, mean[moving], target)
    if maps is None:
        raise BadInput(
            f"the file that {mask.name} masked lacks directions of the original, which can be drawn with all records "
            "in memory only; mask less, or run with engine='memory'"
        )
    return replace(known, maps=maps, near=tell_moved(moved, table.names, np.sqrt(np.diag(V))))


@dataclass(frozen=True)
class _Moved:
    """By how much some records moved, in the units of the columns."""

    rows: Matrix

    def merge(self, other: _Moved) -> _Moved:
        return _Moved(np.concatenate([self.rows, other.rows]))


def moved_by(made: Callable[[Table, Job], Matrix], table: Table, job: Job) -> Matrix:
    """By how much some records move, evenly spaced over the file, given what is made of records."""
    step = max(1, table.rows // _LOOKED_AT)

    def some(block: Table, its: Job) -> _Moved:
        rows = np.flatnonzero(its.streams.places(block.rows) % step == 0)
        part = block.take(rows)
        return _Moved(np.abs(made(part, its.at_rows(rows, rows, part)) - part.matrix()))

    return job.engine.gather(table, job, some).rows


def tell_moved(moved: Matrix, names: Sequence[str], spread: Floats) -> tuple[str, ...]:
    """A note on columns that stay near the original, by how much some records moved."""
    if not len(moved):
        return ()
    medians = np.median(moved, axis=0)
    return tell_near({name: float(medians[j] / spread[j]) for j, name in enumerate(names) if spread[j] > 0})


def _learn_together(table: Table, job: Job, calls: Mapping[str, Callable[[Job], Any]]) -> dict[str, Any]:
    """What each call gathers; what several ask at the same time is answered by one pass."""

    def learning(call: Callable[[Job], Any]) -> Callable[[Ask], Any]:
        return lambda ask: call(replace(job, engine=Asking(ask)))

    def answer(asked: Mapping[str, Question]) -> Mapping[str, Any]:
        def of(block: Table, its: Job) -> Together[str, Any]:
            return Together({name: question(block, its) for name, question in asked.items()})

        return job.engine.gather(table, job, of).parts

    return ask_together({name: learning(call) for name, call in calls.items()}, answer)
