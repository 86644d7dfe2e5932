"""Linear algebra on matrices with a row for each record, of which no more than a block need be in memory.

A matrix is a function that makes its rows for some records. What must be known of all rows are exact sums, asked of the
engine; all else is done row by row. Every function follows its namesake in `kernels.linalg.bases` and
`kernels.draws.noise` operation by operation, so that rows are those of the matrix in memory to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.table import Table
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import cholesky, solve_lower
from microveil.kernels.fixed.sums import CrossSums, ExactMoments, Grid
from microveil.kernels.linalg.bases import correlation_scale, factor, is_rough, plainly_independent
from microveil.kernels.moments.central import finish_moments, is_narrow
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.together import Together
from microveil.run.job import Job

Rows = Callable[[Table, Job], Floats]


class NeedsAllRecords(BadInput):
    """Sums over the records do not tell what the method must know; whoever has all of them in memory can tell."""


@dataclass(frozen=True)
class Afar:
    """The records of a run, wherever they are: what sums of rows made of them are."""

    table: Table
    job: Job

    @property
    def records(self) -> int:
        """How many rows there are."""
        return self.table.rows

    def extremes(self, X: Rows) -> Extremes:
        """Smallest and largest values of the columns; what is not a number is refused."""
        found = self.job.engine.gather(self.table, self.job, lambda block, its: Extremes.of(X(block, its)))
        if found.missing.any():
            raise BadInput("sums over records need finite values; leave missing and infinite values out first")
        return found

    def moments(self, X: Rows) -> tuple[Floats, Floats]:
        """Mean vector and covariance matrix with divisor n, as `mean_and_covariance`."""
        ends = self.extremes(X)
        grid = Grid.between(ends.low, ends.high)
        sums = self.job.engine.gather(self.table, self.job, lambda block, its: ExactMoments.of(X(block, its), grid))
        start, shift, covariance = finish_moments(sums, ends.low, ends.high)
        return start + shift, covariance

    def means(self, X: Rows) -> Floats:
        """Means of the columns."""
        ends = self.extremes(X)
        grid = Grid.between(ends.low, ends.high)
        return self.job.engine.gather(
            self.table, self.job, lambda block, its: ExactMoments.of(X(block, its), grid)
        ).mean()

    def product(self, A: Rows, B: Rows | None = None) -> Floats:
        """A'B over all records (A'A without B)."""
        left = self.extremes(A)
        right = left if B is None else self.extremes(B)
        grids = [Grid.between(ends.low, ends.high) for ends in (left, right)]

        def of(block: Table, its: Job) -> CrossSums:
            return CrossSums.of(A(block, its), None if B is None else B(block, its), *grids)

        return self.job.engine.gather(self.table, self.job, of).values()

    def norms(self, X: Rows) -> Floats:
        """Lengths of the columns."""
        return np.sqrt(np.diag(self.product(X)))

    # -- bases -----------------------------------------------------------------------------------

    def basis(self, W: Rows) -> tuple[Rows, int]:
        """Orthonormal columns that span those of W, and how many they are."""
        ends, n = self.extremes(W), self.records
        constant = is_narrow(ends.low, ends.high)
        with_ones, rest = False, W
        if (constant & (ends.low != 0)).any():
            with_ones = True
            rest = _columns(W, ~constant)
            for _ in range(2 if (~constant).any() else 0):
                rest = standardised(rest, self.means(rest))
        width = int((~constant).sum()) if with_ones else len(constant)
        if width:
            norms = self.norms(rest)
            rest = self._frame(_per(_columns(rest, norms > 0), norms[norms > 0]), int((norms > 0).sum()))
            width = int((norms > 0).sum())
        return (_beside_constant(rest, 1.0 / np.sqrt(n)), width + 1) if with_ones else (rest, width)

    def _frame(self, W: Rows, width: int) -> Rows:
        if not width:
            return W
        if not plainly_independent(self.product(W)):
            raise NeedsAllRecords(
                "some of the columns follow from others nearly exactly (a sum of them, say), which needs all records "
                "in memory: leave such columns out, give by=..., or run with engine='memory'"
            )
        return self.orthonormalise(W)

    def project_off(self, G: Rows, Q: Rows) -> Rows:
        """G less its projection on the orthonormal columns of Q, twice."""
        for _ in range(2):
            G = _minus_times(G, Q, self.product(Q, G))
        return G

    def orthonormalise(self, G: Rows) -> Rows:
        """The Q factor of G by two Cholesky passes; what these cannot do is refused."""
        R = np.eye(0)
        for _ in range(2):
            d, gram = correlation_scale(self.product(G))
            L = cholesky(gram)
            if L is None:
                raise NeedsAllRecords(_TOO_FEW)
            R = L.T * d
            G = after_times(G, solve_lower(np.ascontiguousarray(R.T), np.eye(len(R))).T)
        if is_rough(R):
            raise NeedsAllRecords(_TOO_FEW)
        return G

    def new_frame(self, G: Rows, width: int, Q: Rows, kept: int) -> Rows:
        """G made orthonormal and orthogonal to the `kept` columns of Q."""
        # a second round repairs what the first loses when hardly any room is left
        for _ in range(2 if self.records - kept < 2 * width else 1):
            G = self.orthonormalise(self.project_off(G, Q))
        return G

    def exact_noise(self, W: Rows, Sigma: Floats, *path: str | int) -> Rows:
        """Noise orthogonal to W, which spans the constant, of exactly this covariance; drawn from the streams there."""
        (Q, kept), F, n = self.basis(W), factor(Sigma), self.records
        rank = len(F)
        if n - kept < rank:
            raise NotEnoughRecords(
                f"exact noise needs at least {kept + rank} records ({kept} independent columns to stay orthogonal to"
                f" + rank {rank} of the covariance): {n} given"
            )
        if not rank:
            return after_times(normals(0), F)
        return after_times(self.new_frame(normals(rank, *path), rank, Q, kept), np.sqrt(n) * F)

    # -- columns kept ----------------------------------------------------------------------------

    def kept_columns(self) -> Rows:
        """The columns kept as numbers, as `data.matrices.indicators` has them."""
        given = self.job.given
        present = self.present_codes([name for name, values in given.columns.items() if values.levels is not None])
        names = given.names

        def rows(block: Table, its: Job) -> Floats:
            parts = [np.zeros((block.rows, 0))]
            for name in names:
                values = its.given[name]
                if name in present:
                    parts.append(np.equal.outer(values.data, present[name][1:]).astype(np.float64))
                else:
                    parts.append(values.numbers[:, None])
            return np.hstack(parts)

        return rows

    def present_codes(self, names: Sequence[str]) -> dict[str, Ints]:
        """The codes that occur in some of the columns kept, from the least on; -1 is a gap."""
        given = self.job.given
        if not names:
            return {}

        def of(_: Table, its: Job) -> Together[str, Counts]:
            return Together({name: Counts.of(its.given[name].data, len(given[name].levels or ())) for name in names})

        counts = self.job.engine.gather(self.table, self.job, of).parts
        return {
            name: np.concatenate([[-1], np.flatnonzero(one.counts)])[0 if one.missing else 1 :]
            for name, one in counts.items()
        }


_TOO_FEW = (
    "there are hardly more records than directions that must stay free, which needs all of them in memory: run with "
    "engine='memory'"
)


# -- rows ----------------------------------------------------------------------------------------
# made by functions of their own, so that they hold nothing but the numbers that they need


def matrix(block: Table, _: Job) -> Floats:
    """The columns of the table."""
    return block.matrix()


def normals(width: int, *path: str | int) -> Rows:
    """So many standard normal numbers for each record, from the streams of the job or those below."""
    return lambda block, its: its.streams.at(*path).normals(0, block.rows, width)


def after_times(X: Rows, T: Floats) -> Rows:
    """The rows of X times a matrix."""
    return lambda block, its: times(X(block, its), T)


def beside(*parts: Rows) -> Rows:
    """Matrices side by side."""
    return lambda block, its: np.hstack([part(block, its) for part in parts])


def ones(block: Table, _: Job) -> Floats:
    """A column of ones."""
    return np.ones((block.rows, 1))


def standardised(X: Rows, mean: Floats, scale: Floats | None = None) -> Rows:
    """The rows of X less a mean, per scale."""
    if scale is None:
        return lambda block, its: X(block, its) - mean
    return lambda block, its: (X(block, its) - mean) / scale


def _columns(X: Rows, chosen: Bools) -> Rows:
    return lambda block, its: X(block, its)[:, chosen]


def _per(X: Rows, scale: Floats) -> Rows:
    return lambda block, its: X(block, its) / scale


def _minus_times(G: Rows, Q: Rows, coefficients: Floats) -> Rows:
    return lambda block, its: G(block, its) - times(Q(block, its), coefficients)


def _beside_constant(X: Rows, value: float) -> Rows:
    return lambda block, its: np.hstack([np.full((block.rows, 1), value), X(block, its)])
