"""The risk in scenarios that somebody states: per cent of records that exceed the limit of an intruder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example
from microveil.core.when import When
from microveil.data.table import Table
from microveil.kernels.tables.over_records import mean_over_records
from microveil.measure import Pair, Scenario
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import NO_KEY, Missing, read_gaps, why_not_counted
from microveil.measure.scenarios import (
    assume_scenarios,
    at_most_part,
    at_risk_part,
    judge_limits,
    refuse_same_names,
    resolve_columns,
    say_assumptions,
)
from microveil.measure.shares import share_interval
from microveil.risk.base import ADVICE_ON_LINKAGE, Risk
from microveil.risk.scenario_found import COUNTED_ALONE, RisksFound, risk_by_counts
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
    agreeing: Annotated[
        tuple[str, ...] | None,
        Example(["age"], {"missing": "wildcard"}),
        When(missing="wildcard"),
        "columns in which a missing key agrees with every value, by default all; in others it is a category of its own",
    ] = None

    def validate(self) -> None:
        refuse_same_names(self.scenarios)

    def take_scenarios(self, scenarios: Sequence[Scenario], agreeing: Sequence[str]) -> Self:
        return replace(self.reading_gaps(agreeing), scenarios=tuple(scenarios))

    def reading_gaps(self, agreeing: Sequence[str]) -> Self:
        """This measure with gaps of these columns agreeing with any value, and those of others as a value."""
        return replace(self, missing="wildcard" if agreeing else "own", agreeing=tuple(agreeing) or None)

    @property
    def stated_scenarios(self) -> tuple[Scenario, ...]:
        return self.scenarios

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return resolve_columns(self._scenarios(pair), pair)

    def on(self, pair: Pair) -> Measured | NotApplicable:
        reason = self._why_not(pair)
        return self.not_applicable(reason) if reason else super().on(pair)

    def _why_not(self, pair: Pair) -> str:
        """Why nothing is said of a pair; empty where something is."""
        if not self._scenarios(pair):
            return f"no scenario is given and {NO_KEY}"
        if not len(pair.rows_after):
            return "there is no record"
        keys = dict.fromkeys(name for one in self._scenarios(pair) for name in one.keys)
        doubtful = [name for name in keys if name in pair.perturbed]
        if pair.link is None and doubtful:
            return why_not_counted(pair, doubtful)
        without = [scenario.name for scenario in self._scenarios(pair) if not scenario.keys]
        if pair.link is None and without:
            return (
                f"the scenarios {without} know no keys, so that linkage is their only attack, and nobody knows which"
                " rows belong together"
            )
        return ""

    def _scenarios(self, pair: Pair) -> tuple[Scenario, ...]:
        return assume_scenarios(self.scenarios, pair)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = []
        for scenario in self._scenarios(pair):
            risks, reason = self._risks(pair, scenario)
            found.append(RisksFound(scenario, risks, pair.counts_after, reason))
        return self._told(found)

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        from microveil.risk.scenario_in_blocks import risks_in_blocks

        head = files.head
        reason = self._why_not(head)
        if reason:
            return self.not_applicable(reason)
        self.choose(head)  # refuses columns that are not there
        found = [risks_in_blocks(files, scenario, self) for scenario in self._scenarios(head)]
        return self._told(found)

    def _told(self, found: Sequence[RisksFound]) -> Measured:
        """The figure, from the risks of records in each scenario."""
        parts: dict[str, float] = {}
        shares: dict[str, float] = {}
        unlinked: dict[str, list[str]] = {}
        for one in found:
            scenario, risks = one.scenario, one.risks
            if one.unlinked:
                unlinked.setdefault(one.unlinked, []).append(scenario.name)
            shares[scenario.name] = max(scenario.share_at_risk(risk, one.records) for risk in risks)
            parts[at_risk_part(scenario)] = shares[scenario.name]
            if one.sampled:
                _, high = share_interval(shares[scenario.name], len(risks[0]))
                parts[at_most_part(scenario)] = high
            else:
                parts[f"{scenario.name}: largest risk (%)"] = 100.0 * max(float(risk.max()) for risk in risks)
            mean = max(mean_over_records(risk, one.records) for risk in one.on_average or risks)
            parts[f"{scenario.name}: mean risk (%)"] = 100.0 * mean
        worst = max(shares, key=lambda name: shares[name])
        value = shares[worst]
        at_risk = f"{format_number(value)} % of the records are at risk"
        reading = f"In the worst scenario ({worst}) {at_risk}{judge_limits(self.scenarios, shares)}."
        reading += say_assumptions(self.scenarios, [one.scenario for one in found])
        for reason, names in unlinked.items():
            reading += f" Linkage was not tried in {', '.join(names)}: {reason}."
        sampled = next((one for one in found if one.sampled and one.scenario.name == worst), None)
        interval = None if sampled is None else share_interval(value, len(sampled.risks[0]))
        notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
        return self.measured(value, parts=parts, reading=reading, interval=interval, notes=notes)

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

    def read_gaps(self, table: Table) -> Ints:
        """The codes of keys, in which -1 is a gap as this measure reads it; other gaps are values."""
        return read_gaps(table, table.names if self.agreeing is None else self.agreeing)

    def _risks(self, pair: Pair, scenario: Scenario) -> tuple[list[Floats], str]:
        """The risk of every protected record in view, in each way to link; and why linkage was not tried."""
        from microveil.kernels.tables.sizes import class_sizes

        risk = np.zeros(len(pair.rows_after))
        perturbed = any(name in pair.perturbed for name in scenario.keys)
        if scenario.keys and not perturbed:
            weights = pair.after.weights
            codes = self.read_gaps(pair.tables(scenario.keys)[1])
            own = None if weights is None else weights[pair.rows_after]
            f, F = class_sizes(codes, self.missing, own, pair.counts_after)
            risk = risk_by_counts(f, F, weights is not None)
        if not scenario.known and not perturbed:
            return [risk], COUNTED_ALONE
        if pair.link is None:
            return [risk], "nobody knows which rows of the two files belong together"
        found = risks_by_linkage(pair.only(scenario.columns), scenario.limit("risk"), risk)
        return ([risk], found) if isinstance(found, str) else (found, "")
