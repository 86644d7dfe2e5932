"""The groups of a release one by one: for the eyes of the data owner."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.data.matrices import indicators
from microveil.hybrid.groups.degenerate import constant_columns_of_groups
from microveil.hybrid.groups.unchanged import find_unchanged_cells
from microveil.measure import Pair
from microveil.run.release import Release


def describe_groups(release: Release) -> dict[str, Ints]:
    """Private: records, free dimensions, unchanged records and constant columns of each group of a release.

    Use it to look at the groups that give values away before a file leaves. Every list has one entry per group, in
    the numbering of `release.groups`. Free dimensions are records - 1 - the rank of the kept columns in the group
    (Domingo-Ferrer & Gonzalez-Nicolas 2010); constant columns are replaced ones with a single original value there.
    """
    from microveil.kernels.draws.groups import free_dimensions

    labels = release.groups
    if labels is None or (labels < 0).any():
        raise BadInput("the records of this release are not all in groups; give one of a method that forms groups")
    step = release.steps[max(release.groupings)]
    before, after = Pair.of(release.original, release).tables(step.columns)
    before = before.take(release.origin)
    given = release.original.table(step.given).take(release.origin)
    same = find_unchanged_cells(before, after.columns).all(axis=1)
    return {
        "records": np.bincount(labels),
        "free dimensions": free_dimensions(indicators(given, len(labels)), labels),
        "unchanged records": np.bincount(labels, weights=same).astype(np.int64),
        "constant columns": constant_columns_of_groups(before, labels).sum(axis=1),
    }
