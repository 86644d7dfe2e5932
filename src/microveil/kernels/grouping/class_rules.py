"""Whether a class of records satisfies an anonymity model, for kernels that form classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.tables.one_class import distance_from, is_diverse


class Rules(NamedTuple):
    """What every class must satisfy.

    `sensitive`: codes of each sensitive attribute, `sizes` their numbers of values, each of which occurs, `shares`
    their distributions one after the other; `kind` 0 none, 1 distinct, 2 entropy, 3 recursive diversity of at least
    `l` (with `c`); `t` the largest distance from the whole file (infinite: any), `ordered` whether the values of each
    have an order; the weights in a class add up to at least `weight`.
    """

    k: int
    sensitive: Ints
    sizes: Ints
    shares: Floats
    kind: int
    l: int  # noqa: E741 - the literature's letter
    c: float
    t: float
    ordered: Bools
    weights: Floats
    weight: float


@compiled
def satisfies(rows: Ints, rules: Rules) -> bool:
    """Whether these records together satisfy the rules."""
    if len(rows) < rules.k:
        return False
    if rules.weight > 0.0:
        total = 0.0
        for i in rows:
            total += rules.weights[i]
        if total < rules.weight * (1 - 1e-12):
            return False
    offset = 0
    for a in range(rules.sensitive.shape[1]):
        m = rules.sizes[a]
        counts = np.zeros(m, dtype=np.int64)
        for i in rows:
            counts[rules.sensitive[i, a]] += 1
        if rules.kind > 0 and not is_diverse(counts, len(rows), rules.kind, rules.l, rules.c):
            return False
        if (
            rules.t < np.inf
            and distance_from(counts, len(rows), rules.shares[offset : offset + m], rules.ordered[a]) > rules.t
        ):
            return False
        offset += m
    return True
