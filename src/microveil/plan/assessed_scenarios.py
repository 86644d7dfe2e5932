"""The limits of stated scenarios, and whether a file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_all
from microveil.measure import Pair, Scenario
from microveil.measure.sampling import Drawn, Sample, draw_pair
from microveil.measure.shares import share_interval
from microveil.plan.proven_limits import exceeds_bound, is_kept_by_proof
from microveil.plan.repeated_units import find_grouped_units
from microveil.plan.sampled import interval_of
from microveil.risk import ScenarioRisk

SAMPLED_ABOVE = 200_000  # records of one file: linking all of them to themselves takes minutes
_SAMPLE = 50_000


@dataclass(frozen=True)
class ScenarioFigure:
    """One scenario: per cent of records above its risk, beside what it tolerates; or why nothing is measured."""

    name: str
    risk: float
    share: float
    at_risk: float | None = None
    largest: float | None = None
    reason: str = ""
    known: tuple[str, ...] = ()  # what its intruder knows beside keys
    sampled: str = ""  # which records it was measured on, where not on all
    at_most: float | None = None  # of a sample: the upper end of the interval for the whole file
    proven_k: int | None = None  # a proof of 1/k bounds the risk of every record by what is tolerated

    @property
    def holds(self) -> bool | None:
        """Whether the limits are kept; None where nothing was measured."""
        if self.proven_k is not None:
            return True
        if self.at_risk is None:
            return None
        return (self.at_risk if self.at_most is None else self.at_most) <= self.share

    @property
    def said(self) -> str:
        """One sentence."""
        together = f" by the keys together with {list_all(self.known)}" if self.known else ""
        limit = f"a risk above {format_number(100 * self.risk)} %{together}"
        if self.at_risk is None:
            return f"Scenario {self.name} does not apply: {self.reason}."
        verdict = "within its limits" if self.holds else "over its limits"
        if self.proven_k is not None:
            verdict += f", for it is proven that none is found with a probability above 1/{self.proven_k}"
        return (
            f"Scenario {self.name}: {format_number(self.at_risk)} % of the records have {limit}"
            f" ({format_number(self.share)} % may), {verdict}{self._of_sample}."
        )

    @property
    def _of_sample(self) -> str:
        if not self.sampled:
            return ""
        most = "" if self.at_most is None else f", and in the whole file at most {format_number(self.at_most)} % are"
        return f"; {self.sampled}{most}"

    def to_json(self) -> dict[str, Any]:
        """The figure in plain JSON terms."""
        return {
            "name": self.name,
            "risk_limit": self.risk,
            "share_limit": self.share,
            "records_at_risk_percent": self.at_risk,
            "largest_risk_percent": self.largest,
            "within_limits": self.holds,
            "not_applicable": self.reason,
            **({"sampled": self.sampled, "records_at_risk_percent_at_most": self.at_most} if self.sampled else {}),
        }


def scenario_figures(
    pair: Pair, scenarios: Sequence[Scenario], proven_k: int | None = None
) -> tuple[ScenarioFigure, ...]:
    """Each scenario measured on a pair of files, or on one file beside itself.

    `proven_k`: it is proven that one of so many records is found at most; where clearly more are it decides nothing.
    """
    return tuple(_figure(pair, scenario, proven_k) for scenario in scenarios)


def _figure(pair: Pair, scenario: Scenario, proven_k: int | None) -> ScenarioFigure:
    limits = (scenario.name, scenario.limit("risk"), scenario.limit("share"))
    measure = ScenarioRisk(scenarios=(scenario,))
    drawn = _some_of(pair, scenario)
    try:
        found = measure.of_pair(pair) if drawn is None else measure.of_pair(drawn.pair)
    except MicroveilError as problem:
        found = NotApplicable(ScenarioRisk.name, str(problem))
    if isinstance(found, NotApplicable):
        return ScenarioFigure(*limits, reason=found.reason)
    parts = found.parts
    mean = parts[f"{scenario.name}: mean risk (%)"]
    breached = exceeds_bound(mean, share_interval(mean, pair.after.n), proven_k)
    # a proof is about records: of units with several of them it says nothing
    units = find_grouped_units(pair) if proven_k is not None else None
    of_units = None if units is None else units.at_risk(scenario)
    return ScenarioFigure(
        *limits,
        max(parts[f"{scenario.name}: records at risk (%)"], of_units or 0.0),
        parts[f"{scenario.name}: largest risk (%)"],
        known=tuple(map(str, scenario.known)),
        proven_k=proven_k if is_kept_by_proof(scenario, proven_k) and not breached and units is None else None,
        sampled="" if drawn is None else drawn.said,
        at_most=None if drawn is None else _upper_end(measure, found, drawn),
    )


def _some_of(pair: Pair, scenario: Scenario) -> Drawn | None:
    """Some records in place of all of a large file beside itself; None where all are looked at.

    All records with some combinations of keys are taken: whoever is like one of them in all that the intruder knows has
    the same keys and is among them, so that each record of the sample has the risk that it has in the whole file (at
    least that, where a gap agrees with records outside).
    """
    if not pair.one_file or pair.before.n <= SAMPLED_ABOVE:
        return None
    return draw_pair(pair, Sample("keys", _SAMPLE), scenario.keys or scenario.known)


def _upper_end(measure: ScenarioRisk, found: Measured, drawn: Drawn) -> float:
    """The upper end of the interval for the whole file, by how much the parts of the sample differ."""
    parts = [measure.of_pair(part) for part in drawn.parts]
    values = [part.value for part in parts if isinstance(part, Measured)]
    around = interval_of(found, values)
    return found.value if around is None else around[1]
