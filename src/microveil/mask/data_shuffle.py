"""Data shuffling: values handed out anew by a perturbation of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.claims import Claim, ValuesKept
from microveil.core.arrays import Floats, Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.base import Mask
from microveil.mask.rank_correlation import nearest_covariance, normal_correlation
from microveil.mask.shuffle_afar import shuffled_afar
from microveil.run.afar import Rows
from microveil.run.by_ranks import ByRanks, replaced
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.ranked import Ranked


@dataclass(frozen=True, kw_only=True)
class DataShuffle(ByRanks, Mask, name="data-shuffle"):
    """Hand the values of each column out anew, in the rank order of a draw given the columns that are kept.

    Use it when every column must keep exactly its values and rank correlations matter: given the kept
    columns, released and original values of a record are independent. Without given columns only the
    correlations among the shuffled columns remain.
    """

    passes: ClassVar[Passes] = "order"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal")
    conditions: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True
    form: ClassVar[str] = "swap"
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Muralidhar & Sarathy 2006"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The same values in every column."""
        return (ValuesKept(),)

    def learn(self, records: Ranked) -> Mapping[str, Rows]:
        """The new numbers of each column of records that are not all in memory."""
        self._refuse_few(records.records)
        return shuffled_afar(records)

    def act(self, table: Table, job: Job, known: Mapping[str, Rows]) -> Outcome:
        """Those of some records; gaps stay."""
        return Outcome(replaced(table, job, known))

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Draw normal scores given those of the kept columns and map them back to the values."""
        from microveil.kernels.fixed.products import times
        from microveil.kernels.fixed.sums import exact_product
        from microveil.kernels.linalg.bases import factor, pseudo_inverse

        self._refuse_few(table.rows)
        T, ranks = scores_and_ranks([values.numbers for values in table.columns.values()], table.rows)
        S, beside = _kept_scores(job.given, table.rows)
        R = normal_correlation(exact_product(np.hstack([ranks, beside])) / table.rows)
        p = T.shape[1]
        # the pseudo-inverse drops what kept columns say twice
        B = times(pseudo_inverse(R[p:, p:]), R[p:, :p]) if S.shape[1] else np.zeros((0, p))
        rest = R[:p, :p] - times(R[:p, p:], B)
        F = factor(nearest_covariance(rest))
        Y = times(S, B) + times(job.streams.at("draw").normals(0, table.rows, len(F)), F)
        return Outcome(
            {
                name: _handed_out(values, Y[:, j], job.streams.at(name))
                for j, (name, values) in enumerate(table.columns.items())
            }
        )

    def _refuse_few(self, records: int) -> None:
        if records < 3:
            raise NotEnoughRecords(f"{self.name} needs at least 3 records: {records} given")


def _handed_out(values: Values, y: Floats, streams: Streams) -> Values:
    from microveil.kernels.ranks.scores import reverse_map

    observed = ~values.missing
    data = values.data.copy()
    if observed.any():
        data[observed] = reverse_map(values.numbers[observed], y[observed], streams.of_rows(np.flatnonzero(observed)))
    return values.with_data(data)


def _kept_scores(given: Table, rows: int) -> tuple[Matrix, Matrix]:
    """Scores and ranks of the kept columns; a nominal column as indicators, whose scores are the indicators."""
    numbers = [values.numbers for values in given.columns.values() if values.kind != "nominal"]
    scores, ranks = scores_and_ranks(numbers, rows)
    indicators = [
        _standardised((values.data == code).astype(np.float64))[:, None]
        for values in given.columns.values()
        if values.kind == "nominal"
        for code in np.unique(values.data)[1:]
    ]
    return np.hstack([scores, *indicators]), np.hstack([ranks, *indicators])


def scores_and_ranks(columns: list[Floats], rows: int) -> tuple[Matrix, Matrix]:
    """Normal scores and average ranks of the observed values, of mean 0 and variance 1; gaps and constants are 0."""
    from scipy.special import ndtri

    scores, ranks = np.zeros((rows, len(columns))), np.zeros((rows, len(columns)))
    for j, x in enumerate(columns):
        observed = ~np.isnan(x)
        if not observed.any():
            continue
        _, codes, counts = np.unique(x[observed], return_inverse=True, return_counts=True)
        average = np.cumsum(counts) - (counts - 1) / 2
        codes = codes.reshape(-1)
        ranks[observed, j] = _standardised(average[codes])
        scores[observed, j] = _standardised(ndtri((average - 0.5) / observed.sum())[codes])
    return scores, ranks


def _standardised(x: Floats) -> Floats:
    from microveil.kernels.moments.central import mean_and_covariance

    mean, variance = (moment.item() for moment in mean_and_covariance(x[:, None]))
    spread = float(np.sqrt(variance))
    return np.asarray((x - mean) / spread) if spread > 1e-12 else np.zeros(len(x))
