"""The limits of stated scenarios, and whether a file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import MicroveilError
from microveil.core.measured import NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_all
from microveil.measure import Pair, Scenario
from microveil.measure.shares import share_interval
from microveil.plan.proven_limits import exceeds_bound, is_kept_by_proof
from microveil.risk import ScenarioRisk


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
    proven_k: int | None = None  # a proof of 1/k bounds the risk of every record by what is tolerated

    @property
    def holds(self) -> bool | None:
        """Whether the limits are kept; None where nothing was measured."""
        if self.proven_k is not None:
            return True
        return None if self.at_risk is None else self.at_risk <= self.share

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
            f" ({format_number(self.share)} % may), {verdict}."
        )

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
    try:
        found = ScenarioRisk(scenarios=(scenario,)).of_pair(pair)
    except MicroveilError as problem:
        found = NotApplicable(ScenarioRisk.name, str(problem))
    if isinstance(found, NotApplicable):
        return ScenarioFigure(*limits, reason=found.reason)
    parts = found.parts
    mean = parts[f"{scenario.name}: mean risk (%)"]
    breached = exceeds_bound(mean, share_interval(mean, pair.after.n), proven_k)
    return ScenarioFigure(
        *limits,
        parts[f"{scenario.name}: records at risk (%)"],
        parts[f"{scenario.name}: largest risk (%)"],
        known=tuple(map(str, scenario.known)),
        proven_k=proven_k if is_kept_by_proof(scenario, proven_k) and not breached else None,
    )
