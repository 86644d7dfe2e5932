"""Resampling: averages of bootstrap order statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.claims import Claim, OrderKept, RangeKept
from microveil.core.arrays import Ints, Vector
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.mask.base import ColumnMask


@dataclass(frozen=True, kw_only=True)
class Resample(ColumnMask, name="resample"):
    """Replace the value of each rank by the average of that rank in `samples` bootstrap samples.

    Use it for a mild change of every value that keeps the order of records and stays inside the range; means
    stay on average and variances shrink a little. Protects little: ranks are untouched.
    """

    samples: Annotated[int, Range(ge=1, le=1000, grid=(1, 3)), "number of bootstrap samples averaged"] = 3

    reference = "Heer 1993; Domingo-Ferrer & Mateo-Sanz 1999"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Order and range."""
        return (OrderKept(), RangeKept())

    def column(self, x: Vector, streams: Streams) -> Vector:
        """One column; ties stand in random order."""
        from microveil.kernels.ranks.scores import random_rank_order

        order = random_rank_order(x, streams)
        ordered = x[order]
        # differences from one of the samples: equal values average to exactly themselves
        first = ordered[_bootstrap(streams, 0, len(x))]
        change = np.zeros(len(x))
        for number in range(1, self.samples):
            change += ordered[_bootstrap(streams, number, len(x))] - first
        out = np.empty_like(x)
        out[order] = np.clip(first + change / self.samples, ordered[0], ordered[-1])
        return out


def _bootstrap(streams: Streams, number: int, records: int) -> Ints:
    """Ranks drawn with replacement, in order."""
    return np.sort((streams.at("sample", number).by_rank().uniforms(0, records)[:, 0] * records).astype(np.int64))
