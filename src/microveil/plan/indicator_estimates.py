"""Figures that users of a file will compute, with the intervals that the records at hand leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.loss.indicator_language import Indicator
from microveil.measure import Pair

_DRAWS = 400
_TAIL = 0.025


@dataclass(frozen=True)
class Estimate:
    """An indicator in one file with its 95 % interval; not a number where it is not defined."""

    value: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Estimated:
    """One indicator in the original and in every release, by the names of their plans."""

    expression: str
    original: Estimate
    releases: Mapping[str, Estimate]


def estimate_indicators(
    expressions: Sequence[str], pairs: Mapping[str, Pair], streams: Streams
) -> tuple[Estimated, ...]:
    """Every indicator in the original and in the releases of `pairs`, which share their original.

    Intervals are those of the bootstrap: the records of a file are drawn anew with replacement, four hundred times, and
    the middle 95 % of the indicators make the interval. Survey weights go along with their records.
    """
    found = []
    for expression in expressions:
        indicator = Indicator(expression)
        common = [name for pair in pairs.values() for name in pair.before.columns if name in pair.after.columns]
        check_names(list(indicator.columns), list(dict.fromkeys(common)), "an indicator")
        original = None
        releases = {}
        for label, pair in pairs.items():
            before, after = pair.tables(indicator.columns)
            drawn = streams.at("indicator", expression)
            if original is None:
                original = _estimate(indicator, before, _weights(pair.before, pair.rows_before), drawn.at("original"))
            releases[label] = _estimate(indicator, after, _weights(pair.after, pair.rows_after), drawn.at(label))
        if original is not None:
            found.append(Estimated(expression, original, releases))
    return tuple(found)


def _estimate(indicator: Indicator, table: Table, weights: Floats, streams: Streams) -> Estimate:
    value = indicator.value(table.columns, weights)
    records = len(weights)
    drawn = []
    for number in range(_DRAWS if records else 0):
        rows = streams.at(number).generator().integers(records, size=records)
        drawn.append(indicator.value({name: one.take(rows) for name, one in table.columns.items()}, weights[rows]))
    known = np.array([one for one in drawn if not np.isnan(one)])
    if np.isnan(value) or not len(known):
        return Estimate(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [_TAIL, 1 - _TAIL])
    return Estimate(value, float(low), float(high))


def _weights(data: Microdata, rows: Ints) -> Floats:
    return np.ones(len(rows)) if data.weights is None else np.asarray(data.weights[rows])
