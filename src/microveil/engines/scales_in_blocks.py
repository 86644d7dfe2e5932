"""The scales of whole files, on which some of their records are compared: spreads, or ranks among all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from microveil.core.arrays import Floats
from microveil.engines.ranks_in_blocks import Stretches, find_stretches
from microveil.kernels.fixed.sums import ExactMoments, Grid
from microveil.kernels.moments.central import finish_deviations, is_narrow
from microveil.kernels.summaries.complete import usable_ends
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.together import Together
from microveil.measure.in_blocks import Rescale, Side

_RANKS = 12**0.5  # ranks as shares of all records times this have a standard deviation of one, as values have


class Spread(NamedTuple):
    """The centre of a column and its standard deviation, 0 where it does not vary."""

    centre: float
    scale: float

    def of(self, x: Floats) -> Floats:
        """Values on this scale."""
        return (x - self.centre) / self.scale if self.scale > 0 else x - self.centre


@dataclass(frozen=True)
class WholeScales:
    """For each file and amount how its values are brought on a scale."""

    of_column: Mapping[tuple[Side, str], Spread | Stretches]

    def rescale(self, standardise: str) -> Rescale:
        """Both files each on its own scale, or both on the original's."""
        return lambda name, x, y: (
            self._scaled("before", name, x),
            self._scaled("before" if standardise == "original" else "after", name, y),
        )

    def _scaled(self, side: Side, name: str, x: Floats) -> Floats:
        found = self.of_column[side, name]
        if isinstance(found, Spread):
            return found.of(x)
        observed = ~np.isnan(x)
        ranks = np.full(len(x), np.nan)
        ranks[observed] = _RANKS * found.middle_ranks(x[observed]) / max(found.observed, 1)
        return ranks


def find_scales(
    sides: Mapping[Side, Callable[..., Any]], names: Sequence[str], scale: str, records: tuple[int, int]
) -> WholeScales:
    """The scales of all amounts of both files, by two passes over each."""
    found: dict[tuple[Side, str], Spread | Stretches] = {}
    if not names:
        return WholeScales(found)  # and no columns to read
    for (side, ask), rows in zip(sides.items(), records, strict=True):
        each: Sequence[Spread | Stretches] = find_spreads(ask, len(names)) if scale == "values" else ()
        if scale == "ranks":
            each = find_stretches(ask, len(names), rows)
        for name, one in zip(names, each, strict=True):
            found[side, name] = one
    return WholeScales(found)


def find_spreads(ask: Callable[..., Any], columns: int) -> list[Spread]:
    """The centre and spread of the observed values of each column, by two passes."""
    ends: Extremes = ask(lambda _, X: Extremes.of(X))
    low, high = usable_ends(ends)
    grid = Grid.between(low, high)
    sums = ask(
        lambda _, X: Together(
            {
                j: ExactMoments.of(X[~np.isnan(X[:, j]), j : j + 1], Grid(grid.exponents[j : j + 1]))
                for j in range(columns)
            }
        )
    ).parts
    found = []
    for j in range(columns):
        one: ExactMoments = sums[j]
        if not one.records:
            found.append(Spread(0.0, 1.0))
        elif one.records < 2 or is_narrow(low[j : j + 1], high[j : j + 1])[0]:
            found.append(Spread(float(low[j]), 0.0))
        else:
            spread = finish_deviations(one, low[j : j + 1], high[j : j + 1])
            found.append(Spread(one.mean().item(), spread.item()))
    return found
