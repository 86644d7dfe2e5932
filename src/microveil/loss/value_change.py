"""Bounded change of single values, for every kind of column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.loss.base import Loss
from microveil.loss.cell_distances import cell_distances
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class ValueChange(Loss, name="value-change"):
    """Mean change of a cell between 0 (kept) and 1 (nothing left), for all kinds of columns together.

    Numbers: (2 / pi) atan of the change in standard deviations; ordered categories: share of the categories
    moved; other categories: 0 or 1, or by their hierarchy. A suppressed cell counts 1. Use it
    for files with categories.
    Reference: Mlodak 2020, Information loss resulting from statistical disclosure control of output data;
    Domingo-Ferrer & Torra 2001, Disclosure protection methods and information loss for microdata.
    """

    standardise: Annotated[
        bool, Grid((True, False)), "changes of numbers in standard deviations, or in the unit of the column"
    ] = True

    quick = True
    kinds = ("continuous", "ordinal", "nominal")
    paired = True
    bounds = (0.0, 1.0)
    title = "Change of single values"
    reference = "Mlodak 2020"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after = pair.tables(pair.columns)
        left, right = pair.linked_rows
        parts: dict[str, float] = {}
        suppressed = 0
        for name in pair.columns:
            x = before[name]
            found = cell_distances(x, x.take(left), after[name].take(right))
            change = found.distance
            if x.levels is None:
                unit = 1.0 if self.standardise else found.scale
                change = np.where(found.emptied, 1.0, 2 / np.pi * np.arctan(unit * change))
            elif x.kind == "ordinal":
                # K - 1 steps lead from one end to the other: the extremes are a whole change apart
                change = np.minimum(change * found.scale / max(found.scale - 1, 1.0), 1.0)
            parts[f"{name}"] = float(change.mean())
            suppressed += int(found.emptied.sum())
        value = float(np.mean(list(parts.values())))
        worst = max(parts, key=lambda name: parts[name])
        return self.measured(
            value,
            parts={f"change[{name}]": part for name, part in parts.items()},
            reading=f"On a scale from 0 (kept) to 1 (nothing left) a value changes by {format_number(value)} on "
            f"average, most in "
            f"{worst} ({format_number(parts[worst])}).",
            notes=(f"{suppressed} cells missing in one of the files count as 1",) if suppressed else (),
        )
