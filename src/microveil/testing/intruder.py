"""An intruder who knows every original value: which original is nearest to each released record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.run.release import Release
from microveil.testing.samples import numbers_of

_FAR = 1e6  # more than any distance of standardised amounts: categories and gaps are matched first


def chances_of_own(release: Release, own: Ints, names: Sequence[str]) -> Floats:
    """For every released row the chance that the nearest original, ties drawn at random, is the one given as its own.

    Places of gaps are matched first, then categories, then amounts by their distance in standard deviations.
    """
    before = numbers_of(release.original.frame, names)
    after = numbers_of(release.frame, names)
    distance = np.zeros((len(own), release.original.n))
    for name in names:
        distance += _apart(before[name], after[name])
    nearest = distance <= distance.min(axis=1, keepdims=True) * (1 + 1e-12) + 1e-12
    hit = nearest[np.arange(len(own)), own]
    return np.asarray(hit / nearest.sum(axis=1), dtype=np.float64)


def _apart(before: Sequence[Any], after: Sequence[Any]) -> Floats:
    """Squared distances of every released cell from every original one."""
    gap_before, gap_after = (np.array([value is None for value in side]) for side in (before, after))
    other_gap = _FAR**2 * (gap_after[:, None] != gap_before[None, :])
    if any(isinstance(value, str) for value in (*before, *after)):
        x, y = (np.array(["" if value is None else str(value) for value in side]) for side in (before, after))
        return np.asarray(other_gap + _FAR * (y[:, None] != x[None, :]), dtype=np.float64)
    x, y = (np.array([np.nan if value is None else float(value) for value in side]) for side in (before, after))
    spread = float(np.nanstd(x)) or 1.0
    return np.asarray(other_gap + np.nan_to_num((y[:, None] - x[None, :]) / spread) ** 2, dtype=np.float64)
