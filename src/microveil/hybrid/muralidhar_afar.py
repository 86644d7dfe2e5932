"""The hybrid by a linear model, of records that are not all in memory: operation by operation what it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Bools, Floats, Matrix
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.hybrid.groups.ranges import outcome_counting, tell_tallies
from microveil.hybrid.learnt_hybrid import moved_by, tell_moved
from microveil.run.afar import Afar, Rows, after_times, beside, matrix, ones, standardised
from microveil.run.job import Job, Outcome
from microveil.run.statistics import gather_moments

if TYPE_CHECKING:
    from microveil.hybrid.muralidhar_sarathy import MuralidharSarathy


@dataclass(frozen=True)
class LearntMixture:
    """How rows are made, the ends of the original, and what is said of all records."""

    rows: Rows
    low: Floats
    high: Floats
    said: tuple[str, ...]

    def outcome(self, table: Table, job: Job) -> Outcome:
        """Some records, and how many values left the range of the original."""
        return outcome_counting(split_columns(self.rows(table, job), table), table.names, self.low, self.high)

    def notes(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """What to know of all records."""
        return (*self.said, *tell_tallies(tallies))


def learn_mixture(hybrid: MuralidharSarathy, table: Table, job: Job) -> LearntMixture:
    """What `MuralidharSarathy.run_whole` finds, from exact sums."""
    from microveil.kernels.moments.central import finish_deviations

    records = Afar(table, job)
    W = beside(ones, records.kept_columns())
    alpha, (Q, kept) = hybrid.alpha_matrix(table.names), records.basis(W)
    hybrid.refuse_few(table.rows, kept)
    sums, low, high = gather_moments(table, job, matrix)
    spread = finish_deviations(sums, low, high, ddof=0)
    scale = np.where(spread > 0, spread, 1.0)
    plain = records.project_off(standardised(matrix, records.means(matrix), scale), Q)
    ends = records.extremes(plain)
    determined = hybrid.determined(np.maximum(np.abs(ends.low), np.abs(ends.high)))
    residual = _without(plain, determined)
    new, notes = _mixed(hybrid, records, residual, alpha * scale / scale[:, None], W, Q)
    notes = (*notes, *hybrid.told_fixed(table.names, determined & (high > low)))

    def rows(block: Table, its: Job) -> Matrix:
        return np.asarray(block.matrix() + scale * (new(block, its) - residual(block, its)))

    return LearntMixture(rows, low, high, (*notes, *tell_moved(moved_by(rows, table, job), table.names, spread)))


def _mixed(
    hybrid: MuralidharSarathy, records: Afar, residual: Rows, alpha: Matrix, W: Rows, Q: Rows
) -> tuple[Rows, tuple[str, ...]]:
    """Residuals of the same covariance: alpha times the old ones plus noise orthogonal to everything."""
    from microveil.kernels.fixed.products import times
    from microveil.kernels.linalg.bases import factor, right_inverse

    n = records.records
    F = factor(records.product(residual) / n)
    if not len(F):
        return residual, ()
    frame = records.orthonormalise(records.project_off(after_times(residual, right_inverse(F)), Q))
    root_n = np.sqrt(n)

    def Z(block: Table, its: Job) -> Matrix:
        return np.asarray(root_n * frame(block, its))

    mix = hybrid.mixture_of(alpha, F)
    E = records.exact_noise(beside(W, Z), np.eye(mix.drawn))

    def new(block: Table, its: Job) -> Matrix:
        return times(times(Z(block, its), mix.M.T) + times(E(block, its), mix.root.T), F)

    return new, mix.notes


def _without(X: Rows, columns: Bools) -> Rows:
    def rows(block: Table, its: Job) -> Matrix:
        found = X(block, its).copy()
        found[:, columns] = 0.0
        return found

    return rows


def settle_mixture(found: Outcome, known: LearntMixture) -> Outcome:
    """The outcome with what is told of all records."""
    return replace(found, notes=known.notes(found.tallies), tallies={})
