"""Files with the moments of a file in every group, drawn among those that keep linear bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.streams import Streams
from microveil.kernels.draws.groups import determined_columns, runs_of_groups
from microveil.kernels.rotation.kept import residuals_in_groups, walk_beside_kept
from microveil.kernels.rotation.triples import walk_in_groups

_EPS = float(np.finfo(np.float64).eps)
_HELD = 64  # units in the last place of its largest term by which a slack stays above 0
# Records change places while they are turned, so correlations follow the record, not the place: by place it falls to 0
# within a sweep. On Census (k = 10) it is 0.83 after one sweep and 0.25 after ten; 30 are made. On 4,000 enterprises as
# one group it stays at 0.98, because one record has much of the variance; a note reports that.
_LEAST = 10  # sweeps: in a small file chance alone makes a correlation of anything
_MOST = 300  # sweeps, after which no other round is begun
_FORGOTTEN = 0.15  # of a correlation: turns without bounds are Haar's long before it is as low as that
_GAIN = 0.1  # of the correlation: what another round of sweeps has to bring


@dataclass(frozen=True)
class Bounds:
    """Linear forms of the columns that stay at least 0: the forms, and what is added to them (one row, or one each)."""

    forms: Floats
    constants: Floats

    @classmethod
    def none(cls, columns: int) -> Bounds:
        """No bound at all."""
        return cls(np.zeros((0, columns)), np.zeros((1, 0)))

    def slacks(self, X: Floats, rows: Ints) -> Floats:
        """How far rows are inside each bound; `rows` are their numbers in the file."""
        slacks = np.zeros((len(X), len(self.forms)))
        for b, form in enumerate(self.forms):  # in a fixed order, so that no processor sums otherwise
            for j in np.flatnonzero(form):
                slacks[:, b] += form[j] * X[:, j]
        return slacks + (self.constants if len(self.constants) == 1 else self.constants[rows])

    def margins(self, X: Floats, rows: Ints, starts: Ints) -> Floats:
        """For each group what doubles may be off by in its slacks."""
        size = np.abs(self.constants if len(self.constants) == 1 else self.constants[rows]) + np.zeros(
            (len(X), len(self.forms))
        )
        for b, form in enumerate(self.forms):
            for j in np.flatnonzero(form):
                np.maximum(size[:, b], np.abs(form[j] * X[:, j]), out=size[:, b])
        return _HELD * _EPS * np.maximum.reduceat(size, starts[:-1], axis=0)


class Drawn(NamedTuple):
    """New rows, and how they came about.

    `source` is the row whose values a place holds as they were (below 0: they are new, and came from row ~source),
    `room` the mean share of the circle that was free for a move, in each group, and `likeness` the mean correlation of
    new rows with those that they came from, wherever these went by changes of places (0: the walk has forgotten them),
    within `error`. What kept columns explain counts on neither side.
    """

    values: Floats
    source: Ints
    room: Floats
    likeness: float
    error: float
    sweeps: int

    @property
    def forgotten(self) -> bool:
        """Whether new rows resemble those that they came from no more than chance, or very little."""
        return self.likeness <= max(3 * self.error, _FORGOTTEN)


def draw_feasible(X: Floats, bounds: Bounds, kept: Floats, labels: Ints, streams: Streams, sweeps: int = 10) -> Drawn:
    """X redrawn inside every group: means, covariances and those with `kept` stay, and no bound is broken.

    Without kept columns rows begin in a random order. Sweeps go on until new rows have forgotten what they came from,
    or another round of twice as many brings them no further from it. Labels number the groups from 0.
    """
    order = np.argsort(labels, kind="stable")
    begun = np.empty_like(order)
    begun[order] = streams.at("start").order_in_groups(labels) if kept.shape[1] == 0 else order
    walk = _Walk(X, bounds, kept, X[begun], begun, np.zeros(X.shape, dtype=np.bool_))
    if kept.shape[1]:
        walk.fixed = determined_columns(X, kept, labels)[labels]
    start = np.where(walk.fixed, 0.0, _residuals(X, kept, labels))
    done, wanted, before = 0, sweeps, np.inf
    while True:
        room = walk.go(labels, streams, wanted, done)
        done, wanted = done + wanted, 2 * wanted
        came_from = np.where(walk.source < 0, ~walk.source, walk.source)
        drawn = Drawn(walk.new, walk.source, room, *_likeness(walk.new, start[came_from], labels), done)
        still = drawn.likeness > (1.0 - _GAIN) * before
        if done >= _MOST or (done >= _LEAST and (drawn.forgotten or still)):
            return drawn
        before = drawn.likeness


@dataclass
class _Walk:
    """Rows on their way: as they are now, which rows they were, and the cells that kept columns determine."""

    X: Floats
    bounds: Bounds
    kept: Floats
    new: Floats
    source: Ints
    fixed: Bools

    def go(self, labels: Ints, streams: Streams, sweeps: int, done: int) -> Floats:
        """Make some sweeps more in every group; the mean share of the circle that was free in each."""
        p, room = self.X.shape[1], np.zeros(int(labels.max(initial=-1)) + 1)
        for groups, starts, rows in runs_of_groups(labels):
            centre = _means(self.X[rows], starts)
            margins = self.bounds.margins(self.X[rows], rows, starts)
            Z = np.hstack([self.new[rows] - centre, self.bounds.slacks(self.new[rows], rows)])
            held, own = self.source[rows], streams.of_rows(rows)
            if self.kept.shape[1] == 0:
                room[groups] = walk_in_groups(Z, p, margins, starts, held, own, sweeps, done)
            else:
                beside = self.kept[rows] - _means(self.kept[rows], starts)
                room[groups] = walk_beside_kept(Z, p, margins, beside, starts, held, own, sweeps, done)
            values = Z[:, :p] + centre
            # what only changed places, or follows from kept columns, is as it was to the last bit
            values[held >= 0] = self.X[held[held >= 0]]
            self.new[rows], self.source[rows] = np.where(self.fixed[rows], self.X[rows], values), held
        return room


def _means(X: Floats, starts: Ints) -> Floats:
    """The mean of its group in the place of each row."""
    sizes = np.diff(starts)
    return np.repeat(np.add.reduceat(X, starts[:-1]) / sizes[:, None], sizes, axis=0)


def _residuals(X: Floats, kept: Floats, labels: Ints) -> Floats:
    """What the mean of the group and the kept columns leave of each value."""
    left = np.empty_like(X)
    for _, starts, rows in runs_of_groups(labels):
        left[rows] = residuals_in_groups(X[rows], kept[rows], starts)
    return left


def _likeness(new: Floats, start: Floats, labels: Ints) -> tuple[float, float]:
    """The mean correlation of new values with those that they came from, inside groups, and its chance error.

    Every group and every column that varies there counts the same, however large its amounts are.
    """
    sizes = np.bincount(labels)
    total, varying = np.zeros(len(sizes)), np.zeros(len(sizes))
    for j in range(new.shape[1]):
        centre = np.bincount(labels, weights=new[:, j]) / np.maximum(sizes, 1)
        squares = np.bincount(labels, weights=start[:, j] ** 2)
        products = np.bincount(labels, weights=start[:, j] * (new[:, j] - centre[labels]))
        varies = squares > 0
        total[varies] += products[varies] / squares[varies]
        varying += varies
    found = total[varying > 0] / varying[varying > 0]
    if len(found) == 0:
        return 0.0, 0.0
    # a correlation of n values that were turned at random has a variance of 1 / (n - 1)
    chance = float((1.0 / np.maximum(sizes[varying > 0] - 1, 1)).mean()) / len(found)
    return float(found.mean()), float(np.sqrt(chance))
