"""Scales on which known and released amounts are compared, and the one on which they tell most."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtri

from microveil.core.arrays import Floats

Scale = Callable[[Floats], Floats]

_ASKED = 200  # records of a run by which scales are compared


def offered_scales(released: Floats, simulated: Floats) -> Iterator[Scale]:
    """The values themselves, their ranks and normal scores among the released ones, and logs where all are positive."""
    yield np.asarray
    ordered = np.sort(released[~np.isnan(released)])
    if len(ordered) > 1 and ordered[0] < ordered[-1]:
        yield lambda x: _shares(ordered, x)
        yield lambda x: np.asarray(ndtri(_shares(ordered, x)))
        if min(ordered[0], np.nanmin(simulated)) > 0:
            yield np.log


def _shares(ordered: Floats, x: Floats) -> Floats:
    """Ranks as shares, inside (0, 1); equal values share theirs, and gaps have none."""
    n = len(ordered)
    ranks = (np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right")) / 2
    return np.where(np.isnan(x), np.nan, np.clip(ranks / n, 0.5 / n, 1 - 0.5 / n))


def ambiguity(image: Floats, released: Floats) -> float:
    """How many records are as near to an image as its own released value, as a mean of logarithms: less tells more."""
    asked = np.flatnonzero(~np.isnan(image) & ~np.isnan(released))[:_ASKED]  # their order carries nothing
    if not len(asked):
        return 0.0
    apart = np.abs(released[None, :] - image[asked, None])
    nearer = (apart <= np.abs(released - image)[asked, None] * (1 + 1e-9) + 1e-12).sum(axis=1)
    return float(np.log(nearer).mean())
