"""Patterns of zeros, and which of the frequent ones is nearest to each rare one."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Ints, Words
from microveil.core.compiling import compiled

_BITS = 63  # columns in one word


def nearest_patterns(rare: Bools, frequent: Bools) -> Ints:
    """For each rare pattern of zeros (a row of booleans) the frequent one that it joins, the first of equally near.

    Near is first one in which fewest columns are zero that are not in the rare pattern, because an amount beside zeros
    only could not move; then one that has most of its zeros.
    """
    return _nearest(_packed(rare), _packed(frequent))


def _packed(patterns: Bools) -> Words:
    words = -(-patterns.shape[1] // _BITS)
    packed = np.zeros((len(patterns), words), dtype=np.uint64)
    for c in range(patterns.shape[1]):
        packed[:, c // _BITS] |= patterns[:, c].astype(np.uint64) << np.uint64(c % _BITS)
    return packed


@compiled
def _nearest(rare: Words, frequent: Words) -> Ints:
    found = np.zeros(len(rare), np.int64)
    for i in range(len(rare)):
        least_alone, least_other = 1 << 30, 1 << 30
        for j in range(len(frequent)):
            alone, other = 0, 0
            for w in range(rare.shape[1]):
                alone += _count_bits(frequent[j, w] & ~rare[i, w])
                other += _count_bits(rare[i, w] & ~frequent[j, w])
            if alone < least_alone or (alone == least_alone and other < least_other):
                least_alone, least_other, found[i] = alone, other, j
    return found


@compiled
def _count_bits(word: np.uint64) -> int:
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count
