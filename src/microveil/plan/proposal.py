"""What is proposed for a file that was looked at: a plan, the scenario that fits it, kinds, and words about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from microveil.data.microdata import Microdata
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.plan.proposed_apart import plan_apart, scenarios_of_keys
from microveil.plan.proposed_text import about_limits, about_plan
from microveil.plan.proposed_together import Together
from microveil.risk import Scenario


@dataclass(frozen=True)
class Proposal:
    """Something that runs, for people to change.

    `kinds` and `reasons` are those of the columns, `comments` those of scenarios and plan.
    """

    plan: Plan | None
    scenarios: tuple[Scenario, ...]
    kinds: Mapping[Any, str]
    reasons: Mapping[Any, str]
    comments: Mapping[str, str] = field(default_factory=dict)


def proposal_for(data: Microdata, found: Inspection) -> Proposal:
    """Keys and amounts redrawn together where there is something to redraw, else what suits keys or counts alone."""
    together = Together.of(data, found)
    reasons = {look.name: look.why for look in found.columns}
    if together is None:
        return Proposal(plan_apart(data, found, found.kinds), scenarios_of_keys(found), found.kinds, reasons)
    kinds = found.kinds | dict(together.kinds)
    reasons |= {name: f"{reasons[name]}; {why}" for name, why in together.exchanged.items()}
    instead = plan_apart(data, found, kinds) if found.keys else None
    comments = {
        "scenarios": about_limits(together),
        "plan": about_plan(together, instead, scenarios_of_keys(found)),
    }
    return Proposal(together.plan, (together.scenario,), kinds, reasons, comments)
