"""Data shuffling of records that are not all in memory: the numbers of `data_shuffle`, operation by operation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Floats
from microveil.data.table import Table
from microveil.kernels.fixed.products import times
from microveil.mask.rank_correlation import nearest_covariance, normal_correlation
from microveil.run.afar import Rows, after_times, beside, matrix, normals
from microveil.run.by_order import Ordered
from microveil.run.job import Job
from microveil.run.ranked import Ranked, handed_out


def shuffled_afar(records: Ranked) -> dict[str, Rows]:
    """The new numbers of each column: its values in the order of a draw given the columns that are kept."""
    from microveil.kernels.linalg.bases import factor, pseudo_inverse

    names, p = records.table.names, len(records.table.names)
    kept = [name for name, values in records.job.given.columns.items() if values.kind != "nominal"]
    orders = records.ordered(beside(matrix, _numbers_of(kept)), [None] * (p + len(kept)))
    indicators = _classes_of_kept(records)
    ranks_of_kept = records.average_ranks(orders[p:])
    ranks = records.standardised(beside(records.average_ranks(orders[:p]), ranks_of_kept, indicators))
    scores = records.standardised(beside(_scores(ranks_of_kept, orders[p:]), indicators))
    R = normal_correlation(records.product(ranks) / records.records)
    # the pseudo-inverse drops what kept columns say twice
    B = times(pseudo_inverse(R[p:, p:]), R[p:, :p]) if len(R) > p else np.zeros((0, p))
    F = factor(nearest_covariance(R[:p, :p] - times(R[:p, p:], B)))
    drawn = records.ordered(_drawn(scores, B, F), [records.job.streams.at(name) for name in names])
    return {name: records.held(handed_out(one, own)) for name, one, own in zip(names, drawn, orders[:p], strict=True)}


def _numbers_of(names: Sequence[str]) -> Rows:
    return lambda _, its: its.given.matrix(names)


def _classes_of_kept(records: Ranked) -> Rows:
    """Columns of categories without an order as indicators of all that occur but the first; a gap is one of them."""
    names = [name for name, values in records.job.given.columns.items() if values.kind == "nominal"]
    present = records.present_codes(names)

    def rows(block: Table, its: Job) -> Floats:
        parts = [np.equal.outer(its.given[name].data, present[name][1:]).astype(np.float64) for name in names]
        return np.hstack([np.zeros((block.rows, 0)), *parts])

    return rows


def _scores(ranks: Rows, orders: Sequence[Ordered]) -> Rows:
    """Normal quantiles of average ranks among the observed values of each column."""
    observed = np.array([float(one.count) for one in orders])

    def rows(block: Table, its: Job) -> Floats:
        from scipy.special import ndtri

        return np.asarray(ndtri((ranks(block, its) - 0.5) / observed))

    return rows


def _drawn(scores: Rows, B: Floats, F: Floats) -> Rows:
    noise = after_times(normals(len(F), "draw"), F)

    def rows(block: Table, its: Job) -> Floats:
        Y = times(scores(block, its), B) + noise(block, its)
        Y[np.isnan(block.matrix())] = np.nan  # gaps take no part in the order, and stay
        return Y

    return rows
