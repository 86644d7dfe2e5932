"""Population uniqueness: how many records of a sample are alone with their keys in the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.tables.classes import first_rows
from microveil.measure import Pair
from microveil.risk.base import KeyRisk
from microveil.risk.population_fit import (
    LOG_LINEAR,
    MAIN,
    TWO_WAY,
    Modelled,
    best_fitting,
    dankar,
    likely_range,
    misfit,
)
from microveil.risk.population_models import Estimate, Frequencies, pitman, slide_negative_binomial, zayatz

_MODELS = ("fitting", "dankar", "pitman", "zayatz", "snb", "log-linear")
_TWO_WAY_CELLS = 300_000  # key tables in which two-way terms are fitted unasked: a second or so
_RECORDS_FOR_A_TERM = 10  # with fewer two-way terms repeat the sample
_ORDERS = {MAIN: 1, TWO_WAY: 2}


class _Sample(NamedTuple):
    """The distinct keys of a file, how many records have them, and how many people these stand for."""

    rows: Ints
    counts: Ints
    people: Floats

    @property
    def fraction(self) -> float:
        return float(self.counts.sum() / self.people.sum())

    @property
    def unequal(self) -> bool:
        """Whether records stand for different numbers of people."""
        each = self.people / self.counts
        return bool(each.max() > each.min() * (1 + 1e-9))


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness(KeyRisk, name="population-uniqueness"):
    """Estimated per cent of the records that are unique in the population.

    Use it for samples: a record alone in the sample need not be alone in the population. `dankar` takes the model that
    did best in the study of Dankar et al. for the sampling fraction; `fitting` takes it unless the classes of one, two
    and three records in the file contradict it, and then one that they do not contradict. `log-linear` models the key
    table itself, with the survey weights where there are any. All models are given as parts, with the range in which
    the truth is likely: where that is wide, as with few per cent sampled, the figure says little more than the range.
    Reference: Zayatz 1991; Chen & Keller-McNulty 1998; Skinner & Holmes 1998; Hoshino 2001; Skinner & Shlomo 2008;
    Dankar et al. 2012.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Population uniques"
    reference: ClassVar[str] = "Hoshino 2001; Skinner & Shlomo 2008; Dankar et al. 2012"

    model: Annotated[
        Literal["fitting", "dankar", "pitman", "zayatz", "snb", "log-linear"],
        Grid(_MODELS),
        "how the population is estimated",
    ] = "fitting"
    population: Annotated[
        float | None, Range(ge=1), "number of records of the population; None: the sum of the weights"
    ] = None
    terms: Annotated[Literal["main", "two-way"], Grid(("main", "two-way")), "effects of the log-linear model"] = "main"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
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
        sample = _sample(codes, weights, size)
        models, matches = self._models(sample, size)
        chosen = self._chosen(models, sample.fraction)
        if chosen not in models:
            return self.not_applicable(f"the {self.model} model could not be fitted")
        value = models[chosen].share
        uniques = 100.0 * float((sample.counts == 1).sum()) / n
        low, high = likely_range(models, value, float((sample.counts == 2).sum()), uniques)
        shown = {name: model.share for name, model in models.items()}
        parts = {LOG_LINEAR: models[self._own].share, **shown, "likely at least": low, "likely at most": high}
        parts["expected correct matches of uniques (log-linear)"] = matches
        reading = (
            f"About {format_number(value, 2)} % of the records are alone with their keys in the population of"
            f" {format_number(size)} ({format_number(uniques, 2)} % are alone in the file); anything from"
            f" {format_number(low, 2)} to {format_number(high, 2)} % is likely."
        )
        notes = (*self.key_notes(pair), *self._notes(models, chosen, sample))
        return self.measured(value, parts=parts, reading=reading, notes=notes)

    @property
    def _own(self) -> str:
        """The log-linear model with the terms asked for."""
        return MAIN if self.terms == "main" else TWO_WAY

    def _chosen(self, models: dict[str, Modelled], fraction: float) -> str:
        if self.model == "fitting":
            return best_fitting(models, fraction)
        if self.model == "dankar":
            return dankar(models, fraction)
        return self._own if self.model == LOG_LINEAR else self.model

    def _models(self, sample: _Sample, size: float) -> tuple[dict[str, Modelled], float]:
        """Every model that could be fitted, and the expected correct matches of uniques by the log-linear one."""
        from microveil.risk.log_linear import cells_of, two_way_terms

        found = Frequencies.of(sample.counts)
        raw: dict[str, Estimate | None] = {
            "pitman": pitman(found, size),
            "zayatz": zayatz(found, size),
            "snb": slide_negative_binomial(found, size),
        }
        models = {
            # whoever is alone in the population is so in the file
            name: Modelled(
                100.0 * min(one.uniques / size, found.uniques / found.records), misfit(found.small, one.expected)
            )
            for name, one in raw.items()
            if one is not None
        }
        matches = 0.0
        for name, order in _ORDERS.items():
            if name == self._own or order == 1 or cells_of(sample.rows) <= _TWO_WAY_CELLS:
                alone, inverse, expected = _log_linear(sample, order)
                trusted = order == 1 or found.records >= _RECORDS_FOR_A_TERM * two_way_terms(sample.rows)
                models[name] = Modelled(100.0 * alone / found.records, misfit(found.small, expected), trusted)
                matches = inverse if name == self._own else matches
        return models, matches

    def _notes(self, models: dict[str, Modelled], chosen: str, sample: _Sample) -> tuple[str, ...]:
        notes = []
        if self.model in ("fitting", "dankar"):
            notes.append(f"chosen for a sampling fraction of {format_number(sample.fraction)}: {chosen}")
        wrong = [name for name, model in models.items() if model.misfit is not None and not model.fits]
        if models[chosen].misfit is None and (sample.counts == 1).any():
            notes.append(f"whether {chosen} fits cannot be told: the table of the keys is too large")
        if chosen in wrong:
            notes.append(
                f"{chosen} does not fit: the numbers of classes of one, two and three records in the file contradict"
                " it; go by the range, not by the figure"
            )
        shown = [name for name in wrong if name != chosen]
        if shown:
            notes.append(f"models that do not fit and are only shown: {', '.join(shown)}")
        if sample.unequal:
            notes.append(
                "the weights differ, which the log-linear models follow; pitman, zayatz and snb take it that everybody"
                " was drawn with the same probability"
            )
        return tuple(notes)


def _sample(codes: Ints, weights: Floats | None, size: float) -> _Sample:
    """The classes of equal keys; weights are brought to the size of the population."""
    from microveil.kernels.tables.classes import group_rows

    labels, counts = group_rows(codes)
    rows = codes[first_rows(labels, len(counts))]
    rows = np.where(rows < 0, rows.max(axis=0, initial=-1) + 1, rows)
    people = counts.astype(np.float64) if weights is None else np.bincount(labels, weights=weights)
    return _Sample(rows, counts, people * (size / people.sum()))


def _log_linear(sample: _Sample, order: int) -> tuple[float, float, Floats | None]:
    """Uniques that are alone in the population, expected correct matches of uniques, expected small classes."""
    from microveil.risk.log_linear import expected_counts, expected_sizes, risk_of_uniques

    alone = sample.counts == 1
    at, everywhere = expected_counts(sample.rows, sample.counts, order)
    fraction: float | Floats = sample.fraction
    if sample.unequal:
        # a cell of the sample says by its weights how likely its people were drawn
        fraction = np.minimum(sample.counts / sample.people, 1.0)[alone]
        at = expected_counts(sample.rows, sample.people, order)[0]
        unique, inverse = risk_of_uniques(at[alone] * fraction, fraction)
    else:
        unique, inverse = risk_of_uniques(at[alone], fraction)
    expected = None if everywhere is None or not alone.any() else expected_sizes(everywhere)
    return float(unique.sum()), float(inverse.sum()), expected
