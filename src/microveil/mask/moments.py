"""Moments of columns that may have gaps."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.data.table import Table
from microveil.kernels.fixed.sums import ExactMoments
from microveil.run.job import Job
from microveil.run.statistics import gather_moments, gather_observed, known_ends


def observed_scales(table: Table, job: Job, who: str) -> dict[str, float]:
    """The standard deviation (divisor n - 1) of the observed values of each column; exactly 0 for a constant one."""
    return {name: _scale(*found, who) for name, found in gather_observed(table, job).items()}


def _scale(moments: ExactMoments, low: Floats, high: Floats, who: str) -> float:
    from microveil.kernels.moments.central import finish_deviations

    if moments.records == 0:
        return 0.0
    if moments.records < 2:
        raise NotEnoughRecords(
            f"{who} needs at least 2 records to know the spread of a column: {moments.records} given"
        )
    return float(finish_deviations(moments, low, high)[0])


def centre_and_covariance(table: Table, job: Job, who: str) -> tuple[Matrix, Matrix]:
    """Mean and covariance (divisor n); with gaps, correlations of the complete records on the observed scales."""
    from microveil.kernels.linalg.bases import correlation_scale

    if table.rows < 2:
        raise NotEnoughRecords(f"{who} needs at least 2 records to know how columns vary: {table.rows} given")
    complete, low, high = gather_moments(table, job, lambda block, _: _complete(block), known_ends(table, job))
    if complete.records == table.rows:
        return _finish(complete, low, high)
    if complete.records < 2:
        raise NotEnoughRecords(
            f"{who} takes correlations from complete records and needs at least 2 of them: {complete.records} given"
        )
    _, correlation = correlation_scale(_finish(complete, low, high)[1])
    found = [_finish(*one) for one in gather_observed(table, job).values()]
    deviation = np.sqrt([variance.item() for _, variance in found])
    return np.array([mean.item() for mean, _ in found]), correlation * np.outer(deviation, deviation)


def _finish(moments: ExactMoments, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    from microveil.kernels.moments.central import finish_moments

    start, shift, covariance = finish_moments(moments, low, high)
    return start + shift, covariance


def _complete(block: Table) -> Matrix:
    X = block.matrix()
    gaps = np.isnan(X).any(axis=1)
    return X[~gaps] if gaps.any() else X
