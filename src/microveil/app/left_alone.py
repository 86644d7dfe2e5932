"""What the plan and the scenarios of a project leave alone: columns that somebody may know or must not learn."""

from __future__ import annotations

from microveil.plan import Project, Step

_PROTECTED = ("key", "confidential")


def untouched_columns(project: Project) -> list[str]:
    """Keys and confidential columns that no step of the plan changes: they would leave as they are."""
    steps = project.plan.steps if project.plan is not None else ()
    changed = {name for step in steps for name in changed_by(step, project)}
    return [name for name, facts in project.columns.items() if facts.get("role") in _PROTECTED and name not in changed]


def changed_by(step: Step, project: Project) -> list[str]:
    """The columns of a step, or those that its method takes where nobody names any."""
    if step.columns is not None:
        return list(step.columns)
    roles, kinds = step.method.default_roles, step.method.kinds
    return [
        name
        for name, facts in project.columns.items()
        if facts.get("role") in roles and facts.get("kind", "continuous") in kinds and name not in step.by
    ]


def unattacked_keys(project: Project) -> list[str]:
    """Keys that no scenario knows: no limit is about them."""
    known = {name for one in project.scenarios for name in (*one.keys, *one.known)}
    keys = [name for name, facts in project.columns.items() if facts.get("role") == "key"]
    return [name for name in keys if name not in known] if project.scenarios else []
