"""The section of the report on correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Floats
from microveil.measure import Pair
from microveil.report.chart_correlation import correlation_change
from microveil.report.section import Charts, Section, Told


def correlation_chart(pair: Pair, names: Sequence[str], reach: float | None = None) -> str:
    """The change of correlations between amounts, with colours up to `reach` at least; empty with fewer than two."""
    kept, matrices = _correlations(pair, names)
    return correlation_change(kept, *matrices, reach=reach) if kept else ""


def largest_change(pair: Pair, names: Sequence[str]) -> float:
    """By how much the correlation of two amounts changed at most."""
    kept, matrices = _correlations(pair, names)
    return float(np.abs(matrices[1] - matrices[0]).max()) if kept else 0.0


def _correlations(pair: Pair, names: Sequence[str]) -> tuple[list[str], list[Floats]]:
    """The amounts that vary in both files, and their correlations before and after; none with fewer than two."""
    amounts = [name for name in names if pair.before.kinds[name] == "continuous" and not pair.recoded(name)]
    before, after = (table.matrix() for table in pair.tables(amounts))
    kept = [j for j in range(len(amounts)) if _spreads(before[:, j]) and _spreads(after[:, j])]
    complete = [X[:, kept][~np.isnan(X[:, kept]).any(axis=1)] for X in (before, after)]
    if len(kept) < 2 or min(map(len, complete)) < 2:
        return [], []
    return [amounts[j] for j in kept], [np.asarray(np.corrcoef(X, rowvar=False)) for X in complete]


def _spreads(column: Floats) -> bool:
    observed = column[~np.isnan(column)]
    return len(observed) > 0 and bool(observed.std() > 0)


def _draw(told: Told) -> Charts:
    chart = correlation_chart(told.pair, told.columns)
    return Charts((chart,) if chart else ())


CORRELATIONS = Section("Correlations", _draw)
