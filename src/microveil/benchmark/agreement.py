"""Whether measures agree: rank correlations over the plans of a benchmark, and those that Table 2 publishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.benchmark.entries import PUBLISHED
from microveil.benchmark.figures import IL, PIL_AS_PRINTED, taken
from microveil.benchmark.journal import Result

_FEWEST = 3  # plans that a correlation needs to say anything


@dataclass(frozen=True)
class Agreement:
    """Spearman's correlation of two figures over the plans that have both; both turned so that more is worse."""

    first: str
    second: str
    spearman: float | None
    plans: int


@dataclass(frozen=True)
class PublishedPair:
    """A line of Table 2: what the paper prints and what we find, Pearson first, then Spearman."""

    pair: str
    published: tuple[float, float]
    ours: tuple[float, float]


def agreements(results: Sequence[Result], names: Sequence[str]) -> tuple[Agreement, ...]:
    """Every two of the figures, in the order of their names."""
    pairs = [(first, second) for i, second in enumerate(names) for first in names[:i]]
    return tuple(_agreement(results, *pair) for pair in pairs)


def _agreement(results: Sequence[Result], first: str, second: str) -> Agreement:
    from scipy.stats import spearmanr

    both = [result.figures for result in results if {first, second} <= set(result.figures)]
    both = [figures for figures in both if np.isfinite([figures[first], figures[second]]).all()]
    turned = [-1.0 if taken()[name].better == "higher" else 1.0 for name in (first, second)]
    x, y = (
        np.array([sign * figures[name] for figures in both]) for sign, name in zip(turned, (first, second), strict=True)
    )
    if len(both) < _FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Agreement(first, second, None, len(both))
    return Agreement(first, second, float(spearmanr(x, y)[0]), len(both))


def table_two(results: Sequence[Result]) -> tuple[tuple[PublishedPair, ...], int]:
    """The six pairs of Table 2 over the published maskings that have both measures, and how many these are."""
    from microveil.reproduce.pil_tables import CORRELATIONS, PARTS, correlations_of

    used = [one for one in results if one.group == PUBLISHED and {PIL_AS_PRINTED, IL} <= set(one.figures)]
    if len(used) < _FEWEST:
        return (), len(used)
    new = np.array(
        [[*(one.parts[PIL_AS_PRINTED][part] for part in PARTS.values()), one.figures[PIL_AS_PRINTED]] for one in used]
    )
    old = np.array([[*(one.parts[IL][f"IL{j}"] for j in range(1, 6)), one.figures[IL]] for one in used])
    found = []
    for j, (pair, printed) in enumerate(CORRELATIONS.items()):
        ours = correlations_of(new[:, j], old[:, j])
        pearson, spearman = map(float, printed.split())
        found.append(PublishedPair(pair, (pearson, spearman), (ours["Pearson"], ours["Spearman"])))
    return tuple(found), len(used)
