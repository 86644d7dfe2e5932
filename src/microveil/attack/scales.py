"""Scales on which known and released amounts are compared, and the one on which they tell most."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtri

from microveil.attack.densities import Density
from microveil.core.arrays import Floats

Scale = Callable[[Floats], Floats]

_ASKED = 200  # records of a run by which scales are compared


def offered_scales(released: Floats, simulated: Floats) -> Iterator[tuple[str, Scale]]:
    """The values themselves, their ranks and normal scores among the released ones, and logs where all are positive."""
    yield "values", np.asarray
    ordered = np.sort(released[~np.isnan(released)])
    if len(ordered) > 1 and ordered[0] < ordered[-1]:
        yield "ranks", lambda x: _shares(ordered, x)
        yield "scores", lambda x: np.asarray(ndtri(_shares(ordered, x)))
        if min(ordered[0], np.nanmin(simulated)) > 0:
            yield "logs", np.log


def _shares(ordered: Floats, x: Floats) -> Floats:
    """Ranks as shares, inside (0, 1); equal values share theirs, and gaps have none."""
    n = len(ordered)
    ranks = (np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right")) / 2
    return np.where(np.isnan(x), np.nan, np.clip(ranks / n, 0.5 / n, 1 - 0.5 / n))


def surprise(density: Density | None, image: Floats, released: Floats) -> float:
    """How unlikely own released values are among all others, as a mean of logarithms: less tells more."""
    asked = np.flatnonzero(~np.isnan(image) & ~np.isnan(released))[:_ASKED]  # their order carries nothing
    others = released[~np.isnan(released)]
    if density is None or not len(asked):
        return float(np.log(max(len(others), 1)))
    own = density.price(image[asked], released[asked]).diagonal()
    total = np.exp(-0.5 * density.price(image[asked], others)).sum(axis=1)
    return float((0.5 * own + np.log(total)).mean())
