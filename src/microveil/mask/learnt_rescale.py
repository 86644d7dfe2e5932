"""Moments restored in records that are not all in memory: by the maps of each column, or of all columns together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from microveil.core.arrays import Bools, Floats, Matrix
from microveil.core.errors import BadInput
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.kernels.linalg.recolour import AffineMap
from microveil.run.by_rows import ByRows
from microveil.run.job import Job, Outcome
from microveil.run.statistics import Observed, gather_moments, gather_observed


@dataclass(frozen=True)
class Masked:
    """Records as the nested mask leaves them, given what it knows; without one, as earlier steps did."""

    mask: ByRows | None
    inner: Any = None

    def outcome(self, table: Table, job: Job) -> Outcome:
        """What became of some records."""
        if self.mask is None:
            return Outcome(table.columns)
        return self.mask.act(table, nested(self.mask, table, job), self.inner)

    def table(self, table: Table, job: Job) -> Table:
        """The same as columns."""
        columns = self.outcome(table, job).columns
        return Table({name: columns.get(name, values) for name, values in table.columns.items()}, table.rows)


def nested(mask: ByRows, table: Table, job: Job) -> Job:
    """The job of a mask inside another method: its original is what it is given."""
    return replace(job, streams=job.streams.at(mask.name), original=table)


class Restoring(Protocol):
    """What is known of all records."""

    @property
    def masked(self) -> Masked:
        """Records before their moments are restored."""

    def restored(self, Y: Matrix) -> Matrix:
        """Some masked records with the moments of the original."""


@dataclass(frozen=True)
class OfColumns:
    """The map of each column: what is subtracted, the factor, and what is added; None: it has no values."""

    masked: Masked
    maps: tuple[tuple[float, float, float] | None, ...]

    @classmethod
    def learn(cls, masked: Masked, table: Table, job: Job) -> OfColumns:
        """From the moments of the observed values of each column, before and after."""
        target = gather_observed(table, job, lambda _, its: its.original)
        found = gather_observed(table, job, masked.table)
        return cls(masked, tuple(_map(name, found[name], target[name]) for name in table.names))

    def restored(self, Y: Matrix) -> Matrix:
        """Each column moved and stretched; gaps aside."""
        out = np.full_like(Y, np.nan)
        for j, one in enumerate(self.maps):
            if one is not None:
                middle, stretch, mean = one
                seen = ~np.isnan(Y[:, j])
                out[seen, j] = mean if stretch == 0 else (Y[seen, j] - middle) * stretch + mean
        return out


def _map(name: str, found: Observed, target: Observed) -> tuple[float, float, float] | None:
    from microveil.kernels.moments.central import finish_moments, is_narrow

    if not found.moments.records or not target.moments.records:
        return None
    start, shift, variance = finish_moments(*target)
    mean = (start + shift).item()
    if variance.item() == 0:
        return 0.0, 0.0, mean
    if is_narrow(found.low, found.high)[0]:
        raise BadInput(f"{name!r} is constant after masking: its variance cannot be restored; mask it less")
    middle, rest, spread = finish_moments(*found)
    return (middle + rest).item(), float(np.sqrt(variance.item() / spread.item())), mean


@dataclass(frozen=True)
class OfAllColumns:
    """The maps of the columns that vary, one after the other; others get their mean."""

    masked: Masked
    mean: Floats
    moving: Bools
    maps: tuple[AffineMap, ...]

    @classmethod
    def learn(cls, masked: Masked, table: Table, job: Job) -> OfAllColumns:
        """From the moments of the original, of what was masked, and of what each map makes of that."""
        from microveil.kernels.linalg.recolour import nearest_maps
        from microveil.kernels.moments.central import finish_moments

        start, shift, V = finish_moments(*gather_moments(table, job, lambda some, its: its.original.matrix(some.names)))
        mean, moving = start + shift, np.diag(V) > 0
        if not moving.any():
            return cls(masked, mean, moving, ())

        def rows(block: Table, its: Job) -> Matrix:
            return masked.table(block, its).matrix()[:, moving]

        def covariance_after(maps: Sequence[AffineMap]) -> Floats:
            def last(block: Table, its: Job) -> Matrix:
                Y = rows(block, its)
                for one in maps[:-1]:
                    Y = one.apply(Y)
                return maps[-1].about_mean(Y)

            return finish_moments(*gather_moments(table, job, last)).covariance

        first = finish_moments(*gather_moments(table, job, rows))
        maps = nearest_maps(first, covariance_after, mean[moving], V[np.ix_(moving, moving)])
        if maps is None:
            raise BadInput(
                "the masked file lacks directions of the original, so that its covariance cannot be restored in "
                "blocks; use level='variance', mask less, or run with engine='memory'"
            )
        return cls(masked, mean, moving, maps)

    def restored(self, Y: Matrix) -> Matrix:
        """All columns moved together."""
        result = np.empty_like(Y)
        result[:] = self.mean
        part = Y[:, self.moving]
        for one in self.maps:
            part = one.apply(part)
        result[:, self.moving] = part
        return result


def restore(known: Restoring, table: Table, job: Job) -> Outcome:
    """Some records masked, and brought to the moments of the original."""
    found = known.masked.outcome(table, job)
    whole = Table({name: found.columns.get(name, values) for name, values in table.columns.items()}, table.rows)
    return replace(
        found, columns={**found.columns, **split_columns(known.restored(whole.matrix()), whole)}, claims=None
    )


@dataclass(frozen=True)
class Touched:
    """Whether earlier steps changed anything."""

    changed: bool

    @classmethod
    def of(cls, table: Table, original: Mapping[str, Any]) -> Touched:
        """Of some records."""
        return cls(
            any(
                not np.array_equal(values.numbers, original[name].numbers, equal_nan=True)
                for name, values in table.columns.items()
            )
        )

    def merge(self, other: Touched) -> Touched:
        """Of the records of both."""
        return Touched(self.changed or other.changed)
