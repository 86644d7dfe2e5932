"""How likely differences between released values and images are, learnt from pairs that are known to be true."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from microveil.core.arrays import Floats, Ints

_STEPS = 50  # of a standard deviation, in which differences are counted
REACH = 8 * _STEPS
_BLUR = 0.35  # of the width that suits normal densities: those of bounded changes have edges
_PAIRS = 400  # true pairs of a stratum
MOST_STRATA = 12


class Density(NamedTuple):
    """Prices of differences: -2 log of their density, by strata of the image.

    `step` is the unit of differences, `ends` are the images at which strata end, and a row of `table` belongs to each.
    """

    step: float
    ends: Floats
    table: Floats

    def strata(self, image: Floats) -> Ints:
        """The stratum of each image."""
        return np.searchsorted(self.ends, image).astype(np.int64)

    def price(self, image: Floats, released: Floats) -> Floats:
        """The price of every pair."""
        steps = np.round((released[None, :] - image[:, None]) / self.step)
        return self.table[self.strata(image)[:, None], np.clip(steps, -REACH, REACH).astype(np.int64) + REACH]


def learn_density(image: Floats, released: Floats) -> Density | None:
    """The prices of differences of true pairs; None where there are none.

    What never occurred is dear, not impossible.
    """
    there = ~np.isnan(image) & ~np.isnan(released)
    image, left = image[there], (released - image)[there]
    step = float(np.sqrt((left**2).mean())) / _STEPS if len(left) else 0.0
    if step <= 0 or step * REACH * 1e6 < np.abs(image).max():
        return None
    count = int(np.clip(len(left) // _PAIRS, 1, MOST_STRATA))
    ends = np.quantile(image, np.arange(1, count) / count)
    place = np.clip(np.round(left / step), -REACH, REACH).astype(np.int64) + REACH
    counts = np.zeros((count, 2 * REACH + 1))
    np.add.at(counts, (np.searchsorted(ends, image), place), 1.0)
    return Density(step, ends, _priced(counts))


def _priced(counts: Floats) -> Floats:
    """Counts made smooth, each row by how widely it scatters, as prices; the least of all is 0."""
    places = np.arange(counts.shape[1])
    rows = []
    for row in counts:
        total = max(float(row.sum()), 1.0)
        spread = np.sqrt(max(float(row @ places**2) / total - (float(row @ places) / total) ** 2, 1.0))
        blurred = gaussian_filter1d(row, max(_BLUR * 1.06 * spread * total**-0.2, 0.5), mode="constant")
        rows.append((blurred + 0.5 / len(row)) / (total + 0.5))
    density = np.array(rows)
    return np.asarray(-2.0 * np.log(density / density.max()))
