"""What became of the moments of groups: how far jitter moved them, and what exact ones bound."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.core.arrays import Bools, Floats, Labels
from microveil.core.numbers import format_number
from microveil.data.table import Table, Values

_SAME = 1e-6  # of the column's standard deviation: moments of a group that differ by less are kept
_NONE = 1e-9  # of the column's standard deviation: a column that varies less than that inside a group is constant


class _Sorted:
    """The rows by group: an order, the first place of each group in it, and the sizes."""

    def __init__(self, labels: Labels) -> None:
        sizes = np.bincount(labels)
        self.order = np.argsort(labels, kind="stable")
        self.first = (np.cumsum(sizes) - sizes)[sizes > 0]
        self.sizes = sizes[sizes > 0]


class _GroupMoments:
    """Means, standard deviations and largest deviations of one column in each group."""

    def __init__(self, x: Floats, groups: _Sorted, centre: float) -> None:
        self.sizes = groups.sizes
        x = x[groups.order]
        x -= centre
        self.means = np.add.reduceat(x, groups.first) / self.sizes
        x -= np.repeat(self.means, self.sizes)
        self.largest = np.maximum.reduceat(np.abs(x), groups.first)
        self.spreads = np.sqrt(np.add.reduceat(np.square(x, out=x), groups.first) / self.sizes)


def third_moment_bound(before: Floats, after: Floats, labels: Labels) -> float:
    """The most by which the sums of cubed deviations of a column from its mean can differ.

    For files with equal means and variances in every group: the sum over groups of 2 n B^(3/2), where no squared
    deviation from the group's mean exceeds B in either file. Reference: Domingo-Ferrer & Gonzalez-Nicolas 2010,
    Lemma 2.
    """
    groups, centre = _Sorted(labels), float(before.mean())
    return _bound(_GroupMoments(before, groups, centre), _GroupMoments(after, groups, centre))


def tell_exact_moments(before: Table, after: Mapping[str, Values], labels: Labels) -> tuple[str, ...]:
    """What follows for the skewness of numbers whose means and variances every group kept; nothing of others."""
    told, groups = [], _Sorted(labels)
    for name, values in after.items():
        if values.levels is not None:
            continue
        x, y = _in_own_size(before[name].numbers, values.numbers)
        spread = float(x.std())
        if spread == 0:
            continue
        old, new = (_GroupMoments(column, groups, float(x.mean())) for column in (x, y))
        if all(np.abs(b - a).max() <= _SAME * spread for a, b in ((old.means, new.means), (old.spreads, new.spreads))):
            told.append(f"{name} {format_number(_bound(old, new) / (len(x) * spread**3), 2)}")
    if not told:
        return ()
    said = (
        "the skewness of a column (0 where both tails are alike) changes by no more than this bound, mostly by far less"
    )
    return (f"{said}: {', '.join(told)}",)


def tell_moved_moments(before: Table, after: Mapping[str, Values], labels: Labels) -> tuple[str, ...]:
    """How far jitter moved means and standard deviations of numbers, at most, in standard deviations."""
    means = spreads = whole = 0.0
    groups = _Sorted(labels)
    numbers = [name for name, values in after.items() if values.levels is None]
    for name in numbers:
        x, y = _in_own_size(before[name].numbers, after[name].numbers)
        centre, spread = float(x.mean()), float(x.std())
        old, new = (_GroupMoments(column, groups, centre) for column in (x, y))
        varies = old.spreads > _NONE * spread  # inside the group, by more than rounding
        means = max(means, _most(new.means - old.means, old.spreads, varies))
        spreads = max(spreads, _most(new.spreads - old.spreads, old.spreads, varies))
        whole = max(whole, abs(float(y.mean()) - centre) / spread if spread > 0 else 0.0)
    note = (
        f"jitter moved means of groups by {means:.2g} and their standard deviations by {spreads:.2g} standard "
        f"deviations of the group at most, means of the file by {whole:.2g} of its own"
    )
    return (note,) if numbers else ()


def _in_own_size(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both divided by one power of two, exactly: squares and cubes of very small numbers would be 0."""
    _, power = np.frexp(np.abs(x).max(initial=0.0))
    return np.ldexp(x, -power), np.ldexp(y, -power)


def _bound(x: _GroupMoments, y: _GroupMoments) -> float:
    return float(np.sum(2 * x.sizes * np.maximum(x.largest, y.largest) ** 3))


def _most(moved: Floats, spreads: Floats, varies: Bools) -> float:
    return float(np.max(np.abs(moved[varies]) / spreads[varies], initial=0.0))
