"""Indicators of the user's own: what a release must get right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.open_types import Stated
from microveil.core.parameters import Grid, Range
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.loss.base import Loss
from microveil.loss.indicator_language import Indicator
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class UserIndicator(Loss, name="indicator"):
    """Change of one figure that users of the file will compute, against a tolerance.

    Use one for each entry of a utility plan. Statistics mean, total, median, quantile, variance, sd, gini,
    correlation, share and count, each with an optional condition as last argument, and arithmetic with them; survey
    weights are used where a column has that role. Parts: original, protected, change and `within` (1 or 0).

    >>> import pyarrow as pa
    >>> x = pa.table({"income": [10.0, 20.0, 30.0, 40.0], "sex": [1, 1, 2, 2]})
    >>> y = pa.table({"income": [11.0, 21.0, 31.0, 39.0], "sex": [1, 1, 2, 2]})
    >>> UserIndicator(expression="mean(income, sex == 1)", tolerance=0.1)(x, y).reading
    'mean(income, sex == 1) is 15 in the original and 16 in the protected file: 6.67 % off, 10 % are allowed.'
    """

    expression: Annotated[str, "the figure, such as mean(income) or share(age >= 65)"]
    tolerance: Annotated[float, Range(ge=0, grid=(0.01, 0.05)), "largest change allowed (0.05: 5 %)"] = 0.05
    relative: Annotated[bool, Grid((True, False)), "whether the change is a share of the original figure"] = True

    kinds = ("continuous", "ordinal", "nominal")
    example: ClassVar[Stated] = {"expression": "mean(income)"}
    title = "Indicator of the utility plan"
    reference = "Hundepool et al. 2012"

    def validate(self) -> None:
        """The expression must be readable."""
        Indicator(self.expression)

    def choose(self, pair: Pair) -> tuple[str, ...]:
        common = [name for name in pair.before.columns if name in pair.after.columns]
        named = Indicator(self.expression).columns
        check_names(list(named), common, "expression")
        return named or pair.columns

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        indicator = Indicator(self.expression)
        before, after = pair.tables(indicator.columns)
        x = indicator.value(before.columns, _weights(pair.before, pair.rows_before))
        y = indicator.value(after.columns, _weights(pair.after, pair.rows_after))
        if np.isnan(x) or np.isnan(y):
            which = "original" if np.isnan(x) else "protected"
            return self.not_applicable(f"{self.expression} has no value in the {which} file")
        relative = self.relative and x != 0
        value = abs(y - x) / abs(x) if relative else abs(y - x)
        within = value <= self.tolerance * (1 + 1e-12)
        scale, unit = (100, " %") if relative else (1, "")
        off, allowed = (f"{format_number(scale * amount)}{unit}" for amount in (value, self.tolerance))
        return self.measured(
            value,
            parts={"original": x, "protected": y, "change": y - x, "within": float(within)},
            reading=f"{self.expression} is {format_number(x, 6)} in the original and {format_number(y, 6)} in the "
            f"protected file: {off} off, "
            f"{allowed} are allowed.",
            notes=("the original figure is 0: the change is not relative",) if self.relative and not relative else (),
        )


def _weights(data: Microdata, rows: Ints) -> Floats:
    return np.ones(len(rows)) if data.weights is None else np.asarray(data.weights[rows])
