"""Distances of original and released values of one column, for every kind of column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.data.table import Values


class CellDistances(NamedTuple):
    """Distance of each linked pair of cells: NaN where it says nothing; `emptied`: missing in one file only."""

    distance: Floats
    emptied: Bools
    scale: float


def cell_distances(original: Values, before: Values, after: Values) -> CellDistances:
    """Distances of linked cells: differences in standard deviations, in shares of the number of ordered categories,
    0 or 1 for categories, or by their hierarchy.

    `original` is the whole column, whose spread is the unit. Cells missing in both files have distance 0;
    categories missing in one file only have distance 1, numbers NaN.
    """
    emptied = before.missing != after.missing
    neither = before.missing & after.missing
    if original.levels is None:
        distance, scale = _continuous(original, before, after)
    elif original.kind == "ordinal":
        # released categories outside the original order have no place in it
        known = _known_levels(original)
        outside = np.maximum(before.data, after.data) >= known
        distance, scale = np.where(outside, 1.0, np.abs(before.data - after.data) / max(known, 1)), float(known)
    else:
        distance, scale = _nominal(before, after), 1.0
    distance = np.where(emptied, np.nan if original.levels is None else 1.0, distance)
    return CellDistances(np.where(neither, 0.0, distance), emptied, scale)


def _continuous(original: Values, before: Values, after: Values) -> tuple[Floats, float]:
    from microveil.kernels.moments.scales import standardise

    scale = float(standardise(original.data[:, None]).scale[0])
    change = np.abs(before.data - after.data)
    if scale > 0:
        return change / scale, scale
    # a constant column: any change of it is a whole one
    return (change > 0).astype(np.float64), 1.0


def _known_levels(values: Values) -> int:
    """The number of categories that occur in the original."""
    return int(values.data.max(initial=-1)) + 1


def _nominal(before: Values, after: Values) -> Floats:
    different: Floats = (before.data != after.data).astype(np.float64)
    if not before.hierarchy or not before.levels:
        return different
    from microveil.kernels.distances.mixed import hierarchy_pairs

    known = {level: before.hierarchy[level] for level in before.levels if level in before.hierarchy}
    number = {level: i for i, level in enumerate(known)}
    place = np.array([number.get(level, -1) for level in before.levels] + [-1])
    i, j = place[before.data], place[after.data]
    # not of all pairs of levels: a column may have very many
    told = (i >= 0) & (j >= 0) & (i != j)
    different[told] = hierarchy_pairs(known, i[told], j[told])
    return different
