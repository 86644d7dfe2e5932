"""What claims are checked on: original and released values, and their moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Matrix, Vector
from microveil.core.ordering import stable_order
from microveil.core.streams import Key, Streams
from microveil.core.threads import on_all_cores
from microveil.kernels.moments.observed import Moments

EXACT = 1e-9  # relative to each attribute's standard deviation
_EPS = float(np.finfo(np.float64).eps)
_HELD = 8  # units in the last place of the largest value that a computed mean may be off by
_VALUES_COUNTED = 4_000  # of a larger column so many, from everywhere, tell how much values repeat themselves


@dataclass(frozen=True)
class Evidence:
    """Original and released values of the claimed columns, one by one.

    Categorical columns are codes in one common coding; missing cells are NaN. `original` holds the
    whole original file, `origin` the original row of each released row (-1: none), `half_unit` half
    of the unit to which a column was rounded (0: not rounded). `repeats` says how often values repeated before they
    were rounded, as one over the number of values that were rounded independently (`share_of_repeats`; None: all
    values were different). Columns are put side by side (`before`, `after`) only where a claim asks for that.
    Where rows are the different ones of a large file, `times` says how many records have each released row, and
    `times_before` each original one: only claims that are seen by classes are told so.
    """

    columns: tuple[str, ...]
    original: Sequence[Vector]
    released: Sequence[Vector]
    half_unit: Floats
    origin: Ints
    groups: Ints | None = None
    given: Matrix | None = None
    repeats: Floats | None = None
    times: Ints | None = None
    times_before: Ints | None = None

    @property
    def records(self) -> int:
        """How many records are released."""
        return len(self.origin) if self.times is None else int(self.times.sum())

    def only(self, columns: Sequence[str]) -> Evidence:
        """The same evidence for some of the columns."""
        if tuple(columns) == self.columns:
            return self
        where = [self.columns.index(name) for name in columns]
        return replace(
            self,
            columns=tuple(columns),
            original=[self.original[j] for j in where],
            released=[self.released[j] for j in where],
            half_unit=self.half_unit[where],
            repeats=None if self.repeats is None else self.repeats[where],
        )

    def rows(self, originals: Bools, released: Bools | None = None) -> Evidence:
        """The same evidence for some original rows and what was released of them (synthetic rows stay)."""
        if released is None:
            released = originals[self.origin] | (self.origin < 0)
        # the last entry is for -1, a row without an original
        new_number = np.append(np.cumsum(originals) - 1, -1)
        return replace(
            self,
            original=[column[originals] for column in self.original],
            released=[column[released] for column in self.released],
            origin=new_number[self.origin[released]],
            groups=None if self.groups is None else self.groups[released],
            given=None if self.given is None else self.given[originals],
            repeats=None if self.repeats is None else self._repeats_among(released),
        )

    def _repeats_among(self, chosen: Bools) -> Floats:
        """At most so much do values repeat among some of the rows: as if all repeats stood there."""
        assert self.repeats is not None
        here = np.array([np.count_nonzero(~np.isnan(column[chosen])) for column in self.released])
        wider = self.moments_after.counts / np.maximum(here, 1)
        return np.asarray(np.minimum(self.repeats * wider**2, 1.0), dtype=np.float64)

    @cached_property
    def before(self) -> Matrix:
        """The whole original file."""
        return _side_by_side(self.original)

    @cached_property
    def after(self) -> Matrix:
        """The whole release."""
        return _side_by_side(self.released)

    @cached_property
    def orders_before(self) -> list[Ints]:
        """The rows of each original column from its least value on, gaps last."""
        return on_all_cores(stable_order, self.original, len(self.origin))

    @cached_property
    def orders_after(self) -> list[Ints]:
        """The rows of each released column from its least value on, gaps last."""
        return on_all_cores(stable_order, self.released, len(self.origin))

    def rising(self, column: int) -> tuple[Vector, Vector]:
        """The values of a column from the least on, gaps last: of the original, and of the release."""
        before, after = self.orders_before[column], self.orders_after[column]
        return self.original[column][before], self.released[column][after]

    @cached_property
    def in_place(self) -> bool:
        """Whether every original row was released where it was."""
        rows = len(self.original[0]) if self.columns else len(self.origin)
        return len(self.origin) == rows and np.array_equal(self.origin, np.arange(rows))

    @cached_property
    def moments_before(self) -> Moments:
        """Means and covariances of the original."""
        return Moments(self.original)

    @cached_property
    def moments_after(self) -> Moments:
        """Means and covariances of the release."""
        return Moments(self.released)

    @cached_property
    def change_beside_given(self) -> tuple[Floats, Matrix] | None:
        """Standard deviations of the kept columns, and covariances of each with the change of each other column.

        None where nothing is kept, or no released row has an original and no gap.
        """
        if self.given is None or not self.given.shape[1]:
            return None
        kept, change = self.given_and_change
        if not len(kept):
            return None
        centred = kept - kept.mean(axis=0)
        spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(kept))
        return spread, centred.T @ change / len(kept)

    @property
    def given_and_change(self) -> tuple[Matrix, Matrix]:
        """The kept columns, and by how much the others changed, of the released rows with an original and no gap."""
        assert self.given is not None
        kept, change = self.given, np.empty((len(self.origin), len(self.columns)), order="F")
        for j, (before, after) in enumerate(zip(self.original, self.released, strict=True)):
            np.subtract(after, before if self.in_place else before[self.origin], out=change[:, j])
        if not self.in_place:
            own = self.origin >= 0
            kept, change = kept[self.origin[own]], change[own]
        if np.isnan(kept.sum()) or np.isnan(change.sum()):
            complete = ~(np.isnan(kept).any(axis=1) | np.isnan(change).any(axis=1))
            kept, change = kept[complete], change[complete]
        return kept, change

    @cached_property
    def scale(self) -> Floats:
        """Standard deviation of each original column; the size of one constant as doubles go (1 for zeros)."""
        before = self.moments_before
        width = before.highest - before.lowest  # minus infinity without any value
        varies = width > _HELD * _EPS * before.largest
        spread = np.sqrt(before.variances)
        # the square of very small differences may be too small for a double
        spread = np.where(spread > 0, spread, width)
        return np.where(varies, spread, np.where(before.largest > 0, before.largest, 1.0))

    @cached_property
    def exact(self) -> Floats:
        """The tolerance of an exact claim: 1e-9 standard deviations, more where double precision holds less."""
        return EXACT + _HELD * _EPS * self.moments_before.largest / self.scale

    @cached_property
    def independent(self) -> Floats:
        """One over the number of values of each column that were rounded independently of one another."""
        return 1.0 / np.maximum(self.moments_after.counts, 1) if self.repeats is None else self.repeats


def share_of_repeats(unrounded: Sequence[Vector], half_unit: Vector) -> Floats:
    """For each column the sum over its distinct values of (count / n) squared: 1 / n where all are different.

    Equal values are rounded alike, so this is one over the number of independent rounding errors. Values that are
    whole units already are not moved by rounding, and do not count; a column that was not rounded has none.
    """
    return np.array([_repeated(column, 2 * half) for column, half in zip(unrounded, half_unit, strict=True)])


def _repeated(column: Vector, unit: float) -> float:
    if unit == 0:
        return 0.0
    observed = column[~np.isnan(column)] if np.isnan(column.sum()) else column
    some = observed if len(observed) <= _VALUES_COUNTED else observed[_scattered(len(observed))]
    return repeated_among(some, len(observed), unit)


def repeated_among(some: Vector, observed: int, unit: float) -> float:
    """How much values repeat themselves, told by some of so many; those in whole units do not count."""
    values, counts = np.unique(some, return_counts=True)
    steps = values / unit
    moved = np.abs(steps - np.rint(steps)) > _HELD * _EPS * np.abs(steps)
    if len(some) == observed:
        share = counts[moved] / max(counts.sum(), 1)
        return float(share @ share)
    # pairs of equal values among some records tell it of all, and every record is equal to itself
    pairs = float((counts[moved] * (counts[moved] - 1.0)).sum()) / (len(some) * (len(some) - 1.0))
    return pairs + float(counts[moved].sum()) / len(some) / observed


@lru_cache(maxsize=8)
def _scattered(rows: int) -> Ints:
    """Some of so many rows, no two at a fixed distance: equal values may stand together, or in a pattern."""
    places = Streams(Key.of("repeats")).uniforms(0, _VALUES_COUNTED)[:, 0] * rows
    return np.unique(places.astype(np.int64))


def _side_by_side(columns: Sequence[Vector]) -> Matrix:
    # by columns: what is checked reads them one at a time
    out = np.empty((len(columns[0]) if len(columns) else 0, len(columns)), order="F")
    for j, column in enumerate(columns):
        out[:, j] = column
    return out
