"""Gaussian copula synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, ValuesKept
from microveil.core.arrays import AnyArray, Floats
from microveil.core.errors import NotEnoughRecords
from microveil.core.parameters import Grid, When
from microveil.core.streams import Streams
from microveil.data.extremes import tell_drawn_extremes
from microveil.data.table import Table, Values
from microveil.run.by_ranks import ByMaking, Making
from microveil.run.contract import Passes, Ties
from microveil.run.method import Job
from microveil.run.ranked import Ranked
from microveil.synth.base import FullSynthesiser
from microveil.synth.copula_afar import drawn_afar
from microveil.synth.design import RankScale


@dataclass(frozen=True, kw_only=True)
class GaussianCopula(ByMaking, FullSynthesiser, name="gaussian-copula"):
    """Draw normal records with the original's rank correlations and give each column its own distribution.

    Use it as a plain baseline for mixed data. Margins: `smooth` interpolates the observed distribution, `exact` hands
    out the original values by rank, so that every column keeps exactly its values. Categories are intervals of a normal
    variable, nominal ones in the order of their frequency; missing is a category. Relations beyond
    correlations are lost.
    """

    margins: Annotated[
        Literal["smooth", "exact"], When(records=None), Grid(("smooth", "exact")), "distribution of single columns"
    ] = "smooth"
    correlation: Annotated[
        Literal["normal scores", "spearman"],
        Grid(("normal scores", "spearman")),
        "latent correlations: of normal scores, or 2 sin(pi r / 6) of rank correlations r",
    ] = "normal scores"

    passes: ClassVar[Passes] = "order"
    depends_on_processor: ClassVar[bool] = True  # normal quantiles of the C library
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    ties_record: ClassVar[Ties] = "none"
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Nelsen 2006; Li 2000"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Exact margins: the values of every column."""
        return (ValuesKept(),) if self.margins == "exact" else ()

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        """Latent normal records, mapped to the values of each column."""
        self._refuse_few(table.rows)
        places = {name: _ordered(values) for name, values in table.columns.items()}
        Z = self._latent(np.column_stack(list(places.values())), records, job.streams.at("latent"))
        columns, single = {}, []
        for j, (name, values) in enumerate(table.columns.items()):
            columns[name] = values.with_data(self._values(values, places[name], Z[:, j], job.streams.at(name)))
            if self.margins == "exact" and _occurs_once(values):
                single.append(repr(name))
        note = f"exact margins keep categories that occur once: {', '.join(single)}"
        return columns, (*((note,) if single else ()), *tell_drawn_extremes(table, columns))

    def learn(self, records: Ranked) -> Making:
        """The same from the orders of records that are not all in memory."""
        self._refuse_few(records.records)
        made = records.made(self.number_of(records.records))
        drawn = drawn_afar(records, made, self.margins, self.correlation)
        return self.making(made, drawn, records.table.names, drawn.notes)

    def _refuse_few(self, records: int) -> None:
        if records < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records to draw from: {records} given")

    def _latent(self, X: Floats, records: int, streams: Streams) -> Floats:
        from microveil.kernels.draws.latin import nearest_correlation, spearman
        from microveil.kernels.fixed.products import times
        from microveil.kernels.linalg.bases import correlation_scale, factor
        from microveil.kernels.moments.central import mean_and_covariance
        from microveil.kernels.ranks.scores import normal_scores

        if self.correlation == "spearman":
            R = 2 * np.sin(np.pi / 6 * spearman(X))
        else:
            Z = np.column_stack([normal_scores(x) for x in X.T])
            R = correlation_scale(mean_and_covariance(Z)[1])[1]
        np.fill_diagonal(R, 1.0)
        F = factor(nearest_correlation(R))
        return times(streams.normals(0, records, len(F)), F)

    def _values(self, values: Values, place: Floats, z: Floats, streams: Streams) -> AnyArray:
        from microveil.kernels.ranks.scores import ordinal_ranks

        if self.margins == "exact":
            order = np.argsort(place, kind="stable")
            return np.asarray(values.data[order[ordinal_ranks(z, streams) - 1]])
        if values.levels is None:
            return RankScale.of(values.data).values(z)
        from scipy.special import ndtr

        order = np.argsort(place, kind="stable")
        step = np.minimum((ndtr(z) * len(order)).astype(np.int64), len(order) - 1)
        return np.asarray(values.data[order[step]])


def _occurs_once(values: Values) -> bool:
    return values.levels is not None and bool((np.unique(values.data, return_counts=True)[1] == 1).any())


def _ordered(values: Values) -> Floats:
    """The column as numbers in a meaningful order: nominal categories by frequency."""
    if values.kind != "nominal":
        return np.asarray(values.data, dtype=np.float64)
    _, codes, counts = np.unique(values.data, return_inverse=True, return_counts=True)
    rank = np.empty(len(counts))
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.asarray(rank[codes])
