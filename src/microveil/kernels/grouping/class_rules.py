"""Whether a class of records satisfies an anonymity model, for kernels that form classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.tables.one_class import distance_from, distance_in_tree, gain_over, is_diverse


class Rules(NamedTuple):
    """What every class must satisfy.

    `sensitive`: codes of each sensitive attribute, `sizes` their numbers of values, each of which occurs, `shares`
    their distributions one after the other; `kind` 0 none, 1 distinct, 2 entropy, 3 recursive diversity of at least
    `l` (with `c`); `t` the largest distance from the whole file (infinite: any), `ordered` whether the values of each
    have an order; the weights in a class add up to at least `weight`; no value has more than (1 + `beta`) times its
    share. `heights`: the levels of the hierarchy along which each attribute's distance is taken (0: it has none),
    `nodes` the node of each value on these levels, in the order of `shares`. `counts`: how many records each row
    stands for.
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
    beta: float
    heights: Ints
    nodes: Ints
    counts: Ints


@compiled
def satisfies(rows: Ints, rules: Rules) -> bool:
    """Whether the records of these rows together satisfy the rules."""
    records = 0
    for i in rows:
        records += rules.counts[i]
    if records < rules.k:
        return False
    if rules.weight > 0.0:
        total = 0.0
        for i in rows:
            total += rules.weights[i] * rules.counts[i]
        if total < rules.weight * (1 - 1e-12):
            return False
    offset = 0
    for a in range(rules.sensitive.shape[1]):
        m = rules.sizes[a]
        counts = np.zeros(m, dtype=np.int64)
        for i in rows:
            counts[rules.sensitive[i, a]] += rules.counts[i]
        if rules.kind > 0 and not is_diverse(counts, records, rules.kind, rules.l, rules.c):
            return False
        shares = rules.shares[offset : offset + m]
        if rules.t < np.inf:
            if rules.heights[a] > 0:
                away = distance_in_tree(counts, records, shares, rules.nodes[: rules.heights[a], offset : offset + m])
            else:
                away = distance_from(counts, records, shares, rules.ordered[a])
            if away > rules.t:
                return False
        if rules.beta < np.inf and gain_over(counts, records, shares) > rules.beta + 1e-12:
            return False
        offset += m
    return True
