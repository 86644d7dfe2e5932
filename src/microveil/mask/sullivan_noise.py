"""Noise on normal scores, so that each column keeps its distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, RangeKept, ValuesKept
from microveil.core.arrays import Matrix, Vector
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Range, Safer
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.base import Mask
from microveil.mask.score_noise import Moved, nearer_target, shares_of_levels, steps_of
from microveil.mask.sullivan_afar import ScoresAfar, varying_columns
from microveil.run.afar import Rows
from microveil.run.by_ranks import ByRanks, replaced
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.ranked import Ranked


@dataclass(frozen=True, kw_only=True)
class SullivanNoise(ByRanks, Mask, name="sullivan-noise"):
    """Turn columns into normal scores, add noise that keeps their covariance, and turn them back.

    Use it for skewed or discrete columns whose distribution and correlations both matter. `smooth` reads
    values off the smoothed distribution, inside the original range; `exact` hands out exactly the original
    values. Correlations are repaired in a few `rounds`; the noise has p standard deviations of the scores.
    `min_move` draws again for records whose scores moved less than that many standard deviations.
    """

    p: Annotated[
        float,
        Range(ge=0, le=10, grid=(0.1, 0.3), search=(0.02, 1.0), log=True),
        Safer("twice"),
        "noise standard deviation / that of the scores",
    ] = 0.3
    marginal: Annotated[Literal["smooth", "exact"], "values from the smoothed distribution, or the original ones"] = (
        "smooth"
    )
    rounds: Annotated[int, Range(ge=0, le=50), "rounds in which correlations are repaired"] = 5
    min_move: Annotated[float | None, Range(gt=0, le=2), "least distance between old and new scores"] = None

    passes: ClassVar[Passes] = "order"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal")
    attacks: ClassVar[tuple[str, ...]] = ("mahalanobis-linkage",)
    least_records: ClassVar[tuple[int, int]] = (2, 2)
    reference = "Sullivan 1989; Brand & Giessing 2002"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Exact: the same values. Smooth: the original range."""
        return (ValuesKept(),) if self.marginal == "exact" else (RangeKept(),)

    def learn(self, records: Ranked) -> Mapping[str, Rows]:
        """The same of records that are not all in memory: the new numbers of the columns that vary."""
        if self.p == 0:
            return {}
        varying = varying_columns(records)
        self._refuse_few(records.records, len(varying))
        if not varying:
            return {}
        return ScoresAfar.of(records, varying, self.marginal).noisy(self.p, self.rounds, self.min_move)

    def act(self, table: Table, job: Job, known: Mapping[str, Rows]) -> Outcome:
        """Those of some records; gaps stay."""
        return Outcome(replaced(table, job, known))

    def _refuse_few(self, records: int, varying: int) -> None:
        if records < 2 * varying + 2:
            raise NotEnoughRecords(f"{self.name} needs at least {2 * varying + 2} records: {records} given")

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Scores, noise, repair, and back."""
        from scipy.special import ndtri

        if self.p == 0:
            return Outcome(table.columns)
        varying = [name for name in table.names if _varies(table[name])]
        self._refuse_few(table.rows, len(varying))
        columns = dict(table.columns)
        if varying:
            only = table.only(varying)
            uniforms = [_places(only[name], job.streams.at(name)) for name in varying]
            h = self._noisy(ndtri(np.column_stack(uniforms)), only.matrix(), only, job)
            for j, name in enumerate(varying):
                columns[name] = self._back(only[name], h[:, j], job.streams.at(name, "back"))
        return Outcome({name: columns[name] for name in table.names})

    def _noisy(self, g: Matrix, X: Matrix, table: Table, job: Job) -> Matrix:
        """Noisy scores whose released columns have nearly the correlations of X."""
        from microveil.kernels.linalg.recolour import recolour
        from microveil.kernels.moments.central import mean_and_covariance

        mean, target = mean_and_covariance(g)
        h = self._with_noise(g, target, mean, job)
        wanted = _correlations(X)
        best, best_error = h, np.inf
        for number in range(self.rounds + 1):
            released = np.column_stack(
                [
                    self._back(table[name], h[:, j], job.streams.at(name, "back")).numbers
                    for j, name in enumerate(table.names)
                ]
            )
            D = wanted - _correlations(released)
            error = float(np.abs(D).max())
            if error >= best_error:
                break
            best, best_error = h, error
            target = nearer_target(target, D)
            if number < self.rounds:
                h = recolour(h, mean, target, "sym", job.streams.at("repair", number))
        return best

    def _with_noise(self, g: Matrix, V: Matrix, mean: Vector, job: Job) -> Matrix:
        from microveil.kernels.draws.noise import exact_noise

        centred = g - mean
        W = np.column_stack([np.ones(len(g)), centred])
        E = exact_noise(W, self.p**2 * V, job.streams.at("noise"))
        h = mean + (centred + E) / np.sqrt(1 + self.p**2)
        if self.min_move is None:
            return np.asarray(h)
        return Moved.of(mean, V, self.p, self.min_move).enough(g, h, job.streams)

    def _back(self, values: Values, h: Vector, streams: Streams) -> Values:
        from scipy.special import ndtr

        from microveil.kernels.ranks.scores import reverse_map

        observed = ~values.missing
        x, h = values.numbers[observed], h[observed]
        if self.marginal == "exact":
            new = reverse_map(x, h, streams.of_rows(np.flatnonzero(observed)))
        elif values.levels is None:
            new = smoothed_quantiles(x, ndtr(h))
        else:
            new = steps_of(shares_of_levels(np.bincount(values.data[observed], minlength=len(values.levels))), h)
        data = values.data.copy()
        data[observed] = new
        return values.with_data(data)


def _varies(values: Values) -> bool:
    observed = values.data[~values.missing]
    return len(observed) > 0 and bool((observed != observed[0]).any())


def _places(values: Values, streams: Streams) -> Vector:
    """Places of the observed values; missing categories stand in the middle and stay missing in the end."""
    out = np.full(len(values.data), 0.5)
    observed = ~values.missing
    out[observed] = smoothed_ranks(values.numbers[observed], streams.of_rows(np.flatnonzero(observed)))
    return out


def smoothed_ranks(x: Vector, streams: Streams) -> Vector:
    """Places in (0, 1) of the values in their smoothed distribution; ties at random inside their interval."""
    from microveil.kernels.ranks.scores import random_rank_order

    ranks = np.empty(len(x))
    ranks[random_rank_order(x, streams)] = np.arange(len(x))
    _, of, counts = np.unique(x, return_inverse=True, return_counts=True)
    of = of.reshape(-1)
    tied = counts[of] > 1
    ranks = ranks + 0.5
    start = np.cumsum(counts) - counts
    ranks[tied] = (start[of] + counts[of] * streams.at("tied").uniforms(0, len(x))[:, 0])[tied]
    return np.clip(ranks / len(x), 0.25 / len(x), 1 - 0.25 / len(x))


def smoothed_quantiles(x: Vector, u: Vector) -> Vector:
    """Values at these places of the distribution that is linear between ordered values, inside their range."""
    ordered = np.sort(x)
    return np.asarray(np.interp(u, (np.arange(len(x)) + 0.5) / len(x), ordered))


def _correlations(X: Matrix) -> Matrix:
    """Correlations with gaps at the mean; 0 for a column without spread."""
    from microveil.kernels.linalg.bases import correlation_scale
    from microveil.kernels.moments.central import mean_and_covariance

    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return correlation_scale(mean_and_covariance(filled)[1])[1]
