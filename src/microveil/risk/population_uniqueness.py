"""Population uniqueness: how many records of a sample are alone with their keys in the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.tables.classes import first_rows
from microveil.measure import Pair
from microveil.risk.base import KeyRisk

_MODELS = ("dankar", "pitman", "zayatz", "snb", "log-linear")


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness(KeyRisk, name="population-uniqueness"):
    """Estimated per cent of the records that are unique in the population.

    Use it for samples: a record alone in the sample need not be alone in the population. `dankar` takes
    the model that did best in the study of Dankar et al. for the sampling fraction; `log-linear` models
    the key table itself. All models are given as parts: where they disagree widely, trust none.
    Reference: Zayatz 1991; Chen & Keller-McNulty 1998; Skinner & Holmes 1998; Hoshino 2001; Dankar et al. 2012.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Population uniques"
    reference: ClassVar[str] = "Hoshino 2001; Skinner & Holmes 1998; Dankar et al. 2012"

    model: Annotated[
        Literal["dankar", "pitman", "zayatz", "snb", "log-linear"], Grid(_MODELS), "how the population is estimated"
    ] = "dankar"
    population: Annotated[
        float | None, Range(ge=1), "number of records of the population; None: the sum of the weights"
    ] = None
    terms: Annotated[Literal["main", "two-way"], Grid(("main", "two-way")), "effects of the log-linear model"] = "main"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.tables.classes import group_rows

        codes = self.key_codes(pair)
        weights = self.weights(pair)
        size = self.population
        if size is None:
            if weights is None:
                return self.not_applicable("the population's size is unknown; give population=, or a weight column")
            size = float(weights.sum())
        n = len(codes)
        if size < n:
            raise BadInput(
                f"population={format_number(size)} is smaller than the file ({n} records); give the whole population"
            )
        labels, counts = group_rows(codes)
        first = first_rows(labels, len(counts))
        estimates, notes = self._estimates(codes[first], counts, size)
        value = estimates.get(self.model)
        if value is None:
            return self.not_applicable(f"the {self.model} model could not be fitted")
        uniques = 100.0 * float((counts == 1).sum()) / n
        parts = {name: estimate for name, estimate in estimates.items() if estimate is not None and name != "dankar"}
        reading = (
            f"About {format_number(value, 2)} % of the records are alone with their keys in the population of"
            f" {format_number(size)} ({format_number(uniques, 2)} % are alone in the file)."
        )
        return self.measured(value, parts=parts, reading=reading, notes=(*self.key_notes(pair), *notes))

    def _estimates(self, rows: Ints, counts: Ints, size: float) -> tuple[dict[str, float | None], tuple[str, ...]]:
        from microveil.risk.population_models import Frequencies, dankar, pitman, slide_negative_binomial, zayatz

        found = Frequencies.of(counts)
        chosen, best = dankar(found, size)
        raw: dict[str, float | None] = {
            "dankar": best,
            "pitman": pitman(found, size),
            "zayatz": zayatz(found, size),
            "snb": slide_negative_binomial(found, size),
        }
        estimates = {
            name: None if uniques is None else min(100.0, 100.0 * uniques / size) for name, uniques in raw.items()
        }
        table, fit = self._log_linear(rows, counts, size)
        notes = (
            [f"chosen by sampling fraction ({format_number(found.records / size)}): {chosen}"]
            if self.model == "dankar"
            else []
        )
        return estimates | table, (*notes, *fit)

    def _log_linear(self, rows: Ints, counts: Ints, size: float) -> tuple[dict[str, float | None], tuple[str, ...]]:
        from microveil.risk.log_linear import expected_counts, risk_of_uniques

        n = float(counts.sum())
        rows = np.where(rows < 0, rows.max(axis=0, initial=-1) + 1, rows)
        expected, everywhere = expected_counts(rows, counts, 1 if self.terms == "main" else 2)
        alone = counts == 1
        unique, inverse = risk_of_uniques(expected[alone], n / size)
        parts: dict[str, float | None] = {
            "log-linear": 100.0 * float(unique.sum()) / n,
            "expected correct matches of uniques (log-linear)": float(inverse.sum()),
        }
        if everywhere is None:
            return parts, ()
        predicted = float((everywhere * np.exp(-everywhere)).sum())
        return parts, (
            f"the log-linear model expects {format_number(predicted, 4)} sample uniques; there are {int(alone.sum())}",
        )
