"""Latin hypercube samples with the rank correlations of a file."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.ordering import distinct, sorted_floats, stable_order
from microveil.core.threads import on_all_cores
from microveil.kernels.fixed.products import times
from microveil.kernels.fixed.small import eigh
from microveil.kernels.fixed.sums import exact_product
from microveil.kernels.linalg.bases import correlation_scale, symmetric_root
from microveil.kernels.moments.central import column_means, constant_columns, mean_and_covariance

_PATIENCE = 4  # rounds without a nearer order before refining stops


def latin_hypercube(X: Floats, records: int, stepped: Bools, rounds: int, generator: np.random.Generator) -> Floats:
    """Records whose columns have one value in each of `records` equally probable strata, ranked like X together.

    Values are empirical quantiles, interpolated, or the observed steps where a column is `stepped`. The order
    of the values is refined until the rank correlations stop coming nearer to those of X (Iman & Conover
    1982; Dandekar, Cohen & Kirkendall 2002).
    """
    varying = np.flatnonzero(~constant_columns(X))
    columns = [_stratified(X[:, j], records, bool(stepped[j]), generator) for j in varying]
    order = _correlated_order(spearman(X[:, varying]), columns, rounds, generator)
    out = np.repeat(X[:1], records, axis=0)
    for k, j in enumerate(varying):
        out[:, j] = columns[k][order[:, k]]
    return out


def spearman(X: Floats) -> Floats:
    """Rank correlations with average ranks for ties; 0 with a constant column."""
    return _correlations(np.column_stack([_average_ranks(x) for x in X.T]) if X.shape[1] else np.zeros((len(X), 0)))


def _correlations(ranks: Floats) -> Floats:
    C = correlation_scale(mean_and_covariance(ranks)[1])[1]
    np.fill_diagonal(C, 1.0)
    return np.asarray(C)


def nearest_correlation(C: Floats) -> Floats:
    """C without negative eigenvalues, its diagonal ones (Higham's first step, then rescaled)."""
    w, U = eigh((C + C.T) / 2)
    if len(w) == 0 or w[0] >= 0:
        return np.asarray((C + C.T) / 2)
    fixed = times(U * np.clip(w, 0.0, None), U.T)
    d = np.sqrt(np.diag(fixed))
    return np.asarray(fixed / np.outer(d, d))


def _average_ranks(x: Floats) -> Floats:
    _, inverse, counts = distinct(x)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)


def _stratified(x: Floats, records: int, stepped: bool, generator: np.random.Generator) -> Floats:
    """Increasing values, one in each of `records` strata of equal probability."""
    u = (np.arange(records) + generator.random(records)) / records
    ordered = sorted_floats(x)
    if stepped:
        return np.asarray(ordered[np.minimum((u * len(x)).astype(np.int64), len(x) - 1)])
    return np.asarray(np.interp(u * (len(x) - 1), np.arange(len(x)), ordered))


def _correlated_order(C: Floats, columns: list[Floats], rounds: int, generator: np.random.Generator) -> Ints:
    """For each column which of its increasing values each record gets."""
    records, p = len(columns[0]) if columns else 0, len(columns)
    # normal scores in random order; the sums of several draws are not needed, their ranks are
    scores = ndtri((np.arange(records) + 0.5) / max(records, 1))
    M = np.column_stack([generator.permutation(scores) for _ in range(p)]) if p else np.zeros((records, 0))
    if records < 2 or p < 2:
        return _places(M)
    drawn = _whitened(M)
    target, best, closest, vain = C.copy(), _places(M), np.inf, 0
    ranks = [_average_ranks(values) for values in columns]  # of increasing values: an order only moves them
    for _ in range(max(rounds, 1)):
        # the symmetric root moves little when the target does, so that rounds build on one another
        order = _places(times(drawn, symmetric_root(nearest_correlation(target))))
        found = _correlations(np.column_stack([of_values[order[:, k]] for k, of_values in enumerate(ranks)]))
        gap = float(np.abs(C - found).max())
        if gap < closest:
            best, closest, vain = order, gap, 0
        else:
            vain += 1
        if vain == _PATIENCE:
            break
        target = target + (C - found)
        np.fill_diagonal(target, 1.0)
    return best


def _whitened(M: Floats) -> Floats:
    """M turned so that its columns are uncorrelated (as far as it has rank)."""
    centred = M - column_means(M)
    w, U = eigh(exact_product(centred))
    root = np.divide(1.0, np.sqrt(np.maximum(w, 0.0)), out=np.zeros(len(w)), where=w > 1e-12 * w[-1])
    return times(centred, times(U * root, U.T) * np.sqrt(len(M)))


def _places(M: Floats) -> Ints:
    order = np.empty(M.shape, dtype=np.int64, order="F")
    for j, rising in enumerate(on_all_cores(stable_order, M.T, len(M))):
        order[rising, j] = np.arange(len(M))
    return order
