"""MDAV by the quicker of its two exact engines, chosen and changed by the data.

Reference: Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
microaggregation, Data Mining and Knowledge Discovery 11.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.progress import watching
from microveil.kernels.distances.exact import padded, start_sums
from microveil.kernels.mdav.indexed import search_rounds
from microveil.kernels.mdav.plain import scan_rounds
from microveil.kernels.search.box_tree import fits_index


def mdav(X: Floats, k: int) -> Ints:
    """Groups of k (the last one k to 2k-1) in order of formation, by the exact MDAV heuristic.

    X is standardised, complete and C-contiguous; ties go to the lowest row index; k = 1 gives singletons. Large files
    go through an index as long as it saves work; small files, the last records of large ones, and data whose
    dimension defeats the index are scanned. All ways lead to the same labels.
    """
    n, d = X.shape
    if k < 2:
        return np.arange(n)
    labels = np.full(n, -1)
    sums = start_sums(X)
    label, left = 0, n
    # from here on an attempt at the index costs a small part of what full scans would
    many = 400 * k * padded(d)
    if n < many or not fits_index(X):
        many = n + 1
    rounds = 2000
    worth = n >= many
    with watching(lambda: int(labels.max()) * k / n):
        while left >= 2 * k:
            if worth:
                label, left, worth = search_rounds(X, k, labels, sums, label, left, False)
            else:
                label, left = scan_rounds(X, k, labels, sums, label, left, rounds if left >= many else left)
                worth = True
                rounds *= 2
    labels[labels < 0] = label
    return labels
