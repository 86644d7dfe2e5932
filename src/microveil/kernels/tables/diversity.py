"""l-diversity: how many values of a confidential attribute a class of records leaves open.

Codes are values; whoever makes them gives a missing value a code of its own, so that it is a value like any other.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import ValueCounts, count_up, value_counts

Kind = Literal["distinct", "entropy", "recursive"]


def class_diversity(
    labels: Ints, codes: Ints, kind: Kind = "distinct", c: float = 2.0, records: Ints | None = None
) -> Floats:
    """Diversity of each class: distinct values, exp(entropy), or for `recursive` the largest l that holds.

    l holds where the most frequent value is less than c times as frequent as all values from the l-th on together:
    r_1 < c (r_l + ... + r_m). Merging classes lowers none of the three. Reference: Machanavajjhala, Kifer, Gehrke &
    Venkitasubramaniam 2007. `records`: how many each row stands for; None: one.
    """
    sizes = np.bincount(labels) if records is None else count_up(labels, records, int(labels.max(initial=-1)) + 1)
    return diversity_of_counts(value_counts(labels, codes, records), sizes, kind, c)


def diversity_of_counts(found: ValueCounts, sizes: Ints, kind: Kind = "distinct", c: float = 2.0) -> Floats:
    """The diversity of each class as `class_diversity` has it, from the counts of its values in any order."""
    classes, _, counts = found
    if kind == "distinct":
        return np.bincount(classes, minlength=len(sizes)).astype(np.float64)
    if kind == "entropy":
        share = counts / sizes[classes]
        return np.asarray(np.exp(-np.bincount(classes, weights=share * np.log(share), minlength=len(sizes))))
    order = np.lexsort((-counts, classes))
    classes, counts = classes[order], counts[order]
    opens = np.append(True, classes[1:] != classes[:-1])
    start = np.flatnonzero(opens)[np.cumsum(opens) - 1]
    before = np.cumsum(counts) - counts
    # records of the class with this value or a rarer one
    tail = sizes[classes] - (before - before[start])
    holds = counts[start] < c * tail
    return np.bincount(classes[holds], minlength=len(sizes)).astype(np.float64)
