"""Stable orders of numbers by their digits: in time that grows with their number alone.

A comparison sort of a million doubles takes seven times as long. Numbers are sorted by the 32 leading bits of their
range in three rounds of 11 bits; where those are equal, the few that stand together are put in order by all bits.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from microveil.core.arrays import Floats, Ints, Words

Numbers = TypeVar("Numbers", Floats, Ints, Words)

# A million doubles: 0.13 s by NumPy's stable sort, 0.08 s by its fastest, 0.02 to 0.03 s by digits.
_FEW = 400  # numbers below which NumPy is as fast
_MANY = 2**32  # a position must fit beside the leading bits
_SIGN = np.uint64(1 << 63)


def stable_order(values: Numbers) -> Ints:
    """Where the least of the numbers stands, the next, and so on; equal ones in their order, NaN last.

    >>> stable_order(np.array([2.0, -1.0, np.nan, -1.0])).tolist()
    [1, 3, 0, 2]
    """
    if not _FEW < len(values) < _MANY or values.dtype not in (np.float64, np.int64, np.uint64):
        return np.argsort(values, kind="stable")
    from microveil.core.radix import keys_of_floats, order_of_words  # compiled: loaded where it is needed

    bits = np.ascontiguousarray(values).view(np.uint64)
    if values.dtype == np.float64:
        return order_of_words(keys_of_floats(bits))
    return order_of_words(bits ^ _SIGN if values.dtype == np.int64 else bits)


def sorted_floats(values: Floats) -> Floats:
    """The numbers from the least on, NaN last."""
    return values[stable_order(values)]


def distinct(values: Numbers) -> tuple[Numbers, Ints, Ints]:
    """The different values from the least on, the number of each value among them, and how often each occurs.

    >>> values, labels, counts = distinct(np.array([7, 3, 7]))
    >>> values.tolist(), labels.tolist(), counts.tolist()
    ([3, 7], [1, 0, 1], [1, 2])
    """
    order = stable_order(values)
    ordered = values[order]
    begins = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    counts = np.diff(begins, prepend=0, append=len(values)) if len(values) else begins
    labels = np.empty(len(values), dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(counts)), counts)
    return ordered[np.cumsum(counts) - counts], labels, counts
