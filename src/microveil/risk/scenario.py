"""The risk in scenarios that somebody states: per cent of records that exceed the limit of an intruder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example
from microveil.kernels.tables.individual import individual_risk
from microveil.measure import Pair, Scenario
from microveil.measure.keys import NO_KEY, Missing, why_not_counted
from microveil.measure.scenarios import (
    assume_scenarios,
    at_risk_part,
    judge_limits,
    refuse_same_names,
    resolve_columns,
    say_assumptions,
)
from microveil.risk.base import ADVICE_ON_LINKAGE, Risk
from microveil.risk.scenario_linkage import risks_by_linkage
from microveil.run.release import AnyFile


@dataclass(frozen=True, kw_only=True)
class ScenarioRisk(Risk, name="scenario-risk"):
    """Per cent of records at risk in the worst scenario: several intruders, each with keys, knowledge and thresholds.

    Use it to decide on a release. In each scenario a record's risk is the higher of what its knowledge allows:
    key frequencies (1/f, or the individual risk where there are weights) unless keys were perturbed, and
    distance-based linkage on keys and known attributes when it is known which rows belong together: 1/ties where
    the record's own is among the nearest. Files are compared by values and by ranks, each on its own and both on the
    original's scale, from either file; the way that puts most records at risk counts.
    Linkage is not tried on true keys alone; the reading says so.
    Without scenarios there is one, with the columns whose role is key; limits that nobody stated are assumed and the
    reading says so.
    Reference: Duncan & Lambert 1989; Hundepool et al. 2012.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    alone: ClassVar[bool] = True
    quick: ClassVar[bool] = True
    title: ClassVar[str] = "Risk by scenario"
    reference: ClassVar[str] = "Hundepool et al. 2012"
    advice: ClassVar[str] = ADVICE_ON_LINKAGE

    scenarios: Annotated[
        tuple[Scenario, ...], Example([{"name": "neighbour", "keys": ["age", "sex"]}]), "the intruders considered"
    ] = ()
    missing: Missing = "own"

    def validate(self) -> None:
        refuse_same_names(self.scenarios)

    def take_scenarios(self, scenarios: Sequence[Scenario], missing: Literal["own", "wildcard"]) -> Self:
        return replace(self, scenarios=tuple(scenarios), missing=missing)

    @property
    def stated_scenarios(self) -> tuple[Scenario, ...]:
        return self.scenarios

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return resolve_columns(self._scenarios(pair), pair)

    def on(self, pair: Pair) -> Measured | NotApplicable:
        if not self._scenarios(pair):
            return self.not_applicable(f"no scenario is given and {NO_KEY}")
        if not len(pair.rows_after):
            return self.not_applicable("there is no record")
        keys = dict.fromkeys(name for one in self._scenarios(pair) for name in one.keys)
        doubtful = [name for name in keys if name in pair.perturbed]
        if pair.link is None and doubtful:
            return self.not_applicable(why_not_counted(pair, doubtful))
        without = [scenario.name for scenario in self._scenarios(pair) if not scenario.keys]
        if pair.link is None and without:
            return self.not_applicable(
                f"the scenarios {without} know no keys, so that linkage is their only attack, and nobody knows which"
                " rows belong together"
            )
        return super().on(pair)

    def _scenarios(self, pair: Pair) -> tuple[Scenario, ...]:
        return assume_scenarios(self.scenarios, pair)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        parts: dict[str, float] = {}
        shares: dict[str, float] = {}
        unlinked: dict[str, list[str]] = {}
        for scenario in self._scenarios(pair):
            risks, reason = self._risks(pair, scenario)
            if reason:
                unlinked.setdefault(reason, []).append(scenario.name)
            shares[scenario.name] = max(map(scenario.share_at_risk, risks))
            parts[at_risk_part(scenario)] = shares[scenario.name]
            parts[f"{scenario.name}: largest risk (%)"] = 100.0 * max(float(risk.max()) for risk in risks)
            parts[f"{scenario.name}: mean risk (%)"] = 100.0 * max(float(risk.mean()) for risk in risks)
        worst = max(shares, key=lambda name: shares[name])
        value = shares[worst]
        at_risk = f"{format_number(value)} % of the records are at risk"
        reading = f"In the worst scenario ({worst}) {at_risk}{judge_limits(self.scenarios, shares)}."
        reading += say_assumptions(self.scenarios, self._scenarios(pair))
        for reason, names in unlinked.items():
            reading += f" Linkage was not tried in {', '.join(names)}: {reason}."
        return self.measured(value, parts=parts, reading=reading)

    def reidentified(self, result: Measured) -> dict[str, float]:
        """The expected per cent of records re-identified in each scenario that somebody stated."""
        parts = [part.parts for part in result.domains.values()] or [result.parts]
        return {one.name: max(part[f"{one.name}: mean risk (%)"] for part in parts) for one in self.scenarios}

    def records_at_risk(self, original: AnyFile, protected: AnyFile | None = None) -> dict[str, Ints]:
        """For each scenario the protected rows whose risk exceeds its threshold: for the protector's eyes only."""
        pair = Pair.of(original, protected)
        pair = pair.only(self.choose(pair))
        found = {}
        for scenario in self._scenarios(pair):
            limit = scenario.limit("risk")
            at_risk = [np.flatnonzero(risk > limit) for risk in self._risks(pair, scenario)[0]]
            found[scenario.name] = max(at_risk, key=len)
        return found

    def _risks(self, pair: Pair, scenario: Scenario) -> tuple[list[Floats], str]:
        """The risk of every protected record in view, in each way to link; and why linkage was not tried."""
        from microveil.kernels.tables.sizes import class_sizes

        risk = np.zeros(len(pair.rows_after))
        perturbed = any(name in pair.perturbed for name in scenario.keys)
        if scenario.keys and not perturbed:
            weights = pair.after.weights
            codes = pair.tables(scenario.keys)[1].codes()
            f, F = class_sizes(codes, self.missing, None if weights is None else weights[pair.rows_after])
            risk = 1.0 / f if weights is None else individual_risk(f, F)
        if not scenario.known and not perturbed:
            return [
                risk
            ], "the keys are true and nothing else is known, so that the risk comes from counting them alone"
        if pair.link is None:
            return [risk], "nobody knows which rows of the two files belong together"
        found = risks_by_linkage(pair.only(scenario.columns), scenario.limit("risk"), risk)
        return ([risk], found) if isinstance(found, str) else (found, "")
