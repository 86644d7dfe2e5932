"""What is proposed for a file that was looked at: a plan, the scenario that fits it, kinds, and words about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from microveil.data.microdata import Microdata
from microveil.measure import Scenario
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.plan.proposed_apart import is_safe_as_it_is, plan_apart, scenarios_of_keys
from microveil.plan.proposed_roles import STATED
from microveil.plan.proposed_rules import Rule
from microveil.plan.proposed_text import about_limits, about_no_plan, about_plan
from microveil.plan.proposed_together import Together

_LEFT_OUT = "left out, because who knows all members of a household would find it; the role household keeps it"


@dataclass(frozen=True)
class Proposal:
    """Something that runs, for people to change.

    `roles`, `kinds` and `reasons` are those of the columns, `comments` those of scenarios and plan;
    `rules` hold in every record.
    """

    plan: Plan | None
    scenarios: tuple[Scenario, ...]
    roles: Mapping[Any, str]
    kinds: Mapping[Any, str]
    reasons: Mapping[Any, str]
    comments: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()


def proposal_for(data: Microdata, found: Inspection) -> Proposal:
    """Keys and amounts redrawn together where there is something to redraw, else what suits keys or counts alone."""
    without = _without_households(found)
    reasons = {look.name: look.why for look in without.columns}
    together = Together.of(data, without)
    scenarios = scenarios_of_keys(data, without)
    if together is None:
        plan = plan_apart(data, without, without.kinds)
        if plan is None:
            # nothing is done about the file, so that nothing is left out of it either
            reasons = {look.name: look.why for look in found.columns}
            comments = {"plan": about_no_plan()} if is_safe_as_it_is(without) else {}
            return Proposal(None, scenarios, found.roles, found.kinds, reasons, comments, found.rules)
        return Proposal(plan, scenarios, without.roles, without.kinds, reasons, rules=found.rules)
    kinds = without.kinds | dict(together.kinds)
    reasons |= {name: f"{reasons[name]}; {why}" for name, why in together.exchanged.items()}
    instead = plan_apart(data, without, kinds) if without.keys else None
    left_out = next((name for name, role in found.roles.items() if role != without.roles[name]), None)
    comments = {
        "scenarios": about_limits(together, left_out),
        "plan": about_plan(together, instead, scenarios, left_out),
    }
    return Proposal(together.plan, (together.scenario,), without.roles, kinds, reasons, comments, together.rules)


def _without_households(found: Inspection) -> Inspection:
    """The number of the household leaves the release unless somebody stated that it is one."""
    looks = (
        replace(look, role="identifier", why=f"{look.why}; {_LEFT_OUT}")
        if look.role == "household" and look.why != STATED
        else look
        for look in found.columns
    )
    return replace(found, columns=tuple(looks))
