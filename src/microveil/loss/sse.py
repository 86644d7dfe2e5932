"""Sum of squared errors against the total sum of squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.data.table import Values
from microveil.loss.base import Loss
from microveil.loss.cell_distances import cell_distances
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class SSE(Loss, name="sse"):
    """Squared distances of released values from the original ones, in per cent of the total squared distances.

    The information loss of the microaggregation literature: 0 when nothing changed, 100 when every record is
    replaced by the average record; other methods can exceed 100. Continuous columns are standardised, ordinal
    ones count steps between categories, nominal ones 0 or 1 (or by their hierarchy).
    Reference: Domingo-Ferrer & Mateo-Sanz 2002, Practical data-oriented microaggregation for statistical
    disclosure control; Domingo-Ferrer & Torra 2005 for the distances of categories.
    """

    standardise: Annotated[
        Literal["zscore"] | None, Grid(("zscore", None)), "continuous columns in standard deviations, or as they are"
    ] = "zscore"

    kinds = ("continuous", "ordinal", "nominal")
    paired = True
    unit = "%"
    title = "Squared errors (SSE / SST)"
    reference = "Domingo-Ferrer & Mateo-Sanz 2002"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after = pair.tables(pair.columns)
        left, right = pair.linked_rows
        parts: dict[str, float] = {}
        sse, sst, emptied = 0.0, 0.0, 0
        for name in pair.columns:
            x, y = before[name].take(left), after[name].take(right)
            found = cell_distances(before[name], x, y)
            unit = found.scale if self.standardise is None and x.levels is None else 1.0
            counted = ~np.isnan(found.distance)
            error = float((unit * found.distance[counted] ** 2 * unit).sum())
            total = _total(before[name], x, counted) * unit**2
            emptied += int((~counted).sum())
            parts[f"loss[{name}]"] = 100 * error / total if total > 0 else (0.0 if error == 0 else 100.0)
            sse, sst = sse + error, sst + total
        value = 100 * sse / sst if sst > 0 else (0.0 if sse == 0 else 100.0)
        notes = (f"{emptied} numbers missing in one of the files were left out",) if emptied else ()
        return self.measured(
            value,
            parts={"SSE": sse, "SST": sst, **parts},
            reading=f"Released values differ from the original ones by {format_number(value)} % of all the "
            f"variation in the file.",
            notes=notes,
        )


def _total(original: Values, x: Values, counted: Bools) -> float:
    """Squared distances of the original cells from the average cell: mean, lower median or most frequent category."""
    from microveil.kernels.distances.mixed import NOMINAL, ORDINAL, average, mixed_metric

    kept = x.take(np.flatnonzero(counted))
    if original.levels is None:
        observed = kept.take(np.flatnonzero(~kept.missing))
        if not len(observed.data):
            return 0.0
        centre = float(observed.data[0] + (observed.data - observed.data[0]).mean())
    else:
        observed = kept
        kind = ORDINAL if original.kind == "ordinal" else NOMINAL
        codes = kept.numbers[:, None]
        sizes = {0: len(original.levels)}
        centre = float(average(codes, mixed_metric(codes, [kind], categories=sizes))[0]) if len(codes) else 0.0
        centre = -1.0 if np.isnan(centre) else centre
    middle = observed.with_data(np.full(len(observed.data), centre).astype(observed.data.dtype))
    distance = cell_distances(original, observed, middle).distance
    return float((distance**2).sum())
