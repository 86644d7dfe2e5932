"""Third and fourth moments from sums over parts of a file that are exact until one last rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.kernels.fixed.sums import CrossSums, Grid


@dataclass(frozen=True)
class PowerSums:
    """Sums of products of powers of standardised values, for all pairs of columns.

    "21" is the sum of z_i^2 z_j, "|21|" the same of absolute values, and so on. Each product is rounded once; the order
    of the records does not matter.
    """

    records: int
    sums: Mapping[str, CrossSums]

    @classmethod
    def of(cls, X: Floats, start: Floats, shift: Floats, per_scale: Floats, low: Floats, high: Floats) -> PowerSums:
        """The sums of some complete records of a file whose columns lie between `low` and `high`."""
        z = (X - start - shift) * per_scale
        most = np.maximum(*(np.abs((end - start - shift) * per_scale) for end in (low, high)))
        size, square = np.abs(z), z * z
        grids = [Grid.up_to(bound) for bound in (most, most * most, most * most * most)]
        one, two, three = grids
        return cls(
            len(X),
            {
                "11": CrossSums.of(z, left=one),
                "21": CrossSums.of(square, z, two, one),
                "|21|": CrossSums.of(square, size, two, one),
                "31": CrossSums.of(square * z, z, three, one),
                "|31|": CrossSums.of(square * size, size, three, one),
                "22": CrossSums.of(square, left=two),
            },
        )

    def merge(self, other: PowerSums) -> PowerSums:
        """The sums over the records of both."""
        return PowerSums(
            self.records + other.records, {name: one.merge(other.sums[name]) for name, one in self.sums.items()}
        )

    def totals(self) -> dict[str, Floats]:
        """The sums as numbers."""
        return {name: one.values() for name, one in self.sums.items()}

    def means(self) -> dict[str, Floats]:
        """The sums over the number of records."""
        return {name: total / self.records for name, total in self.totals().items()}
