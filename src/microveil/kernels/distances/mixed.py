"""Distances and averages of records with continuous, ordinal and nominal attributes.

A mixed table is a float64 matrix in which categorical columns hold category codes 0, 1, ...; a missing
value is NaN (for categories any negative code counts as missing too). The metric says what each column
is; it is a tuple of arrays, so compiled code takes it as an argument.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput
from microveil.kernels.moments.scales import standardise

CONTINUOUS, ORDINAL, NOMINAL, NOMINAL_WITH_TABLE = 0, 1, 2, 3


class MixedMetric(NamedTuple):
    """What the distance of two records needs to know of each column, as flat arrays.

    `per_scale` multiplies differences of continuous and ordinal columns (0 for a constant column);
    the K x K table of column j starts at `table_start[j]` of `tables`; `frequencies` holds the counts of
    the categories of column j in the whole file from `category_start[j]` on.
    """

    kinds: Ints
    per_scale: Floats
    weights: Floats
    categories: Ints
    category_start: Ints
    frequencies: Ints
    table_start: Ints
    tables: Floats


def mixed_metric(
    values: Floats,
    kinds: Sequence[int] | Ints,
    *,
    categories: Mapping[int, int] | None = None,
    tables: Mapping[int, Floats] | None = None,
    weights: Sequence[float] | Floats | None = None,
    reach_one: bool = False,
    times: Ints | None = None,
) -> MixedMetric:
    """The metric of a table: standard deviations (divisor n - 1), numbers of categories and counts.

    `categories`: size K of the domain of a column where it is more than the largest code + 1;
    `tables`: K x K distances of each column of kind 3; `weights`: one per column, 1 by default;
    `reach_one`: divide ordinal differences by K - 1, so that the extremes are at distance 1, instead of K;
    `times`: how many records each row stands for, one by default.
    Reference: Domingo-Ferrer & Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation.
    """
    kinds = np.asarray(kinds, dtype=np.int64)
    p = values.shape[1]
    w = np.ones(p) if weights is None else np.asarray(weights, dtype=np.float64)
    if kinds.shape != (p,) or w.shape != (p,):
        raise BadInput(f"{len(kinds)} kinds and {len(w)} weights for {p} columns; give one of each per column")
    if not np.isin(kinds, (CONTINUOUS, ORDINAL, NOMINAL, NOMINAL_WITH_TABLE)).all():
        raise BadInput(f"kinds {kinds.tolist()} must be 0 continuous, 1 ordinal, 2 nominal or 3 nominal with table")
    if not (np.isfinite(w).all() and (w >= 0).all() and w.sum() > 0):
        raise BadInput(f"attribute weights {w.tolist()} must be finite and >= 0, not all 0")
    scale = np.zeros(p)
    continuous = kinds == CONTINUOUS
    scale[continuous] = standardise(values[:, continuous]).scale
    flat = [_checked_table(tables, j) if kinds[j] == NOMINAL_WITH_TABLE else np.zeros((0, 0)) for j in range(p)]
    domain = dict(categories or {}) | {j: len(table) for j, table in enumerate(flat) if len(table)}
    counts = [_counts(values[:, j], j, domain, times) if kinds[j] else np.zeros(0, dtype=np.int64) for j in range(p)]
    sizes = np.array([len(c) for c in counts], dtype=np.int64)
    scale[kinds == ORDINAL] = sizes[kinds == ORDINAL] - (1 if reach_one else 0)
    table_sizes = np.array([table.size for table in flat], dtype=np.int64)
    return MixedMetric(
        kinds=kinds,
        per_scale=np.divide(1.0, scale, out=np.zeros(p), where=scale > 0),
        weights=w,
        categories=sizes,
        category_start=np.cumsum(sizes) - sizes,
        frequencies=np.concatenate(counts),
        table_start=np.cumsum(table_sizes) - table_sizes,
        tables=np.concatenate([table.ravel() for table in flat]),
    )


def hierarchy_table(
    paths: Mapping[Hashable, Sequence[Hashable]],
    distance: Literal["depth", "edges"] = "depth",
) -> Floats:
    """K x K distances of the leaves of a hierarchy, in the order of the mapping.

    A path runs from the nearest ancestor of the leaf up to the top; where the paths have no common top
    one is added. `depth`: 1 - depth of the lowest common ancestor / greatest depth; `edges`: edges between
    the leaves / (2 greatest depth). Both are metrics with values in [0, 1].
    """
    everyone = np.arange(len(paths))
    table = hierarchy_pairs(paths, everyone[:, None], everyone, distance)
    np.fill_diagonal(table, 0.0)
    return table


def hierarchy_pairs(
    paths: Mapping[Hashable, Sequence[Hashable]],
    first: Ints,
    second: Ints,
    distance: Literal["depth", "edges"] = "depth",
) -> Floats:
    """Distances of some pairs of different leaves, given by their places in the mapping: a table of few of them."""
    if distance not in ("depth", "edges"):
        raise BadInput(f"distance={distance!r} is not one of 'depth', 'edges'")
    from_top = [tuple(reversed(tuple(path))) for path in paths.values()]
    if len({path[:1] for path in from_top}) > 1 or () in from_top:
        from_top = [(None, *path) for path in from_top]
    lengths = np.array([len(path) for path in from_top], dtype=np.int64)
    deepest = int(lengths.max(initial=1))
    common = np.zeros(np.broadcast_shapes(first.shape, second.shape), dtype=np.int64)
    for level in range(deepest):
        # two leaves share an ancestor at this level when their paths agree from the top down to it
        names: dict[tuple[Hashable, ...], int] = {}
        nodes = np.array(
            [names.setdefault(p[: level + 1], len(names)) if len(p) > level else -1 - i for i, p in enumerate(from_top)]
        )
        common += nodes[first] == nodes[second]
    if distance == "depth":
        # the top has depth 0: a common ancestor at the m-th level from the top has depth m - 1
        return np.asarray(1.0 - (common - 1) / deepest)
    return np.asarray((lengths[first] + lengths[second] - 2 * (common - 1)) / (2.0 * deepest))


@compiled
def squared_distance(a: Floats, b: Floats, metric: MixedMetric) -> float:
    """Squared distance of two records (rows) over the attributes observed in both.

    The sum is scaled by total weight / jointly observed weight; infinite when nothing is observed in both.
    """
    total = 0.0
    seen = 0.0
    every = 0.0
    for j in range(a.shape[0]):
        weight = metric.weights[j]
        every += weight
        x = a[j]
        y = b[j]
        kind = metric.kinds[j]
        if np.isnan(x) or np.isnan(y) or (kind != CONTINUOUS and (x < 0 or y < 0)):
            continue
        seen += weight
        if kind <= ORDINAL:
            d = (x - y) * metric.per_scale[j]
        elif kind == NOMINAL:
            d = 0.0 if x == y else 1.0
        else:
            d = metric.tables[metric.table_start[j] + int(x) * metric.categories[j] + int(y)]
        total += weight * d * d
    if seen == every:
        return total
    return total * (every / seen) if seen > 0.0 else np.inf


@compiled
def average_rows(values: Floats, members: Ints, times: Ints, metric: MixedMetric, out: Floats) -> None:
    """Write the average record of the rows `members` into `out`: one operator per kind of column.

    Each row counts as often as `times` says.

    Mean, lower median, mode, or the category with the least sum of distances to the members; ties go to
    the category most frequent in the whole file, then to the lowest code. Only observed values count; a
    column without any gives NaN.
    """
    counts = np.zeros(max(1, metric.categories.max()) if metric.categories.size else 1, dtype=np.int64)
    for j in range(values.shape[1]):
        if metric.kinds[j] == CONTINUOUS:
            out[j] = _mean(values, members, times, j)
            continue
        K = metric.categories[j]
        counts[:K] = 0
        observed = 0
        for i in members:
            x = values[i, j]
            if x >= 0:
                counts[int(x)] += times[i]
                observed += times[i]
        if observed == 0:
            out[j] = np.nan
        elif metric.kinds[j] == ORDINAL:
            out[j] = lower_median(counts, observed)
        else:
            out[j] = central_category(counts, K, j, metric)


@compiled
def _mean(values: Floats, members: Ints, times: Ints, j: int) -> float:
    first = np.nan
    total = 0.0
    observed = 0
    for i in members:
        x = values[i, j]
        if np.isnan(x):
            continue
        if observed == 0:
            # differences from one member: equal values average to exactly themselves
            first = x
        total += times[i] * (x - first)
        observed += times[i]
    return first + total / observed if observed else np.nan


@compiled
def lower_median(counts: Ints, observed: int) -> float:
    """The median category of counts in order; of an even number the lower one."""
    below = 0
    code = 0
    while 2 * (below + counts[code]) < observed:
        below += counts[code]
        code += 1
    return float(code)


@compiled
def central_category(counts: Ints, K: int, j: int, metric: MixedMetric) -> float:
    """The category nearest to all members: the mode, or the centre of a hierarchy; ties as for averages."""
    best = -1
    best_cost = 0.0
    start = metric.category_start[j]
    for code in range(K):
        if counts[code] == 0:
            continue
        cost = -float(counts[code])
        if metric.kinds[j] == NOMINAL_WITH_TABLE:
            cost = 0.0
            for other in range(K):
                if counts[other]:
                    cost += counts[other] * metric.tables[metric.table_start[j] + code * K + other]
        # sums of the same distances in another order may differ in the last bits
        slack = 1e-12 * abs(best_cost)
        more_frequent = best >= 0 and metric.frequencies[start + code] > metric.frequencies[start + best]
        if best < 0 or cost < best_cost - slack or (cost <= best_cost + slack and more_frequent):
            best = code
            best_cost = cost
    return float(best)


@compiled
def _distances(A: Floats, B: Floats, metric: MixedMetric, out: Floats) -> None:
    for i in range(A.shape[0]):
        for k in range(B.shape[0]):
            out[i, k] = np.sqrt(squared_distance(A[i], B[k], metric))


def record_distances(A: Floats, B: Floats, metric: MixedMetric) -> Floats:
    """Distances sqrt(sum_j w_j d_j^2) of each record of A to each record of B, as a matrix.

    For large files hand in blocks of rows.
    """
    out = np.empty((len(A), len(B)))
    _distances(_rows(A), _rows(B), metric, out)
    return out


def average(values: Floats, metric: MixedMetric, members: Ints | None = None) -> Floats:
    """The average record of the rows `members` (all rows by default); see `average_rows`."""
    chosen = np.arange(len(values)) if members is None else np.asarray(members, dtype=np.int64)
    out = np.empty(values.shape[1])
    average_rows(_rows(values), chosen, np.ones(len(values), dtype=np.int64), metric, out)
    return out


def _rows(X: Floats) -> Floats:
    return np.ascontiguousarray(X, dtype=np.float64)


def _counts(column: Floats, j: int, domain: Mapping[int, int], times: Ints | None) -> Ints:
    """How often each category of the domain occurs."""
    observed = column >= 0
    codes = column[observed]
    if (codes != np.floor(codes)).any():
        raise BadInput(f"column {j} is categorical: give whole category codes 0, 1, ...; it holds other numbers")
    found = int(codes.max()) + 1 if len(codes) else 1
    K = domain.get(j, found)
    if found > K:
        raise BadInput(f"column {j} holds code {found - 1} but has {K} categories; codes run from 0 to K - 1")
    often = None if times is None else times[observed]
    return np.bincount(codes.astype(np.int64), weights=often, minlength=K).astype(np.int64)


def _checked_table(tables: Mapping[int, Floats] | None, j: int) -> Floats:
    if tables is None or j not in tables:
        raise BadInput(f"column {j} is nominal with a table; give its K x K distances in tables[{j}]")
    table = np.ascontiguousarray(tables[j], dtype=np.float64)
    square = table.ndim == 2 and table.shape[0] == table.shape[1] > 0
    if not (square and np.isfinite(table).all() and (table >= 0).all()):
        raise BadInput(f"the table of column {j} must be square with finite distances >= 0: shape {table.shape}")
    if not np.allclose(table, table.T) or np.diag(table).any():
        raise BadInput(f"the table of column {j} must be symmetric with a diagonal of 0")
    return table
