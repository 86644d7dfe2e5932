"""Distances of single columns' distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.loss.counts import count_both, table_distances, total_variation
from microveil.measure import Pair

_BINS = 20


@dataclass(frozen=True, kw_only=True)
class DistributionDistance(Loss, name="distribution-distance"):
    """Largest gap between the distributions of each column in the two files, averaged over the columns.

    For numbers and ordered categories the Kolmogorov-Smirnov distance, for other categories the share of records
    that would have to change category. Use it when single columns will be read or plotted. Parts: the distance
    of each column, the mean Hellinger distance (numbers in twenty classes of equal frequency) and for numbers the
    mean Wasserstein distance in standard deviations.
    Reference: Mlodak 2020, Information loss resulting from statistical disclosure control of output data.
    """

    kinds = ("continuous", "ordinal", "nominal")
    bounds = (0.0, 1.0)
    title = "Distance of distributions"
    reference = "Mlodak 2020"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after = pair.tables(pair.columns)
        distances: dict[str, float] = {}
        hellinger, moved, empty = [], [], []
        for name in pair.columns:
            x, y = before[name], after[name]
            a, b = (values.data[~values.missing] for values in (x, y))
            if not len(a) or not len(b):
                empty.append(str(name))
                continue
            if x.levels is None:
                a, b = np.sort(a), np.sort(b)  # once for all that follows
                distances[f"{name}"] = largest_gap(a, b)
                moved.append(wasserstein(a, b))
                cuts = np.unique(np.quantile(a, np.arange(1, _BINS) / _BINS, method="inverted_cdf"))
                o, s = count_both([np.searchsorted(cuts, a)], [np.searchsorted(cuts, b)])
            else:
                o, s = count_both([x.data], [y.data])
                distances[f"{name}"] = _largest_gap_of_codes(a, b) if x.kind == "ordinal" else total_variation(o, s)
            hellinger.append(table_distances(o, s)["Hellinger"])
        if not distances:
            return self.not_applicable("no column has values in both files")
        value = float(np.mean(list(distances.values())))
        worst = max(distances, key=lambda name: distances[name])
        return self.measured(
            value,
            parts={
                "Hellinger": float(np.mean(hellinger)),
                **({"Wasserstein": float(np.mean(moved))} if moved else {}),
                **{f"gap[{name}]": gap for name, gap in distances.items()},
            },
            reading=f"The distributions of single columns differ by {format_number(100 * value)} percentage points "
            f"at the widest gap on average, most in {worst} ({format_number(100 * distances[worst])}).",
            notes=(f"without values in one of the files: {list_some(empty)}",) if empty else (),
        )


def _largest_gap_of_codes(x: Ints, y: Ints) -> float:
    """Kolmogorov-Smirnov distance of two samples of whole numbers from 0: counting is quicker than sorting."""
    width = int(max(x.max(), y.max())) + 1
    gap = (np.cumsum(np.bincount(values, minlength=width)) / len(values) for values in (x, y))
    return float(np.abs(next(gap) - next(gap)).max())


def largest_gap(x: Floats, y: Floats) -> float:
    """Kolmogorov-Smirnov distance of two samples."""
    x, y = np.sort(x), np.sort(y)
    points = np.concatenate([x, y])
    gap = np.searchsorted(x, points, "right") / len(x) - np.searchsorted(y, points, "right") / len(y)
    return float(np.abs(gap).max())


def wasserstein(x: Floats, y: Floats) -> float:
    """Mean distance that probability must move, in standard deviations of x (its size, if x is constant)."""
    from microveil.kernels.moments.central import standard_deviations

    scale = float(standard_deviations(x[:, None], ddof=0)[0]) or max(float(np.abs(x).max()), 1.0)
    if len(x) == len(y):
        # the least moves the i-th of one sample to the i-th of the other
        return float(np.abs(np.sort(x / scale) - np.sort(y / scale)).mean())
    x, y = np.sort(x / scale), np.sort(y / scale)
    points = np.sort(np.concatenate([x, y]), kind="stable")
    gap = np.searchsorted(x, points[:-1], "right") / len(x) - np.searchsorted(y, points[:-1], "right") / len(y)
    return float((np.abs(gap) * np.diff(points)).sum())
