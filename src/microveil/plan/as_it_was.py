"""Whether a column was released as it is."""

from __future__ import annotations

import numpy as np

from microveil.measure import Pair

_NOBODY = np.empty(0, dtype=np.int64)


def is_as_it_was(pair: Pair, name: str) -> bool:
    """Whether the released values of a column are the original's own, record by record where that is known.

    Records that came from no one are compared as a whole: of the few or none that came from somebody nothing follows.
    """
    before, after = (table[name].data for table in pair.tables([name]))
    left, right = pair.linked_rows if pair.link is not None else (_NOBODY, _NOBODY)
    if len(right) < len(after):
        return np.array_equal(np.sort(before), np.sort(after), equal_nan=True)
    return np.array_equal(before[left], after[right], equal_nan=True)
