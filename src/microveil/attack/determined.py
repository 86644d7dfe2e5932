"""Values that another column determines, learned from the rows that show both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import group_rows

FEWEST_ALIKE = 3  # records that agree before a value is concluded
MOST_WRONG = 0.01  # share of wrong conclusions about rows that show their value, up to which one is sure
# In small files a value may seem to follow from a weight by chance; below this it is a note in audits, not an error.
FEWEST_TRIED = 100  # conclusions that could be checked
_BESIDE = 2  # amounts on either side that must belong to one value


class Determined(NamedTuple):
    """The value that follows for each row (-1: none), and how far such conclusions can be relied on.

    `reliable` is the share of true ones when each shown value is concluded from the others, `tried` their number.
    """

    value: Ints
    reliable: float
    tried: int

    @property
    def sure(self) -> bool:
        """Whether hardly any conclusion that can be checked is wrong."""
        return self.tried >= FEWEST_TRIED and self.reliable >= 1 - MOST_WRONG


def conclude(target: Ints, by: Ints) -> Determined:
    """What follows where all rows with the same `by` that show the target agree on it; codes, -1 where missing."""
    seen = (target >= 0) & (by >= 0)
    if not seen.any():
        return Determined(np.full(len(target), -1, dtype=np.int64), 0.0, 0)
    groups = int(by.max()) + 1
    pairs, size = group_rows(np.column_stack([by[seen], target[seen]]))
    first = np.unique(pairs, return_index=True)[1]
    group, value = by[seen][first], target[seen][first]
    total, most = np.zeros((2, groups), dtype=np.int64)
    np.add.at(total, group, size)
    np.maximum.at(most, group, size)
    leading = np.full(groups, -1, dtype=np.int64)
    leads = size == most[group]
    leading[group[leads]] = value[leads]
    # without a row itself: the others agree if all do, or if it alone differs
    enough = total > FEWEST_ALIKE
    right = int(total[enough & (most == total)].sum())
    wrong = int((enough & (most == total - 1)).sum())
    agreed = (most == total) & (total >= FEWEST_ALIKE)
    claimed = np.append(np.where(agreed, leading, -1), -1)[by]
    tried = right + wrong
    return Determined(claimed, right / tried if tried else 0.0, tried)


def conclude_between(target: Ints, amounts: Floats) -> Determined:
    """What follows where the next two amounts on either side belong to rows that all show the same target.

    Amounts that are calibrated differ from record to record and still lie apart by region. Equal amounts are one, so
    that the order of the rows does not matter; beyond the ends nothing follows. Rows without an amount show nothing.
    """
    value = np.full(len(target), -1, dtype=np.int64)
    seen = (target >= 0) & ~np.isnan(amounts)
    different, place = np.unique(amounts[seen], return_inverse=True)
    lowest, highest = np.full(len(different), np.iinfo(np.int64).max), np.full(len(different), -1, dtype=np.int64)
    np.minimum.at(lowest, place, target[seen])
    np.maximum.at(highest, place, target[seen])
    all_show = np.where(lowest == highest, highest, -1)
    asked = np.flatnonzero(~np.isnan(amounts))
    below = np.searchsorted(different, amounts[asked], "left")
    above = np.searchsorted(different, amounts[asked], "right")
    inside = (below >= _BESIDE) & (above + _BESIDE <= len(different))
    asked, below, above = asked[inside], below[inside], above[inside]
    beside = np.column_stack(
        [all_show[below - step] for step in range(1, _BESIDE + 1)] + [all_show[above + step] for step in range(_BESIDE)]
    )
    agreed = (beside == beside[:, :1]).all(axis=1)
    value[asked[agreed]] = beside[agreed, 0]
    tried = seen & (value >= 0)
    right = int((value[tried] == target[tried]).sum())
    return Determined(value, right / int(tried.sum()) if tried.any() else 0.0, int(tried.sum()))
