"""Linking by distance: the nearest released record of each one sought, and one to one where that is affordable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from microveil.attack.guesses import Answer, Guesses
from microveil.attack.one_to_one import can_match, match_one_to_one
from microveil.attack.sureness import SURE, chance_of_nearest, heavy_tailed, sure_if_learnt
from microveil.core.arrays import Floats, Ints, Matrix
from microveil.kernels.linkage.cells import all_distances, numbers
from microveil.kernels.linkage.partners import nearest_cells

_OFFERED = 30  # nearest records that are compared
_NEGLIGIBLE = 1e-9  # share of the largest variance below which a direction says nothing


class Part(NamedTuple):
    """Sought records and released ones among which they are looked for, as points without gaps.

    `sought` and `released` are their rows in the view, `columns` those compared. Distances are in standard deviations
    of what was done to values, so that their squares tell how much likelier one record is than another.
    """

    sought: Ints
    released: Ints
    columns: Ints
    known: Matrix
    shown: Matrix


class Near(NamedTuple):
    """The nearest released records of each sought one (-1: none), by rising distance, squared."""

    candidate: Ints
    apart: Floats

    def guesses(self) -> Guesses:
        """The nearest of them; equally near ones share the guess."""
        listed = self.candidate >= 0
        start = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
        return Guesses.of_nearest(start, self.candidate[listed], self.apart[listed])


def link_nearest(parts: Sequence[Part], sought: int, notes: tuple[str, ...] = (), wider: float | None = None) -> Answer:
    """The answer of an intruder who takes the nearest record, or matches both files one to one.

    A claim is made with confidence where the nearest record is much likelier than all others together, by normal
    noise. Where distances were learnt from nearest records, true ones are so much `wider`, and may not be normal.
    """
    near = find_near(parts, sought)
    readings = {"nearest": near.guesses()}
    if are_few(parts):
        readings["one-to-one"] = Guesses.of_one_each(match(parts, sought, _distances))
    if wider is None:
        return Answer(readings, chance_of_nearest(near.apart) >= SURE, notes)
    columns = max((len(part.columns) for part in parts), default=0)
    return Answer(readings, sure_if_learnt(heavy_tailed(near.apart / wider, columns)), notes)


def find_near(parts: Sequence[Part], sought: int) -> Near:
    """The nearest records of all sought ones."""
    near = Near(np.full((sought, _OFFERED), -1), np.full((sought, _OFFERED), np.inf))
    for part in parts:
        size = min(_OFFERED, len(part.released))
        if size and len(part.sought):
            found, apart = nearest_points(part.known, part.shown, size)
            near.candidate[part.sought, :size] = part.released[found]
            near.apart[part.sought, :size] = apart
    return near


def nearest_points(known: Matrix, shown: Matrix, size: int) -> tuple[Ints, Floats]:
    """The nearest of some points to each of others, with squared distances."""
    return nearest_cells(numbers(known), numbers(shown), size, np.zeros((known.shape[1], 2)), False)


def are_few(parts: Sequence[Part]) -> bool:
    """Whether the records are few enough to be matched one to one."""
    return can_match(sum(len(part.sought) * len(part.released) for part in parts))


def match(parts: Sequence[Part], sought: int, cost: Callable[[Part], Floats]) -> Ints:
    """A released record of each sought one, none twice inside a part, at least total cost; -1 where none is left."""
    found = np.full(sought, -1, dtype=np.int64)
    for part in parts:
        chosen = match_one_to_one(cost(part))
        found[part.sought[chosen >= 0]] = part.released[chosen[chosen >= 0]]
    return found


def _distances(part: Part) -> Floats:
    steps = np.zeros((part.known.shape[1], 2))
    return all_distances(numbers(part.known), numbers(part.shown), steps, False)


def whitening(covariance: Matrix) -> Matrix:
    """A matrix W so that points times W have unit covariance; directions without any variance are left out."""
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = values > _NEGLIGIBLE * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])
