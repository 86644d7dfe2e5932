"""MDAV through the search tree to the end, where the engine would change over to scans."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.distances.exact import start_sums
from microveil.kernels.mdav.indexed import search_rounds
from microveil.kernels.mdav.plain import mdav_plain
from microveil.kernels.search.box_tree import fits_index


def mdav_indexed(X: Floats, k: int) -> Ints:
    """Groups of k (the last one k to 2k-1) in order of formation: the labels of `mdav_plain`, by the tree to the end.

    X is standardised, complete and C-contiguous; ties go to the lowest row index; k = 1 gives singletons.
    """
    n = X.shape[0]
    if k < 2:
        return np.arange(n)
    if not fits_index(X):
        return mdav_plain(X, k)
    labels = np.full(n, -1)
    sums = start_sums(X)
    label, left = 0, n
    while left >= 2 * k:
        label, left, _ = search_rounds(X, k, labels, sums, label, left, True)
    labels[labels < 0] = label
    return labels
