"""Individual risk: the probability of re-identifying each record of a sample, given the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.kernels.tables.individual import individual_risk
from microveil.kernels.tables.over_records import all_records, count_records, sum_over_records
from microveil.measure import Pair
from microveil.measure.keys import Missing
from microveil.risk.base import RecordRisk


@dataclass(frozen=True, kw_only=True)
class IndividualRisk(RecordRisk, name="individual-risk"):
    """Expected per cent of records that an intruder re-identifies, from key frequencies and survey weights.

    Use it for samples with weights and categorical keys. The risk of a record is E(1/F | f), with f
    records like it in the sample and F in the population, F estimated by the sum of their weights;
    without weights the file is taken for the population. A household is at risk when any member is.
    Reference: Benedetti & Franconi 1998; Franconi & Polettini 2004.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    quick: ClassVar[bool] = True
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "Individual risk"
    reference: ClassVar[str] = "Benedetti & Franconi 1998; Franconi & Polettini 2004"

    method: Annotated[
        Literal["exact", "approximate"],
        Grid(("exact", "approximate")),
        "the hypergeometric function, or its short form",
    ] = "exact"
    missing: Missing = "own"

    def record_values(self, pair: Pair) -> Floats:
        return self._risks(pair)[0]

    def _risks(self, pair: Pair) -> tuple[Floats, Ints, Floats]:
        from microveil.kernels.tables.sizes import class_sizes

        f, F = class_sizes(self.key_codes(pair), self.missing, self.weights(pair), pair.counts_after)
        return individual_risk(f, F, self.method), f, F

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        risk, f, F = self._risks(pair)
        records = pair.counts_after
        expected = sum_over_records(risk, records)
        parts = {
            "expected re-identifications": expected,
            "largest risk (%)": 100.0 * float(risk.max()),
            "records above 10 %": float(count_records(risk > 0.1, records)),
        }
        households = pair.after.households
        if households is not None and records is None:
            together = household_risk(risk, households[pair.rows_after])
            parts["household risk (%)"] = 100.0 * float(together.mean())
            parts["expected re-identifications through households"] = float(together.sum())
        everyone = all_records(len(risk), records)
        value = 100.0 * (expected / everyone)
        reading = (
            f"About {format_number(expected)} of {everyone:,} records ({format_number(value, 2)} %)"
            " would be re-identified by their keys."
        )
        return self.measured(value, parts=parts, reading=reading, notes=(*self.key_notes(pair), *_notes(pair, f, F)))


def household_risk(risk: Floats, households: Ints) -> Floats:
    """For each record the probability that some member of its household is re-identified."""
    # a record without a household is one of its own
    labels = np.where(households >= 0, households, households.max(initial=-1) + 1 + np.arange(len(households)))
    with np.errstate(divide="ignore"):
        safe = np.log1p(-np.minimum(risk, 1.0))
    _, where = np.unique(labels, return_inverse=True)
    return np.asarray(-np.expm1(np.bincount(where, weights=safe)[where]))


def _notes(pair: Pair, f: Ints, F: Floats) -> tuple[str, ...]:
    if pair.after.weights is None:
        return ("no column has the role weight: the file is taken for the whole population",)
    small = count_records(f > F, pair.counts_after)
    return (f"{small} records have weights below 1 in sum; their class counts as the population",) if small else ()
