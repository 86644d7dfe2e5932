"""Noise on normal scores of records that are not all in memory: the numbers of `sullivan_noise`, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.arrays import Floats, Ints, Matrix, Vector
from microveil.core.errors import BadInput
from microveil.data.table import Table
from microveil.kernels.linalg.bases import correlation_scale
from microveil.kernels.linalg.recolour import AffineMap, nearest_maps
from microveil.kernels.moments.central import finish_moments
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.together import Together
from microveil.mask.score_noise import Moved, nearer_target, shares_of_levels, steps_of
from microveil.run.afar import Rows, beside, ones, standardised
from microveil.run.by_order import Ordered
from microveil.run.job import Job
from microveil.run.ranked import Found, Ranked, as_table, handed_out, read_off, side_by_side, spread_ranks
from microveil.run.statistics import gather_moments, gather_observed


def varying_columns(records: Ranked) -> list[str]:
    """The columns whose observed values differ."""
    ends = records.job.engine.gather(records.table, records.job, lambda block, _: Extremes.of(block.matrix()))
    return [name for name, varies in zip(records.table.names, ends.low < ends.high, strict=True) if varies]


@dataclass(frozen=True)
class ScoresAfar:
    """Columns that vary, in their order, and what is done to their scores."""

    records: Ranked
    names: Sequence[str]
    orders: Sequence[Ordered]
    counts: Mapping[str, Counts]  # of the columns of categories
    marginal: Literal["smooth", "exact"]

    @classmethod
    def of(cls, records: Ranked, names: Sequence[str], marginal: Literal["smooth", "exact"]) -> ScoresAfar:
        """The columns put in order."""
        orders = records.ordered(_numbers(names), [records.job.streams.at(name) for name in names])
        header = records.table
        coded = {name: len(levels) for name in names if (levels := header[name].levels) is not None}

        def of(block: Table, _: Job) -> Together[str, Counts]:
            return Together({name: Counts.of(block[name].data, levels) for name, levels in coded.items()})

        counts = records.job.engine.gather(header, records.job, of).parts if coded else {}
        return cls(records, names, orders, counts, marginal)

    def noisy(self, p: float, rounds: int, min_move: float | None) -> dict[str, Rows]:
        """The new numbers of each column, whose correlations are nearly those of the original."""
        # both are looked at in every pass: to read them is less than to find them again
        g = self.records.kept(self._scores(), len(self.names))
        mean, V = self.records.moments(g)
        h = self.records.kept(self._with_noise(g, mean, V, p, min_move), len(self.names))
        target, wanted = V, self._correlations(_numbers(self.names))
        best, best_error = self._released(h), np.inf
        for number in range(rounds + 1):
            released = best if number == 0 else self._released(h)
            D = wanted - self._correlations(side_by_side(released))
            error = float(np.abs(D).max())
            if error >= best_error:
                break
            best, best_error = released, error
            target = nearer_target(target, D)
            if number < rounds:
                h = self._recoloured(h, mean, target)
        return dict(zip(self.names, best, strict=True))

    def _scores(self) -> Rows:
        from scipy.special import ndtri

        streams = self.records.job.streams
        ranks = side_by_side(
            [
                self.records.held(spread_ranks(one, streams.at(name, "tied")))
                for name, one in zip(self.names, self.orders, strict=True)
            ]
        )
        sizes = np.array([float(one.count) for one in self.orders])

        def rows(block: Table, its: Job) -> Floats:
            places = np.clip(ranks(block, its) / sizes, 0.25 / sizes, 1 - 0.25 / sizes)
            # missing categories stand in the middle
            return np.asarray(ndtri(np.where(np.isnan(places), 0.5, places)))

        return rows

    def _with_noise(self, g: Rows, mean: Vector, V: Matrix, p: float, min_move: float | None) -> Rows:
        centred = standardised(g, mean)
        E, shrink = self.records.exact_noise(beside(ones, centred), p**2 * V, "noise"), np.sqrt(1 + p**2)

        def rows(block: Table, its: Job) -> Floats:
            return np.asarray(mean + (centred(block, its) + E(block, its)) / shrink)

        if min_move is None:
            return rows
        moved = Moved.of(mean, V, p, min_move)
        return lambda block, its: moved.enough(g(block, its), rows(block, its), its.streams)

    def _recoloured(self, h: Rows, mean: Vector, target: Matrix) -> Rows:
        records = self.records

        def covariance_after(maps: Sequence[AffineMap]) -> Floats:
            before, last = _mapped(h, maps[:-1]), maps[-1]
            found = gather_moments(records.table, records.job, lambda block, its: last.about_mean(before(block, its)))
            return finish_moments(*found).covariance

        first = finish_moments(*gather_moments(records.table, records.job, h))
        maps = nearest_maps(first, covariance_after, mean, target)
        if maps is None:
            raise BadInput(
                "the scores of the columns lack directions, so that correlations cannot be repaired in blocks; use "
                "rounds=0, give by=..., or run with engine='memory'"
            )
        return _mapped(h, maps)

    def _correlations(self, X: Rows) -> Matrix:
        """Correlations with gaps at the mean; 0 for a column without spread."""
        records = self.records
        if not any(one.missing for one in self.counts.values()):
            return correlation_scale(records.moments(X)[1])[1]
        found = gather_observed(records.table, records.job, lambda block, its: as_table(X(block, its)))
        means = np.array([one.moments.mean().item() for one in found.values()])

        def filled(block: Table, its: Job) -> Floats:
            given = X(block, its)
            return np.where(np.isnan(given), means, given)

        return correlation_scale(records.moments(filled)[1])[1]

    # -- back to values --------------------------------------------------------------------------

    def _released(self, h: Rows) -> list[Rows]:
        """The numbers of every column that belong to some scores."""
        names, streams = self.names, self.records.job.streams
        by_shares = [self.marginal == "smooth" and name in self.counts for name in names]
        sorted_here = [j for j in range(len(names)) if not by_shares[j]]
        words = [streams.at(names[j], "back") for j in sorted_here]
        drawn = dict(zip(sorted_here, self.records.ordered(_observed(h, names, sorted_here), words), strict=True))
        found = [
            _by_shares(h, j, names[j], self.counts[names[j]].counts)
            if by_shares[j]
            else self.records.held(self._new_values(drawn[j], self.orders[j]))
            for j in range(len(names))
        ]
        self.records.drop(list(drawn.values()))
        return found

    def _new_values(self, drawn: Ordered, values: Ordered) -> Found:
        if self.marginal == "exact":
            return handed_out(drawn, values)
        return _smoothed(drawn, values)


def _smoothed(drawn: Ordered, values: Ordered) -> Found:
    """As `smoothed_quantiles`."""
    from scipy.special import ndtr

    n = values.count

    def read(h: Vector, first: int, some: Vector) -> Vector:
        return np.asarray(np.interp(ndtr(h), (np.arange(first, first + len(some)) + 0.5) / n, some))

    return read_off(drawn, values, lambda h: np.asarray(ndtr(h) * n - 0.5), read)


def _by_shares(h: Rows, j: int, name: str, counts: Ints) -> Rows:
    """Categories by the shares of those below them; gaps stay."""
    shares = shares_of_levels(counts)

    def rows(block: Table, its: Job) -> Floats:
        return np.where(block[name].missing, np.nan, steps_of(shares, h(block, its)[:, j]))[:, None]

    return rows


def _numbers(names: Sequence[str]) -> Rows:
    return lambda block, _: block.matrix(names)


def _observed(h: Rows, names: Sequence[str], chosen: Sequence[int]) -> Rows:
    """The scores of some columns, without those of gaps."""
    wanted = [names[j] for j in chosen]
    return lambda block, its: np.where(np.isnan(block.matrix(wanted)), np.nan, h(block, its)[:, list(chosen)])


def _mapped(h: Rows, maps: Sequence[AffineMap]) -> Rows:
    def rows(block: Table, its: Job) -> Floats:
        Y = h(block, its)
        for one in maps:
            Y = one.apply(Y)
        return Y

    return rows
