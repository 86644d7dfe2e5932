"""Groups of records: whether a column differs inside them, and how many people classes hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Ints, Scalars
from microveil.data.table import Values
from microveil.kernels.tables.classes import class_counts, first_rows, group_rows


def differs_in_groups(values: Values, groups: Ints) -> bool:
    """Whether some group holds different values of the column; a gap is a value."""
    return len(class_counts([split(groups, values.numbers)])) > len(class_counts([groups]))


def split(labels: Ints, values: Scalars) -> Ints:
    """The classes of records with one label and one value, numbered from 0."""
    codes = values if np.issubdtype(values.dtype, np.integer) else np.unique(values, return_inverse=True)[1]
    return group_rows(np.column_stack([labels, codes]))[0]


def people_in(labels: Ints, origin: Ints) -> Ints:
    """How many different original records each class holds: one that was released twice is one person."""
    if holds_each_once(origin):
        return group_rows(labels[:, None])[1]
    pairs, counts = group_rows(np.column_stack([labels, origin]))
    of_pair = labels[first_rows(pairs, len(counts))]
    return group_rows(of_pair[:, None])[1]


def holds_each_once(origin: Ints) -> bool:
    """Whether no original record was released twice; all synthetic rows (-1) count as one record."""
    # np.unique would look every whole number up in a hash table, which takes longer than most methods
    return len(class_counts([origin])) == len(origin)


def classes_of(labels: Ints, columns: Sequence[Scalars]) -> Ints:
    """The classes of records with one label that agree on all the columns."""
    for values in columns:
        labels = split(labels, values)
    return labels
