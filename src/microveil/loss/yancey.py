"""The stable form of IL1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class YanceyLoss(Loss, name="yancey-loss"):
    """Mean change of a value in units of sqrt(2) standard deviations of its attribute.

    Use it instead of relative changes where values may be near 0. About 0.8 is what replacing every value by
    an independent draw from a normal attribute would give. The parts are the means per attribute; some tools
    report the sum over all cells: n p times the value.
    Reference: Yancey, Winkler & Creecy 2002, Disclosure risk assessment in perturbative microdata protection.

    >>> import pyarrow as pa
    >>> x, y = pa.table({"a": [1.0, 3.0, 5.0]}), pa.table({"a": [1.0, 3.0, 7.0]})
    >>> round(YanceyLoss()(x, y).value, 6)  # 2 / (sqrt(2) * 2) / 3
    0.235702
    """

    paired = True
    title = "Stable change of values (IL1s)"
    reference = "Yancey, Winkler & Creecy 2002"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.moments.central import standard_deviations

        X, Y, notes = self.complete_pairs(pair)
        few = self.too_few(X, Y, 2)
        if few:
            return few
        s = standard_deviations(X)
        flat = [str(name) for name, spread in zip(pair.columns, s, strict=True) if spread == 0]
        if len(flat) == len(s):
            return self.not_applicable("every column is constant in the original: there is no spread to compare with")
        if flat:
            notes = (*notes, f"constant columns have no spread to compare with and are left out: {list_some(flat)}")
        means = {
            str(name): float(np.abs(X[:, j] - Y[:, j]).mean() / (np.sqrt(2.0) * s[j]))
            for j, name in enumerate(pair.columns)
            if s[j] > 0
        }
        value = float(np.mean(list(means.values())))
        return self.measured(
            value,
            parts={f"change[{name}]": mean for name, mean in means.items()},
            reading=f"A value moved on average by {format_number(np.sqrt(2.0) * value)} standard deviations of its "
            "column; the figure is that divided by the square root of 2.",
            notes=notes,
        )
