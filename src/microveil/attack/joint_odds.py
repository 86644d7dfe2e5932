"""What all columns together say about whose record is whose: amounts by what is left around images, categories by odds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from microveil.attack.category_prices import CategoryPrices
from microveil.attack.images import Images
from microveil.attack.learnt_covariance import LEAST_NOISE
from microveil.attack.linking import whitening
from microveil.core.arrays import Floats, Ints, Matrix
from microveil.kernels.linkage.odds import IMPOSSIBLE, OddsSide, Prices, all_costs, least_costs
from microveil.kernels.tables.classes import group_rows

_RELATED = 0.1  # correlation from which on what is left in two columns is taken together
_STEPS = 50  # of a standard deviation, in which differences are counted
_REACH = 8 * _STEPS
_BLUR = 0.35  # of the width that suits normal densities: those of bounded changes have edges
_ROUNDS = 3


class Sought(NamedTuple):
    """Some sought records with the same amounts known, and both files as the search takes them."""

    rows: Ints
    known: OddsSide
    shown: OddsSide
    prices: Prices


@dataclass(frozen=True)
class JointOdds:
    """All that a cost is computed from.

    `image` are known records and `released` released ones on one scale, `covariance` is that of what is left between
    true pairs, and `densities` (column: price of differences) stand in its place where a column is not related to
    others. Categories have `prices`; `same` are codes that must agree.
    """

    image: Matrix
    released: Matrix
    covariance: Matrix
    densities: dict[int, Floats]
    prices: tuple[CategoryPrices, ...]
    same: tuple[Ints, Ints]

    def nearest(self, size: int, rows: Ints | None = None) -> tuple[Ints, Floats]:
        """The released records of least cost of each known one, or of some of them."""
        chosen = np.arange(len(self.image)) if rows is None else rows
        near = np.zeros((len(self.image), size), dtype=np.int64)
        cost = np.full((len(self.image), size), np.inf)
        for part in self._parts(chosen):
            near[part.rows], cost[part.rows] = least_costs(*part[1:], size)
        return near[chosen], cost[chosen]

    def costs(self) -> Floats:
        """The cost of every pair."""
        cost = np.full((len(self.image), len(self.released)), IMPOSSIBLE)
        for part in self._parts(np.arange(len(self.image))):
            cost[part.rows] = all_costs(*part[1:])
        return cost

    def at(self, released: Ints) -> JointOdds:
        """The same among some of the released records."""
        return replace(
            self,
            released=self.released[released],
            prices=tuple(one._replace(shown=one.shown[released]) for one in self.prices),
            same=(self.same[0], self.same[1][released]),
        )

    def learnt(self) -> JointOdds:
        """The same with the covariance of differences between records that are one another's nearest, found anew."""
        found = self
        for _ in range(_ROUNDS):
            x, y = found._mutual()
            left = found.image[x] - found.released[y]
            left = left[~np.isnan(left).any(axis=1)]
            if len(left) <= 2 * self.image.shape[1]:
                break
            found = replace(found, covariance=left.T @ left / len(left) + _least(self.released), densities={})
        return found

    def _mutual(self) -> tuple[Ints, Ints]:
        near, cost = self.nearest(1)
        best = np.full(len(self.released), np.inf)
        np.minimum.at(best, near[:, 0], cost[:, 0])
        x = np.flatnonzero(np.isfinite(cost[:, 0]) & (cost[:, 0] <= best[near[:, 0]]))
        return x, near[x, 0]

    def _parts(self, rows: Ints) -> Iterator[Sought]:
        """The sought records by which amounts are known of them: a gap says nothing about other columns."""
        labels, counts = group_rows(np.isnan(self.image[rows]).astype(np.int64)) if self.image.shape[1] else (
            np.zeros(len(rows), dtype=np.int64),
            np.array([len(rows)]),
        )
        filled = np.where(np.isnan(self.released), np.nanmean(self.image, axis=0), self.released)
        prices = self._prices()
        for pattern in range(len(counts)):
            some = rows[labels == pattern]
            there = np.flatnonzero(~np.isnan(self.image[some[0]])) if len(some) else np.empty(0, dtype=np.int64)
            joint = np.array([j for j in there if j not in self.densities], dtype=np.int64)
            apart = [j for j in there if j in self.densities]
            step = np.sqrt(np.diag(self.covariance))[apart] / _STEPS
            W = whitening(self.covariance[np.ix_(joint, joint)])
            sides = [
                OddsSide(
                    np.ascontiguousarray(same),
                    np.ascontiguousarray(np.column_stack([*codes, np.zeros((len(X), 0))]).astype(np.int64)),
                    np.ascontiguousarray(X[:, joint] @ W),
                    np.ascontiguousarray(X[:, apart] / step),
                )
                for X, same, codes in (
                    (self.image[some], self.same[0][some], [one.known[some] for one in self.prices]),
                    (filled, self.same[1], [one.shown for one in self.prices]),
                )
            ]
            table = np.array([self.densities[j] for j in apart]).reshape(len(apart), 2 * _REACH + 1)
            yield Sought(some, sides[0], sides[1], prices._replace(differences=table))

    def _prices(self) -> Prices:
        tables = [one.table for one in self.prices]
        starts = np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64)
        widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
        flat = np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
        return Prices(flat, starts, widths, np.zeros((0, 1)))


def join(
    images: Sequence[Images], prices: Sequence[CategoryPrices], same: tuple[Ints, Ints], held_out: bool = False
) -> JointOdds:
    """The evidence of all chains; what is left in one has nothing to do with what is left in another.

    `held_out`: that of the first own run in place of the release.
    """
    rows = len(same[0]), len(same[1])
    known = [one.held_out[0] if held_out else one.known for one in images]
    shown = [one.held_out[1] if held_out else one.released for one in images]
    image = np.hstack([np.empty((rows[0], 0)), *known])
    released = np.hstack([np.empty((rows[1], 0)), *shown])
    covariance = _least(released)
    densities = {}
    start = 0
    for one in images:
        block = slice(start, start + len(one.names))
        if len(one.left):
            covariance[block, block] += one.left.T @ one.left / len(one.left)
            densities |= {start + j: _density(one.left[:, j]) for j in _unrelated(one.left)}
        start += len(one.names)
    return JointOdds(image, released, covariance, densities, tuple(prices), same)


def _least(released: Matrix) -> Matrix:
    """A small share of each column's variance: values that nothing changed are compared as values."""
    spread = np.nanvar(released, axis=0)
    return np.diag(LEAST_NOISE * np.where(spread > 0, spread, 1.0))


def _unrelated(left: Matrix) -> list[int]:
    """The columns in which what is left scatters, and is not correlated with that in others."""
    spread = np.sqrt((left**2).mean(axis=0))
    scaled = left / np.where(spread > 0, spread, 1.0)
    related = np.abs(scaled.T @ scaled / len(left))
    np.fill_diagonal(related, 0.0)
    return [j for j in range(left.shape[1]) if spread[j] > 0 and related[j].max(initial=0.0) < _RELATED]


def _density(left: Floats) -> Floats:
    """The price of a difference: -2 log of its density beside the highest; what never occurred is dear, not impossible."""
    step = np.sqrt((left**2).mean()) / _STEPS
    place = np.clip(np.round(left / step), -_REACH, _REACH).astype(np.int64) + _REACH
    counts = np.bincount(place, minlength=2 * _REACH + 1).astype(np.float64)
    width = _BLUR * 1.06 * len(left) ** -0.2 * _STEPS
    density = gaussian_filter1d(counts, width, mode="constant") + 0.5 / len(counts)
    return np.asarray(-2.0 * np.log(density / density.max()))
