"""The published triangular correction of a masked file, with guards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Ints, Matrix
from microveil.core.errors import BadInput
from microveil.core.streams import Streams

LARGEST_CONDITION = 1e12
_DEPENDENT = 1e-11  # a column whose variance beside the others is below this part of its own depends on them
_MOST_DRAWS = 25
_FLAT = 1e-10  # a corrected column whose deviation is below this part of what it was is taken for a constant


def triangular_hybrid(Y: Matrix, mean: Matrix, covariance: Matrix, rows: Sequence[int] | None = None) -> Matrix:
    """Y with this mean and covariance: Y U^-1 made uncorrelated, times U, where U'U is the covariance.

    Columns that depend linearly on earlier ones in the target follow from those and take nothing from Y. `rows` are
    the records that take the correction, at least as many as columns less one; see `decorrelate`.
    """
    from microveil.kernels.fixed.products import times
    from microveil.kernels.fixed.small import cholesky, solve_lower
    from microveil.kernels.linalg.bases import correlation_scale
    from microveil.kernels.moments.central import column_means

    d, C = correlation_scale(covariance)
    own = independent_columns(C)
    if not len(own):
        return np.tile(mean, (len(Y), 1))
    L = cholesky(C[np.ix_(own, own)])
    if L is None:
        raise BadInput("core='paper' needs a covariance that is positive definite; use core='minimal' or 'polar'")
    U = solve_lower(L, C[own])
    # a shift of a column moves its solution alike: centring first changes nothing but the rounding
    A = Y[:, own]
    A -= column_means(A)
    A = times(A, solve_lower(L, np.eye(len(own))).T / d[own, None])
    A, rows = decorrelate(A, rows)
    # the same once more removes what rounding left
    A, _ = decorrelate(A, rows)
    result = times(A, U * d)
    result += mean
    return np.asarray(result)


def hybrid_of_drawn_rows(Y: Matrix, mean: Matrix, covariance: Matrix, streams: Streams) -> Matrix:
    """The same with the correction on records drawn at random; those that cannot take it are drawn again."""
    problem = ""
    for number in range(_MOST_DRAWS):
        rows = streams.at(number).order(len(Y))[: max(Y.shape[1] - 1, 0)].tolist()
        try:
            return triangular_hybrid(Y, mean, covariance, rows)
        except BadInput as found:
            problem = str(found)
    raise BadInput(f"none of {_MOST_DRAWS} draws of records can take the correction: {problem}")


def last_rows(Y: Matrix) -> range:
    """The records that the published algorithm corrects, whatever they hold."""
    return range(len(Y) - 1, len(Y) - max(Y.shape[1], 1), -1)


def independent_columns(C: Matrix) -> Ints:
    """The columns, from the first on, that do not depend linearly on those before; C is a correlation matrix."""
    rest = C.copy()
    found = []
    for j in range(len(C)):
        if rest[j, j] > _DEPENDENT:
            found.append(j)
            rest -= np.outer(rest[:, j], rest[j]) / rest[j, j]
    return np.asarray(found, dtype=np.int64)


def decorrelate(A: Matrix, rows: Sequence[int] | None = None) -> tuple[Matrix, list[int]]:
    """A changed to means 0 and covariance (divisor n) the identity, and the records that took the correction.

    In column v the entries of the first v - 1 of `rows` are replaced by those that make it uncorrelated with the
    columns before. The published algorithm takes the last records of the file, whatever they hold; without
    `rows` the records that make each system of equations well conditioned are taken.
    """
    A = np.array(A, order="F")
    A -= A.mean(axis=0)
    spread = np.zeros(A.shape[1])
    taken: list[int] = []
    for v in range(A.shape[1]):
        before = A[:, v].std()
        if v:
            taken.append(_pivot(A, v, taken) if rows is None else rows[v - 1])
            A[taken, v] = _replacing_entries(A, v, taken, spread)
            A[:, v] -= A[:, v].mean()
        spread[v] = A[:, v].std()
        if not spread[v] > _FLAT * before:
            raise BadInput(
                f"core='paper' cannot restore independent column {v + 1}: it is constant after masking;"
                " mask it less, or use core='polar'"
            )
    A /= spread
    return A, taken


def _pivot(A: Matrix, v: int, taken: list[int]) -> int:
    """The record that says most about column v - 1 beside those taken: partial pivoting of the first v columns."""
    from microveil.kernels.fixed.products import times
    from microveil.kernels.fixed.small import solve

    last = A[:, v - 1]
    if taken:
        last = last - times(A[:, : v - 1], solve(A[taken, : v - 1], last[taken, None]))[:, 0]
        last[taken] = 0.0
    return int(np.abs(last).argmax())


def _replacing_entries(A: Matrix, v: int, taken: list[int], spread: Matrix) -> Matrix:
    from microveil.kernels.fixed.small import solve
    from microveil.kernels.fixed.sums import exact_product

    system = A[taken, :v].T
    condition = _condition(system / spread[:v, None])
    if not condition <= LARGEST_CONDITION:
        raise BadInput(
            f"core='paper' cannot correct column {v + 1}: the equations for the records {taken} have condition"
            f" {condition:.2g}, more than {LARGEST_CONDITION:g}; use core='minimal' or 'polar'"
        )
    others = A[:, v].copy()
    others[taken] = 0.0
    return solve(system, -exact_product(A[:, :v], others[:, None]))[:, 0]


def _condition(system: Matrix) -> float:
    """How much the solution may outgrow the data: also one equation whose record lies at the mean is bad."""
    from microveil.kernels.fixed.small import svd

    sizes = svd(system)[1]
    return max(1.0, float(sizes[0])) / float(sizes[-1]) if sizes[-1] > 0 else float("inf")
