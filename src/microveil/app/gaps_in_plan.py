"""Codes for no answer that are stated make gaps, of which the steps of a plan must say what becomes of them."""

from __future__ import annotations

from dataclasses import replace

from microveil.app.left_alone import changed_by
from microveil.plan import Plan, Project


def with_gaps_left(project: Project, name: str) -> Plan | None:
    """The plan with gaps of a column left where they are, by steps that take it and would refuse them.

    None where the plan stays as it is. A method that needs complete records is left to refuse: to leave records out is
    for people to say.
    """
    if project.plan is None:
        return None
    steps = tuple(
        replace(step, missing="mask")
        if step.missing == "error"
        and step.method.skips_missing
        and name in (*changed_by(step, project), *(step.given or ()))
        else step
        for step in project.plan.steps
    )
    return None if steps == project.plan.steps else Plan(steps)
