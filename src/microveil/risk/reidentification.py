"""Prosecutor, journalist and marketer: three intruders and what each finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.tables.over_records import (
    all_records,
    count_records,
    mean_over_records,
    share_of_records,
)
from microveil.measure import Pair
from microveil.measure.keys import Missing
from microveil.risk.base import RecordRisk
from microveil.risk.population_counts import Source, population_counts

_VIEWS = ("prosecutor", "journalist", "marketer")


@dataclass(frozen=True, kw_only=True)
class ReidentificationRisk(RecordRisk, name="reidentification-risk"):
    """Per cent risk of re-identification as seen by a prosecutor, a journalist or a marketer.

    The prosecutor knows that a person is in the file (risk 1/f of the record most at risk), the
    journalist does not (1/F, F in the population), the marketer wants as many records as possible (mean
    of 1/F, or of 1/f when the population is unknown). Use it with the threshold of your rules.
    Reference: El Emam & Dankar 2008.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identification risk"
    reference: ClassVar[str] = "El Emam & Dankar 2008"

    view: Annotated[Literal["prosecutor", "journalist", "marketer"], Grid(_VIEWS), "who attacks"] = "prosecutor"
    threshold: Annotated[float, Range(gt=0, le=1), "records above this risk are counted"] = 0.2
    population: Source = "weights"
    missing: Missing = "own"

    @property
    def counts_original(self) -> bool:
        """Whether the original is the register."""
        return self.population == "original"

    def record_values(self, pair: Pair) -> Floats:
        found = self._risks(pair)
        if isinstance(found, str):
            raise BadInput(f"{self.name}: {found}")
        return found[0]

    def _risks(self, pair: Pair) -> tuple[Floats, Floats, Floats | None, tuple[str, ...]] | str:
        """Risk of each record in this view, to the prosecutor, to the journalist (None: unknown), and notes."""
        from microveil.kernels.tables.sizes import class_sizes

        prosecutor = 1.0 / class_sizes(self.key_codes(pair), self.missing, records=pair.counts_after)[0]
        counts = population_counts(pair, self.population, self.missing)
        notes: tuple[str, ...] = ()
        if isinstance(counts, str):
            if self.view == "journalist":
                return counts
            journalist = None
            notes = ("the population is unknown: the file stands for it",) if self.view == "marketer" else ()
        else:
            journalist = 1.0 / counts[1]
            notes = (f"{counts[2]} records have keys the register lacks",) if counts[2] else ()
        chosen = prosecutor if self.view == "prosecutor" or journalist is None else journalist
        return chosen, prosecutor, journalist, notes

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = self._risks(pair)
        if isinstance(found, str):
            return self.not_applicable(found)
        chosen, prosecutor, journalist, notes = found
        records = pair.counts_after
        parts = _parts("prosecutor", prosecutor, self.threshold, records)
        if journalist is not None:
            parts |= _parts("journalist", journalist, self.threshold, records)
        if self.view == "marketer":
            value = 100.0 * mean_over_records(chosen, records)
            reading = (
                f"A marketer who matches the whole file would be right for {format_number(value, 2)} %"
                " of the records on average."
            )
        else:
            value = 100.0 * float(chosen.max())
            above = count_records(chosen > self.threshold, records)
            reading = (
                f"A {self.view} would re-identify the record most at risk with probability {format_number(value)} %;"
                f" {above:,} of {all_records(len(chosen), records):,} records are above {100 * self.threshold:g} %."
            )
        return self.measured(value, parts=parts, reading=reading, notes=(*self.key_notes(pair), *notes))


def _parts(who: str, risk: Floats, threshold: float, records: Ints | None) -> dict[str, float]:
    return {
        f"{who}: largest (%)": 100.0 * float(np.max(risk)),
        f"{who}: mean (%)": 100.0 * mean_over_records(risk, records),
        f"{who}: records above {100 * threshold:g} % (%)": share_of_records(risk > threshold, records),
    }
