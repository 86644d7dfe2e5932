"""Partners in rank inside many groups at once, as each group would pair by itself."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Words
from microveil.core.compiling import compiled
from microveil.core.ordering import stable_order
from microveil.core.philox import fill_block
from microveil.kernels.ranks.swap import partners_argus, partners_uniform


def order_in_groups(x: Floats, labels: Ints, groups: int) -> tuple[Ints, Ints, Bools]:
    """The records group by group from the smallest value on, where groups begin, and which of them have equal values.

    Equal values stand in the order of the records.
    """
    order = stable_order(x)
    order = order[stable_order(labels[order])]
    start = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=groups))])
    tied = np.flatnonzero((x[order[1:]] == x[order[:-1]]) & (labels[order[1:]] == labels[order[:-1]]))
    some = np.zeros(groups, dtype=np.bool_)
    some[labels[order[tied]]] = True
    return order, start, some


@compiled
def partners_in_groups(start: Ints, widths: Ints, keys: Words, uniform: bool) -> Ints:
    """Partner of each place (itself: none); groups begin at `start`, and each draws by its own key, low word first."""
    partner = np.empty(start[-1], dtype=np.int64)
    block = np.empty(4, dtype=np.uint64)
    for g in range(len(widths)):
        n = start[g + 1] - start[g]
        drawn = np.empty(n)
        for rank in range(n):
            if rank % 4 == 0:
                fill_block(block, np.uint64(rank // 4 + 1), keys[g, 0], keys[g, 1])
            # as streams make uniform numbers of words
            drawn[rank] = (np.float64(block[rank % 4] >> np.uint64(12)) + 0.5) * 2.0**-52
        found = partners_uniform(drawn, widths[g]) if uniform else partners_argus(drawn, widths[g])
        partner[start[g] : start[g + 1]] = start[g] + found
    return partner
