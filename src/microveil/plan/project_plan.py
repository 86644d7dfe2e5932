"""Another plan put into the text of a project, with everything else in it as it was, comments too."""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

from microveil.core.errors import BadInput
from microveil.plan.plan import Plan
from microveil.plan.project import Project
from microveil.plan.project_text import yaml_block


def with_plan(text: str, plan: Plan, why: str) -> str:
    """The text of a project with this plan in place of its own; `why` stands above it as a comment.

    The result is read back: nothing but the plan may have changed.
    """
    lines = text.splitlines(keepends=True)
    place = _place(text, lines)
    if place is None:
        gap = "" if text.endswith("\n") else "\n"
        changed = f"{text}{gap}{_block(plan, why)}"
    else:
        block = _block(plan, why, _beside(lines[place.first], place.beside))
        changed = "".join([*lines[: place.first], block, *lines[place.last :]])
    before, after = Project.from_text(text), Project.from_text(changed)
    if after.plan != plan or _others(before) != _others(after):
        raise BadInput("the plan of this project cannot be replaced in its text; put the recommended plan in by hand")
    return changed


class _Place(NamedTuple):
    """The lines that a plan takes, the last one not included, and where on the first its own text ends."""

    first: int
    last: int
    beside: int


def _block(plan: Plan, why: str, beside: str = "") -> str:
    head, *rest = yaml_block({"plan": plan.to_mapping()}).splitlines(keepends=True)
    return "".join([head.rstrip("\n"), beside, f"\n  # {' '.join(why.split())}\n", *rest])


def _beside(line: str, end: int) -> str:
    """The comment behind what a line says, with the room before it."""
    rest = line[end:].rstrip()
    return rest if rest.lstrip().startswith("#") else ""


def _place(text: str, lines: list[str]) -> _Place | None:
    """Where the plan stands; comments behind it belong to what follows."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs: list[Any] = root.value if isinstance(root, yaml.MappingNode) else []
    found = next(((key, value) for key, value in pairs if key.value == "plan"), None)
    if found is None:
        return None
    key, value = found
    last = min(value.end_mark.line + (1 if value.end_mark.column else 0), len(lines))
    while last > key.start_mark.line + 1 and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    alone = value.end_mark.line == key.end_mark.line and value.end_mark.column > key.end_mark.column
    beside = value.end_mark.column if alone else key.end_mark.column + 1
    return _Place(key.start_mark.line, last, beside)


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
