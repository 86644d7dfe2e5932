"""Moments of columns that may have gaps."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Matrix
from microveil.core.errors import NotEnoughRecords
from microveil.data.table import Table
from microveil.kernels.fixed.sums import ExactMoments
from microveil.run.engine import Engine
from microveil.run.statistics import gather_moments


def observed_scale(engine: Engine, table: Table, name: str, who: str) -> float:
    """The standard deviation (divisor n - 1) of the observed values of a column; exactly 0 for a constant one."""
    from microveil.kernels.moments.central import finish_deviations

    moments, low, high = gather_moments(engine, table, lambda block: _observed(block, name))
    if moments.records == 0:
        return 0.0
    if moments.records < 2:
        raise NotEnoughRecords(
            f"{who} needs at least 2 records to know the spread of a column: {moments.records} given"
        )
    return float(finish_deviations(moments, low, high)[0])


def centre_and_covariance(engine: Engine, table: Table, who: str) -> tuple[Matrix, Matrix]:
    """Mean and covariance (divisor n); with gaps, correlations of the complete records on the observed scales."""
    from microveil.kernels.linalg.bases import correlation_scale

    if table.rows < 2:
        raise NotEnoughRecords(f"{who} needs at least 2 records to know how columns vary: {table.rows} given")
    complete, low, high = gather_moments(engine, table, _complete)
    if complete.records == table.rows:
        return _finish(complete, low, high)
    if complete.records < 2:
        raise NotEnoughRecords(
            f"{who} takes correlations from complete records and needs at least 2 of them: {complete.records} given"
        )
    _, correlation = correlation_scale(_finish(complete, low, high)[1])
    found = [_column_moments(engine, table, name) for name in table.names]
    deviation = np.sqrt([variance.item() for _, variance in found])
    return np.array([mean.item() for mean, _ in found]), correlation * np.outer(deviation, deviation)


def _column_moments(engine: Engine, table: Table, name: str) -> tuple[Floats, Floats]:
    return _finish(*gather_moments(engine, table, lambda block: _observed(block, name)))


def _finish(moments: ExactMoments, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    from microveil.kernels.moments.central import finish_moments

    start, shift, covariance = finish_moments(moments, low, high)
    return start + shift, covariance


def _complete(block: Table) -> Matrix:
    X = block.matrix()
    gaps = np.isnan(X).any(axis=1)
    return X[~gaps] if gaps.any() else X


def _observed(block: Table, name: str) -> Matrix:
    x = block[name].numbers
    gaps = np.isnan(x)
    return (x[~gaps] if gaps.any() else x)[:, None]
