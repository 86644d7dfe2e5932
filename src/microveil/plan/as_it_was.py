"""Whether a column was released as it is."""

from __future__ import annotations

import numpy as np

from microveil.measure import Pair


def is_as_it_was(pair: Pair, name: str) -> bool:
    """Whether the released values of a column are the original's own, record by record where that is known."""
    before, after = (table[name].data for table in pair.tables([name]))
    if pair.link is None:
        return np.array_equal(np.sort(before), np.sort(after), equal_nan=True)
    left, right = pair.linked_rows
    return np.array_equal(before[left], after[right], equal_nan=True)
