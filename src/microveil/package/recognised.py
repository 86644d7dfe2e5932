"""Which records of the original somebody who has it recognises in a file, as they are or nearly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.attack.near_copies import nearly_equal
from microveil.core.arrays import Bools, Floats
from microveil.data.microdata import Microdata
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Pair
from microveil.measure.keys import common_codes

NEAR = 0.1  # of the distance from the original to its own neighbour
MOST_NEAR = 3_000  # records of a file that are looked at for near ones; of more these, evenly
_FEWEST = 20
_MOST_DIGITS = 9  # behind the point, and before it, to which a column may be rounded


def shared_by_nobody(original: Microdata, data: Microdata, names: Sequence[str]) -> Bools:
    """The originals that no other equals in these columns: only they can be recognised."""
    labels, sizes = group_rows(_codes(original, data, names)[: original.n])
    return np.asarray(sizes[labels] == 1)


def as_they_are(original: Microdata, data: Microdata, names: Sequence[str]) -> Bools:
    """Of each original whether it equals no other in these columns, and stands in the file."""
    labels = group_rows(_codes(original, data, names))[0]
    mine, shown = labels[: original.n], labels[original.n :]
    many = int(labels.max(initial=0)) + 1
    alone = np.bincount(mine, minlength=many)[mine] == 1
    return np.asarray(alone & (np.bincount(shown, minlength=many)[mine] > 0))


def nearly(original: Microdata, data: Microdata, names: Sequence[str]) -> Bools | None:
    """Of each original with all these amounts whether a record of the file is nearly it; None for too few of them."""
    before, after = Pair.of(original, data, linked=False).tables(names)
    X, Y = before.matrix(names), after.matrix(names)
    X, Y = X[~np.isnan(X).any(axis=1)], Y[~np.isnan(Y).any(axis=1)]
    if min(len(X), len(Y)) < _FEWEST:
        return None
    spread = X.std(axis=0)
    X, Y = (Z[:, spread > 0] / spread[spread > 0] for Z in (X, Y))
    if not X.shape[1]:
        return None
    if len(Y) > MOST_NEAR:  # in an order that follows from what they hold
        Y = Y[np.lexsort(Y.T)][np.linspace(0, len(Y) - 1, MOST_NEAR).astype(int)]
    found = nearly_equal(Y, X, NEAR)
    seen = np.zeros(len(X), dtype=bool)
    seen[found[found >= 0]] = True
    return seen


def near_amounts(original: Floats, shown: Floats) -> Bools | None:
    """Of each amount of the original whether one shown is ten times nearer to it than its neighbour is."""
    known, shown = np.unique(original[np.isfinite(original)]), shown[np.isfinite(shown)]
    if min(len(known), len(shown)) < _FEWEST:
        return None
    gaps = np.diff(known)
    apart = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
    right = np.clip(np.searchsorted(known, shown), 1, len(known) - 1)
    nearest = np.where(shown - known[right - 1] <= known[right] - shown, right - 1, right)
    seen = np.zeros(len(known), dtype=bool)
    seen[nearest[np.abs(shown - known[nearest]) <= NEAR * apart[nearest]]] = True
    return seen


def rounded_like(amounts: Floats, shown: Floats) -> Floats:
    """Amounts with as many digits as those shown have: files are rounded as they are written, and runs are not."""
    whole = shown[np.isfinite(shown)]
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS):
        if np.allclose(np.round(whole, digits), whole, rtol=1e-12, atol=0):
            return np.round(amounts, digits)
    return amounts


def _codes(original: Microdata, data: Microdata, names: Sequence[str]) -> np.ndarray:
    return np.vstack(common_codes(*Pair.of(original, data, linked=False).tables(names)))
