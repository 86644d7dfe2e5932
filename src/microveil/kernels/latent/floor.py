"""A floor under the mean class memberships of latent class models."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.kernels.mixture.em import floor_weights

_LOWEST = 1e-9  # membership after clipping
_ROUNDS = 20


def floor_memberships(z: Floats, k: int) -> Floats:
    """Memberships whose column means are at least k/n; rows add up to 1 and entries stay in [1e-9, 1].

    Each entry gets the difference between the mean that the floor asks for and the present one (Oganian &
    Domingo-Ferrer 2017, equation 15, without its factor 1/n, which would miss the mean). Entries that leave [0, 1] are
    clipped, rows scaled to 1 again, and this is repeated. What rounding and clipping leave short is met by mixing in
    equal memberships.
    """
    floor = k / len(z)
    out = z
    for _ in range(_ROUNDS):
        means = out.mean(axis=0)
        if means.min() >= floor:
            return out
        out = np.clip(shift_means(out, floor_weights(means, floor)), _LOWEST, 1.0)
        out /= out.sum(axis=1, keepdims=True)
    lowest, G = float(out.mean(axis=0).min()), z.shape[1]
    share = max(0.0, (floor - lowest) / (1 / G - lowest))
    return np.asarray((1 - share) * out + share / G)


def shift_means(z: Floats, means: Floats) -> Floats:
    """The memberships nearest to z in the two-norm with these column means; row sums stay, entries may leave [0, 1]."""
    return np.asarray(z + (means - z.mean(axis=0)))
