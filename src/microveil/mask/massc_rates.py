"""The rates of MASSC that cost least while the risk stays below a target."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number

# The paper does not print how rates are chosen. The risk of a stratum is the mean individual risk E(1/F | f) by the
# weights, because pairs and triples are re-identified too, not only uniques. For one stratum the best way is one kind
# of change: new keys while price keep (1 - substitute) < 1, else leaving out.
_STEPS = 21  # rates tried between the bounds of each stratum
_MOST = 2_000  # ways kept while strata are put together: those in between are dropped, at most a step dearer


class Rates(NamedTuple):
    """Chances of new keys and of being kept in each stratum, and the risk that remains."""

    substitute: tuple[float, ...]
    keep: tuple[float, ...]
    risk: float


class _Ways(NamedTuple):
    """Ways to set the rates of some strata: what each adds to the risk, what it costs, and which rates it takes."""

    risk: Floats
    cost: Floats
    rates: Ints


def best_rates(
    records: Floats,
    risks: Floats,
    most_substituted: tuple[float, ...],
    least_kept: tuple[float, ...],
    price: float,
    target: float,
) -> Rates:
    """Rates of least cost, sum n_h (1 / keep_h - 1) + price sum n_h substitute_h, with a risk of at most `target`.

    The risk is sum n_h / n keep_h (1 - substitute_h) r_h, with r_h the mean chance `risks` of being found in a stratum
    of n_h `records` that is released as it was (Singh, Yu & Dunteman 2003). The least over a grid of rates.
    """
    total = max(float(records.sum()), 1.0)
    choices = [
        list(product(np.linspace(0.0, s, _STEPS).tolist(), np.linspace(k, 1.0, _STEPS).tolist()))
        for s, k in zip(most_substituted, least_kept, strict=True)
    ]
    ways = _Ways(np.zeros(1), np.zeros(1), np.zeros((1, 0), dtype=np.int64))
    for n, r, rates in zip(records, risks, choices, strict=True):
        s, k = np.array(rates).T
        own = _Ways(n / total * r * k * (1 - s), n * (1 / k - 1) + price * n * s, np.arange(len(rates))[:, None])
        ways = _together(ways, _undominated(own))
    allowed = np.flatnonzero(ways.risk <= target * (1 + 1e-12))
    if not len(allowed):
        raise BadInput(
            f"target={format_number(target)} cannot be reached with these bounds, {format_number(ways.risk.min())} can;"
            " raise substitute, lower keep, or raise target"
        )
    best = allowed[np.argmin(ways.cost[allowed])]
    chosen = [rates[place] for rates, place in zip(choices, ways.rates[best], strict=True)]
    return Rates(tuple(s for s, _ in chosen), tuple(k for _, k in chosen), float(ways.risk[best]))


def _together(one: _Ways, other: _Ways) -> _Ways:
    a, b = (each.reshape(-1) for each in np.indices((len(one.risk), len(other.risk))))
    rates = np.hstack([one.rates[a], other.rates[b]])
    return _undominated(_Ways(one.risk[a] + other.risk[b], one.cost[a] + other.cost[b], rates))


def _undominated(ways: _Ways) -> _Ways:
    """The ways that no other beats in risk and cost, evenly thinned where there are too many; both ends stay."""
    order = np.lexsort((ways.cost, ways.risk))
    cost = ways.cost[order]
    best_before = np.concatenate([[np.inf], np.minimum.accumulate(cost)[:-1]])
    kept = order[cost < best_before - 1e-12]
    if len(kept) > _MOST:
        kept = kept[np.unique(np.linspace(0, len(kept) - 1, _MOST).round().astype(np.int64))]
    return _Ways(ways.risk[kept], ways.cost[kept], ways.rates[kept])
