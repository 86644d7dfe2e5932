"""Another plan put into the text of a project, with everything else in it as it was, comments too."""

from __future__ import annotations

from typing import Any

import yaml

from microveil.core.errors import BadInput
from microveil.plan.plan import Plan
from microveil.plan.project import Project
from microveil.plan.project_text import yaml_block


def with_plan(text: str, plan: Plan, why: str) -> str:
    """The text of a project with this plan in place of its own; `why` stands above it as a comment.

    The result is read back: nothing but the plan may have changed.
    """
    block = _block(plan, why)
    lines = text.splitlines(keepends=True)
    place = _place(text, lines)
    if place is None:
        gap = "" if text.endswith("\n") else "\n"
        changed = f"{text}{gap}{block}"
    else:
        first, last = place
        changed = "".join([*lines[:first], block, *lines[last:]])
    before, after = Project.from_text(text), Project.from_text(changed)
    if after.plan != plan or _others(before) != _others(after):
        raise BadInput("the plan of this project cannot be replaced in its text; put the recommended plan in by hand")
    return changed


def _block(plan: Plan, why: str) -> str:
    head, *rest = yaml_block({"plan": plan.to_mapping()}).splitlines(keepends=True)
    return "".join([head, f"  # {' '.join(why.split())}\n", *rest])


def _place(text: str, lines: list[str]) -> tuple[int, int] | None:
    """The lines that the plan takes, the last one not included; comments behind it belong to what follows."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs: list[Any] = root.value if isinstance(root, yaml.MappingNode) else []
    found = next(((key, value) for key, value in pairs if key.value == "plan"), None)
    if found is None:
        return None
    key, value = found
    last = min(value.end_mark.line + (1 if value.end_mark.column else 0), len(lines))
    while last > key.start_mark.line + 1 and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return key.start_mark.line, last


def _others(project: Project) -> tuple[object, ...]:
    return (
        project.path,
        project.sha256,
        project.columns,
        project.integers,
        project.text,
        project.scenarios,
        project.constraints,
        project.search,
        project.utility,
        project.release,
    )
