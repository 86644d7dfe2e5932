"""Records of mixed kinds: how far apart they are, and points at just these distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from microveil.core.arrays import Ints, Matrix
from microveil.core.errors import BadInput
from microveil.data.table import Table, Values

WIDEST = 256
_KINDS = {"continuous": 0, "ordinal": 1, "nominal": 2}
_WITH_TABLE = 3
_MOST_LEVELS = 5_000  # of a hierarchy: the distances of all pairs take 200 MB


def records_of(
    table: Table, standardise: Any, weights: Sequence[float] | None = None, times: Ints | None = None
) -> tuple[Matrix, Any]:
    """The records of a table as numbers and codes, and their metric: hierarchies give distances of nominal levels.

    `weights`: one per column, 1 by default; `times`: how many records each row stands for, where not one.
    """
    from microveil.kernels.distances.mixed import mixed_metric
    from microveil.kernels.moments.scales import standardise as scaled

    kinds: list[int] = []
    tables: dict[int, Matrix] = {}
    categories: dict[int, int] = {}
    for j, values in enumerate(table.columns.values()):
        apart = hierarchy_distances(values)
        if apart is not None:
            tables[j] = apart
        if values.levels:
            categories[j] = len(values.levels)
        kinds.append(_KINDS[values.kind] if apart is None else _WITH_TABLE)
    X = table.matrix()
    metric = mixed_metric(X, kinds, categories=categories, tables=tables, weights=weights, times=times)
    scale = scaled(X, standardise).scale
    per_scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    return X, metric._replace(per_scale=np.where(metric.kinds == 0, per_scale, metric.per_scale))


def hierarchy_distances(values: Values) -> Matrix | None:
    """Distances of the levels of a nominal column whose hierarchy holds all of them; None for other columns."""
    from microveil.kernels.distances.mixed import hierarchy_table

    paths = values.hierarchy or {}
    if values.kind != "nominal" or not values.levels or not all(level in paths for level in values.levels):
        return None
    if len(values.levels) > _MOST_LEVELS:
        raise BadInput(
            f"a column with {len(values.levels):,} categories has a hierarchy, which gives distances of up to "
            f"{_MOST_LEVELS:,}; recode it with global-recode first, leave it out, or take its hierarchy back"
        )
    return hierarchy_table({level: paths[level] for level in values.levels})


def points_of(table: Table, standardise: Any, name: str) -> Matrix:
    """One point per record, so that any partition of points groups records of mixed kinds.

    Continuous columns are on a common scale; squared distances add those of ordinal codes divided by their number of
    levels, and 1 for different nominal categories or what their hierarchy says. A gap counts as the mean of a
    continuous column and as a category of its own elsewhere. Reference: distances of Domingo-Ferrer & Torra 2005.
    """
    from microveil.kernels.moments.scales import standardise as scaled

    continuous = [column for column in table.names if table[column].kind == "continuous"]
    parts = [scaled(fill_gaps(table.matrix(continuous)), standardise).values] if continuous else []
    parts += [_points_of_levels(table[column]) for column in table.names if column not in continuous]
    width = sum(part.shape[1] for part in parts[bool(continuous) :])
    if width > WIDEST:
        raise BadInput(
            f"{name} would need {width} coordinates for the categories of these columns and {WIDEST} are allowed; "
            "group by mdav, or leave out columns with many categories"
        )
    return np.ascontiguousarray(np.hstack(parts))


def fill_gaps(X: Matrix) -> Matrix:
    """X with every gap replaced by its column's mean (0 where nothing is observed): for distances only."""
    gaps = np.isnan(X)
    if not gaps.any():
        return X
    counts = (~gaps).sum(axis=0)
    means = np.divide(np.nansum(X, axis=0), counts, out=np.zeros(X.shape[1]), where=counts > 0)
    return np.where(gaps, means, X)


def _points_of_levels(values: Values) -> Matrix:
    codes = np.asarray(values.data, dtype=np.int64)
    if values.kind == "ordinal":
        gaps = codes < 0
        # in the middle, and off the line by the distance of two categories
        position = np.where(gaps, 0.5, codes / max(len(values.levels or ()), 1))
        return np.column_stack([position, gaps.astype(np.float64)]) if gaps.any() else position[:, None]
    used, inverse = np.unique(codes, return_inverse=True)
    apart = hierarchy_distances(values)
    if apart is None:
        return np.asarray((np.eye(len(used)) / np.sqrt(2.0))[inverse])
    between = np.where((used[:, None] < 0) | (used < 0), 1.0, apart[np.ix_(used, used)])
    np.fill_diagonal(between, 0.0)
    return np.asarray(_points_apart(between)[inverse])


def _points_apart(distances: Matrix) -> Matrix:
    """Points with given distances (Torgerson 1952); those of a hierarchy are ultrametric, so that there are some."""
    m = len(distances)
    centring = np.eye(m) - 1.0 / m
    roots, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
    return np.asarray(vectors * np.sqrt(np.clip(roots, 0.0, None)))
