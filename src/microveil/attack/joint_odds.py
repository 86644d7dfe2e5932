"""What all columns together say about whose record is whose: amounts by their scatter, categories by their odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from microveil.attack.category_prices import CategoryPrices
from microveil.attack.densities import MOST_STRATA, REACH, Density
from microveil.attack.images import Images
from microveil.attack.learnt_covariance import LEAST_NOISE
from microveil.attack.linking import whitening
from microveil.core.arrays import Floats, Ints, Matrix
from microveil.kernels.linkage.odds import IMPOSSIBLE, OddsSide, Prices, all_costs, least_costs
from microveil.kernels.tables.classes import group_rows

_RELATED = 0.1  # correlation from which on what is left in two columns is taken together
_ROUNDS = 3
_ASKED = 200  # records of an own run by which images are compared


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
    densities: Mapping[int, Density]
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

    def costs(self, rows: Ints | None = None) -> Floats:
        """The cost of every pair, or of those of some known records."""
        chosen = np.arange(len(self.image)) if rows is None else rows
        cost = np.full((len(chosen), len(self.released)), IMPOSSIBLE)
        for part in self._parts(chosen):
            cost[np.searchsorted(chosen, part.rows)] = all_costs(*part[1:])
        return cost

    def surprise(self, most: int) -> float:
        """How unlikely own records are among all others, as a mean of logarithms, where row i of both files is one."""
        rows = np.arange(min(most, len(self.image)))  # their order carries nothing
        cost = self.costs(rows)
        own = cost[rows, rows]
        return float((0.5 * own + logsumexp(-0.5 * cost, axis=1)).mean())

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
        labels, counts = (
            group_rows(np.isnan(self.image[rows]).astype(np.int64))
            if self.image.shape[1]
            else (
                np.zeros(len(rows), dtype=np.int64),
                np.array([len(rows)]),
            )
        )
        filled = np.where(np.isnan(self.released), np.nanmean(self.image, axis=0), self.released)
        prices = self._prices()
        for pattern in range(len(counts)):
            some = rows[labels == pattern]
            there = np.flatnonzero(~np.isnan(self.image[some[0]])) if len(some) else np.empty(0, dtype=np.int64)
            joint = np.array([j for j in there if j not in self.densities], dtype=np.int64)
            apart = [int(j) for j in there if j in self.densities]
            step = np.array([self.densities[j].step for j in apart])
            W = whitening(self.covariance[np.ix_(joint, joint)])
            sides = [
                OddsSide(
                    np.ascontiguousarray(same),
                    np.ascontiguousarray(np.column_stack([*codes, np.zeros((len(X), 0))]).astype(np.int64)),
                    np.ascontiguousarray(X[:, joint] @ W),
                    np.ascontiguousarray(X[:, apart] / step),
                    self._strata(X, apart),
                )
                for X, same, codes in (
                    (self.image[some], self.same[0][some], [one.known[some] for one in self.prices]),
                    (filled, self.same[1], [one.shown for one in self.prices]),
                )
            ]
            table = np.zeros((len(apart), MOST_STRATA, 2 * REACH + 1))
            for place, j in enumerate(apart):
                table[place, : len(self.densities[j].table)] = self.densities[j].table
            yield Sought(some, sides[0], sides[1], prices._replace(differences=table))

    def _strata(self, X: Matrix, apart: Sequence[int]) -> Ints:
        found = [self.densities[j].strata(X[:, j]) for j in apart]
        return np.ascontiguousarray(np.column_stack([*found, np.zeros((len(X), 0))]).astype(np.int64))

    def _prices(self) -> Prices:
        tables = [one.table for one in self.prices]
        starts = np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64)
        widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
        flat = np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
        return Prices(flat, starts, widths, np.zeros((0, 1, 1)))


def choose_images(offered: Sequence[Images]) -> Images:
    """Of several images of one chain those by which the first own run is told best by the others."""
    plain = [images._replace(densities=(None,) * len(images.names)) for images in offered]
    either = [*offered, *(one for one, images in zip(plain, offered, strict=True) if any(images.densities))]
    if len(either) == 1:
        return either[0]
    nothing = np.empty((len(offered[0].known), 0), dtype=np.int64)
    surprises = [join([one], [], (nothing, nothing), held_out=True).surprise(_ASKED) for one in either]
    return either[int(np.argmin(surprises))]


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
    densities: dict[int, Density] = {}
    start = 0
    for one in images:
        block = slice(start, start + len(one.names))
        if len(one.left):
            covariance[block, block] += one.left.T @ one.left / len(one.left)
            apart = {j: density for j in _unrelated(one.left) if (density := one.densities[j]) is not None}
            densities |= {start + j: density for j, density in apart.items()}
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
