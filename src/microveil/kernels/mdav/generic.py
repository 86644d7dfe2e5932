"""MDAV for records of continuous, ordinal and nominal attributes, with missing values.

The distance is that of mixed records, and the centre is their attribute-wise mean, median or mode, kept up to date by
running sums and counts. Use it where a column is no number or a value is missing. Reference: Domingo-Ferrer & Torra
(2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data Mining and Knowledge
Discovery 11.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.distances.exact import add_to_sums, insert_nearest
from microveil.kernels.distances.mixed import (
    CONTINUOUS,
    ORDINAL,
    MixedMetric,
    central_category,
    lower_median,
    squared_distance,
)
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.moments.scales import standardise


def mdav_generic(values: Floats, metric: MixedMetric, k: int) -> Ints:
    """Groups of k (the last one k to 2k-1) in order of formation; ties go to the lowest row index.

    `values` holds numbers and category codes, NaN or a negative code where one is missing; distances are averaged over
    the attributes observed in both records. Complete continuous data take the engine for numbers: the labels are
    those of `mdav` on the standardised columns, times the roots of their weights.
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if k < 2:
        return np.arange(len(values))
    if (metric.kinds == CONTINUOUS).all() and not np.isnan(values).any():
        return mdav(_scale(values, metric), k)
    return generic_labels(values, metric, k)


def _scale(values: Floats, metric: MixedMetric) -> Floats:
    """Continuous columns on the scale of the metric, which may be that of a larger file."""
    own = standardise(values)
    own_scale = np.divide(1.0, own.scale, out=np.zeros_like(own.scale), where=own.scale > 0)
    # on the same scale: to the last bit what a caller who standardises the columns hands to the engine for numbers
    same = (own_scale == metric.per_scale).all()
    scaled = own.values if same else (values - own.centre) * metric.per_scale
    return np.ascontiguousarray(scaled * np.sqrt(metric.weights))


@compiled
def generic_labels(values: Floats, metric: MixedMetric, k: int) -> Ints:
    """The groups by full scans with the distance of mixed records, for any kinds of columns."""
    n, p = values.shape
    labels = np.full(n, -1)
    rows = np.arange(n)
    sums, observed, counts = np.zeros((2, p)), np.zeros(p, dtype=np.int64), np.zeros_like(metric.frequencies)
    for i in range(n):
        _count_record(values[i], metric, 1, sums, observed, counts)
    centre = np.empty(p)
    distances = np.empty(n)
    nearest = np.empty(k)
    members = np.empty(k, dtype=np.int64)
    left, label = n, 0
    while left >= 2 * k:
        _find_centre(metric, sums, observed, counts, centre)
        _measure(values, rows, left, centre, metric, distances)
        seed = _farthest(distances, left)
        spare_row = -1
        groups = 2 if left >= 3 * k else 1
        for group in range(groups):
            _measure(values, rows, left, values[rows[seed]], metric, distances)
            distances[seed] = np.nan
            if group == 0 and groups == 2:
                spare = _farthest(distances, left)
                spare_row = rows[spare]
                distances[spare] = np.nan
            _choose_members(distances, left, seed, nearest, members)
            for place in members:
                labels[rows[place]] = label
                _count_record(values[rows[place]], metric, -1, sums, observed, counts)
            left = _drop_grouped(rows, labels, left)
            label += 1
            if group == 0 and groups == 2:
                seed = int(np.searchsorted(rows[:left], spare_row))
    labels[rows[:left]] = label
    return labels


@compiled
def _count_record(record: Floats, metric: MixedMetric, sign: int, sums: Floats, observed: Ints, counts: Ints) -> None:
    """Let a record enter (sign 1) or leave (-1) the sums of numbers and the counts of categories."""
    numbers = np.zeros(record.shape[0])
    for j in range(record.shape[0]):
        x = record[j]
        if np.isnan(x) or (metric.kinds[j] != CONTINUOUS and x < 0):
            continue
        observed[j] += sign
        if metric.kinds[j] == CONTINUOUS:
            numbers[j] = x
        else:
            counts[metric.category_start[j] + int(x)] += sign
    add_to_sums(sums, numbers, float(sign))


@compiled
def _find_centre(metric: MixedMetric, sums: Floats, observed: Ints, counts: Ints, centre: Floats) -> None:
    """The mean, lower median or mode of each column over the records left; NaN where nothing is observed."""
    for j in range(centre.shape[0]):
        column = counts[metric.category_start[j] : metric.category_start[j] + metric.categories[j]]
        if observed[j] == 0:
            centre[j] = np.nan
        elif metric.kinds[j] == CONTINUOUS:
            centre[j] = sums[0, j] / observed[j]
        elif metric.kinds[j] == ORDINAL:
            centre[j] = lower_median(column, observed[j])
        else:
            centre[j] = central_category(column, metric.categories[j], j, metric)


@compiled
def _measure(values: Floats, rows: Ints, left: int, point: Floats, metric: MixedMetric, distances: Floats) -> None:
    """Squared distances of the records left from a point."""
    for i in range(left):
        distances[i] = squared_distance(values[rows[i]], point, metric)


@compiled
def _farthest(distances: Floats, left: int) -> int:
    """First place of the largest distance that is a number."""
    best, largest = -1, -1.0
    for i in range(left):
        if distances[i] > largest:
            best, largest = i, distances[i]
    return best


@compiled
def _choose_members(distances: Floats, left: int, seed: int, nearest: Floats, members: Ints) -> None:
    """The places of a group: the k-1 nearest by (distance, row), never one whose distance is NaN, and the seed."""
    size = members.shape[0] - 1
    nearest[:] = np.inf
    members[:] = left
    for i in range(left):
        if distances[i] <= nearest[size - 1]:
            insert_nearest(nearest, members, size, distances[i], i)
    members[size] = seed


@compiled
def _drop_grouped(rows: Ints, labels: Ints, left: int) -> int:
    """Close the gaps of grouped records, keeping the row order; the number of records left."""
    place = 0
    for i in range(left):
        if labels[rows[i]] < 0:
            rows[place] = rows[i]
            place += 1
    return place
