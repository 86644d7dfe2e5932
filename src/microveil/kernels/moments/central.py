"""Means, covariances and joint central moments that survive large shifts and scales."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.fixed.group_sums import exact_variances_in_groups, extremes_in_groups
from microveil.kernels.fixed.sums import ExactMoments, Grid, exact_means, exact_product, exact_variances

_CELLS_PER_BLOCK = 1 << 18  # 2 MB of float64: temporaries stay small beside the data
_ROUNDING = 8 * np.finfo(np.float64).eps
_ROWS_FIRST = 64  # records that tell of most columns that they vary


class CentredMoments(NamedTuple):
    """The means of columns, each as `start` + `shift` with twice the digits of one number, and their covariances."""

    start: Floats
    shift: Floats
    covariance: Floats


class PairMoments(NamedTuple):
    """Central moments of all pairs of attributes; entry (i, j) belongs to attributes i and j.

    Divisor n. `mu31[i, j]` is the mean of (x_i - m_i)^3 (x_j - m_j).
    """

    mean: Floats
    mu20: Floats
    mu02: Floats
    mu11: Floats
    mu22: Floats
    mu31: Floats
    mu13: Floats
    mu40: Floats
    mu04: Floats


def row_blocks(X: Floats) -> Iterator[slice]:
    """Slices of consecutive rows of a moderate number of cells."""
    step = max(1, _CELLS_PER_BLOCK // max(1, X.shape[1]))
    return (slice(first, first + step) for first in range(0, len(X), step))


def centred_blocks(X: Floats, centre: Floats) -> Iterator[tuple[slice, Floats]]:
    """Blocks of rows less a centre, all in one buffer of the layout of X: use each before the next."""
    columns_first = X.flags.f_contiguous and not X.flags.c_contiguous
    buffer = np.empty((0, X.shape[1]))
    for rows in row_blocks(X):
        block = X[rows]
        if len(block) != len(buffer):
            buffer = np.empty(block.shape, order="F" if columns_first else "C")
        yield rows, np.subtract(block, centre, out=buffer)


def constant_columns(X: Floats) -> Bools:
    """Mark the columns whose values differ by no more than rounding of their magnitude.

    The range decides, not the standard deviation: one differing record among a million counts.
    """
    constant = _within_rounding(X[:_ROWS_FIRST], 2 * _ROUNDING)
    possible = np.flatnonzero(constant)
    # what differs by twice as much among a few records differs among all, however large others are
    if len(possible):
        constant[possible] = _within_rounding(X[:, possible], _ROUNDING)
    return constant


def _within_rounding(X: Floats, rounding: float) -> Bools:
    return is_narrow(X.min(axis=0), X.max(axis=0), rounding)


def is_narrow(low: Floats, high: Floats, rounding: float = _ROUNDING) -> Bools:
    """Whether columns between these ends differ by no more than rounding of their magnitude."""
    return np.asarray(high - low <= rounding * np.maximum(np.abs(high), np.abs(low)))


def mean_and_covariance(X: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Mean vector and covariance matrix with divisor n (or the sum of the weights).

    Use it wherever the literature writes m and V. Constant columns get variance exactly 0. Without weights the sums
    are exact and rounded once: order and blocks of the records, and the processor, do not matter.
    """
    start, shift, covariance = centred_moments(X, weights)
    return start + shift, covariance


def centred_moments(X: Floats, weights: Floats | None = None) -> CentredMoments:
    """The mean as start + shift, which together hold more digits than one number, and the covariance."""
    w = _checked_weights(X, weights)
    low, high = X.min(axis=0), X.max(axis=0)
    if w is None:
        return finish_moments(ExactMoments.of(X, Grid.between(low, high)), low, high)
    return _with_constants(*_weighted(X, w), low, high)


def finish_moments(moments: ExactMoments, low: Floats, high: Floats) -> CentredMoments:
    """As `centred_moments`, from sums over the records and the smallest and largest value of each column."""
    return _with_constants(*moments.mean_and_rest(), moments.covariance(), low, high)


def _with_constants(start: Floats, shift: Floats, covariance: Floats, low: Floats, high: Floats) -> CentredMoments:
    constant = (np.sqrt(np.diag(covariance)) <= 8 * _ROUNDING * np.abs(start)) & is_narrow(low, high)
    covariance[constant, :] = 0.0
    covariance[:, constant] = 0.0
    # the smallest value, not the first: the order of the records does not matter
    return CentredMoments(np.where(constant, low + 0.0, start), np.where(constant, 0.0, shift), covariance)


def column_means(X: Floats) -> Floats:
    """Means of the columns, exact sums rounded once."""
    return exact_means(X)


def standard_deviations(X: Floats, ddof: int = 1) -> Floats:
    """Standard deviations of the columns with divisor n - ddof; exactly 0 for constant columns."""
    n = len(X)
    if n <= ddof:
        raise NotEnoughRecords(
            f"a standard deviation with divisor n - {ddof} needs more than {ddof} records: {n} given"
        )
    low, high = X.min(axis=0), X.max(axis=0)
    return _deviations(exact_variances(X, Grid.between(low, high)), n, low, high, ddof)


def finish_deviations(moments: ExactMoments, low: Floats, high: Floats, ddof: int = 1) -> Floats:
    """As `standard_deviations`, from sums over the records and the smallest and largest value of each column."""
    return _deviations(np.diag(moments.covariance()), moments.records, low, high, ddof)


def deviations_in_groups(x: Floats, labels: Ints, groups: int) -> Floats:
    """Standard deviations (divisor n - 1) of groups of at least two values: those that each has by itself."""
    low, high = extremes_in_groups(x, labels, groups)
    return _deviations(exact_variances_in_groups(x, labels, low, high), np.bincount(labels), low, high, 1)


def _deviations(variances: Floats, n: int | Ints, low: Floats, high: Floats, ddof: int) -> Floats:
    return np.where(is_narrow(low, high), 0.0, np.sqrt(variances * (n / (n - ddof))))


def pair_moments(X: Floats) -> PairMoments:
    """Central moments up to order four of every pair of attributes, in blocks of rows.

    Use it for the sampling variances of covariances and correlations (Kendall & Stuart, The Advanced
    Theory of Statistics, vol. 1).
    """
    n, p = X.shape
    if n == 0:
        raise NotEnoughRecords("moments need at least 1 record: 0 given")
    low, high = X.min(axis=0), X.max(axis=0)
    start, shift = _two_step_mean(X)
    scale = scale_of_pairs(low, high)
    per_scale = np.divide(1.0, scale, out=np.zeros(p), where=scale > 0)
    mu11, mu22, mu31 = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    for rows in row_blocks(X):
        z = (X[rows] - start - shift) * per_scale
        square = z * z
        mu11 += z.T @ z
        mu22 += square.T @ square
        mu31 += (square * z).T @ z
    return finish_pair_moments(n, np.where(scale > 0, start + shift, X[0]), scale, mu11, mu22, mu31)


def scale_of_pairs(low: Floats, high: Floats) -> Floats:
    """The scale in which powers of columns with these ends are summed; 0 where they do not vary.

    A power of two: scaling and unscaling are free of rounding, so that half the range does as well as any spread.
    """
    return np.where(is_narrow(low, high), 0.0, np.ldexp(1.0, np.frexp(high / 2 - low / 2)[1]))


def finish_pair_moments(
    n: int, mean: Floats, scale: Floats, sums11: Floats, sums22: Floats, sums31: Floats
) -> PairMoments:
    """As `pair_moments`, from sums of products of powers over n records in units of the scale."""
    s2, p = scale * scale, len(scale)
    mu11 = sums11 * (np.outer(scale, scale) / n)
    mu31 = sums31 * (np.outer(s2 * scale, scale) / n)
    mu40 = np.broadcast_to((np.diag(sums22) * s2 * s2 / n)[:, None], (p, p))
    mu22 = sums22 * (np.outer(s2, s2) / n)
    mu20 = np.broadcast_to(np.diag(mu11)[:, None], (p, p))
    return PairMoments(mean, mu20, mu20.T, mu11, mu22, mu31, mu31.T, mu40, mu40.T)


def _checked_weights(X: Floats, weights: Floats | None) -> Floats | None:
    """Weights that add up to one; None where all records count alike."""
    n = len(X)
    if n == 0:
        raise NotEnoughRecords("a mean needs at least 1 record: 0 given")
    if weights is None:
        return None
    if weights.shape != (n,):
        raise BadInput(f"weights have shape {weights.shape}; give one weight for each of the {n} records")
    total = float(weights.sum())
    if not (weights.min() >= 0 and 0 < total < np.inf):
        raise BadInput(f"weights range from {weights.min()} to {weights.max()}; give finite weights >= 0, not all 0")
    return np.asarray(weights / total)


def _two_step_mean(X: Floats) -> tuple[Floats, Floats]:
    """The mean as start + shift: the sum may need more digits than one number holds."""
    n, p = X.shape
    start = sum((X[rows].sum(axis=0) / n for rows in row_blocks(X)), np.zeros(p))
    shift = sum(((X[rows] - start).sum(axis=0) / n for rows in row_blocks(X)), np.zeros(p))
    return start, shift


def _weighted(X: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean as start + shift and covariance under weights that add up to one, about the mean."""
    counted = w > 0  # who counts for nothing must not coarsen the grid of the sums
    X, w = X[counted], w[counted]
    start = exact_product(w[:, None], X)[0]
    centred = X - start
    shift = exact_product(w[:, None], centred)[0]
    cross = exact_product(centred * w[:, None], centred)
    covariance = cross - np.outer(shift, shift)
    return start, shift, (covariance + covariance.T) / 2
