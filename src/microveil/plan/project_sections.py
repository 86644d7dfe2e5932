"""One section of a project's text put in place of another, with everything else in it as it was, comments too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from microveil.core.errors import BadInput
from microveil.plan.project import Project
from microveil.plan.project_text import NOTHING, columns_text, constraints_text, yaml_block

_USUAL = tuple(NOTHING)  # what every project says above its sections
_BEHIND = re.compile(r"\s#\s*(.*)$")


def with_section(text: str, name: str, value: object, why: str = "") -> str:
    """The text of a project with another value of one of its fields; an empty value takes it out.

    Reasons that stand behind columns and rules stay with them, and so does a comment behind the name of the field;
    `why` stands as a comment above what is new. The result is read back: nothing but this field may have changed.
    """
    lines = text.splitlines(keepends=True)
    place = _place(text, lines, name)
    block = _block(text, name, value, why) if value or name == "columns" else ""
    shown = _example(text, name)
    if place is not None:
        first, last = place
        head, end, rest = block.partition("\n")
        said = f"{head}{_beside(text, lines[first], name)}{end}{rest}" if block else ""
        changed = "".join([*lines[:first], said, *lines[last:]])
    elif block and shown:
        changed = text.replace(shown, block, 1)
    else:
        gap = "" if text.endswith("\n") else "\n"
        changed = f"{text}{gap}{block}"
    before, after = _fields(text), _fields(changed)
    before[name], new = value, after.get(name)
    if (new or None) != (value or None) or _others(before, name) != _others(after, name):
        raise BadInput(f"{name} of this project cannot be replaced in its text; change it there by hand")
    return changed


def lines_of(text: str, *path: str) -> str:
    """The lines of a section, or of an entry inside it, as they stand in the text; empty where there are none."""
    lines = text.splitlines(keepends=True)
    if len(path) == 1:
        place = _place(text, lines, path[0])
    else:
        entries = {str(key.value): (key, value) for key, value in _entries(text, path[0])}
        place = _extent(lines, *entries[path[1]]) if path[1] in entries else None
    return "" if place is None else "".join(lines[place[0] : place[1]])


def reasons_in(text: str) -> dict[str, str]:
    """Why each column has its role, as the comment behind it says."""
    return {str(key.value): _behind(text, value) for key, value in _entries(text, "columns")}


def support_in(text: str) -> dict[str, str]:
    """Why each rule is one, as the comment behind it says."""
    node = _node(text, "constraints")
    rules = node[1].value if node is not None and isinstance(node[1], yaml.SequenceNode) else []
    return {str(rule.value): _behind(text, rule) for rule in rules}


def comments_above(text: str, name: str) -> list[str]:
    """The paragraphs of comment that stand above a section, without what every project says there.

    Lines of another plan to take instead (`#|`) are no paragraphs.
    """
    found = _node(text, name)
    if found is None:
        return []
    above = text.splitlines()[: found[0].start_mark.line]
    first = next((place for place in range(len(above), 0, -1) if not above[place - 1].startswith("#")), 0)
    said = "\n".join(above[first:]) + "\n"
    for usual in _USUAL:
        said = said.replace(usual.strip("\n") + "\n", "")
    kept = [line for line in said.splitlines() if not line.startswith("#|")]
    paragraphs = "\n".join(line.removeprefix("#").strip() for line in kept).split("\n\n")
    return [" ".join(one.split()) for one in paragraphs if one.strip()]


def other_plan_in(text: str) -> dict[str, Any]:
    """The sections of the plan that a look proposed to take instead (lines of `#|`); empty where there are none."""
    lines = [line.removeprefix("#|") for line in text.splitlines() if line.startswith("#|")]
    found: Any = yaml.safe_load("\n".join(line.removeprefix(" ") for line in lines)) if lines else None
    return found if isinstance(found, dict) and {"scenarios", "plan"} >= set(found) else {}


def _block(text: str, name: str, value: Any, why: str) -> str:
    if name == "columns":
        if not value:
            return "columns: {}\n"
        return "\n".join(["columns:", *columns_text(value, reasons_in(text))]) + "\n"
    if name == "constraints":
        return constraints_text(value, support_in(text))
    head, *rest = yaml_block({name: value}).splitlines(keepends=True)
    note = [f"  # {' '.join(why.split())}\n"] if why and rest else []
    return "".join([head, *note, *rest])


def _example(text: str, name: str) -> str:
    """The lines that show how a section is written where there is none; empty where there are none either."""
    return next((shown for shown in NOTHING.values() if shown.startswith(f"# {name}:") and shown in text), "")


def _place(text: str, lines: list[str], name: str) -> tuple[int, int] | None:
    """The lines that a section takes, the last one not included; comments behind it belong to what follows."""
    found = _node(text, name)
    return None if found is None else _extent(lines, *found)


def _extent(lines: list[str], key: Any, value: Any) -> tuple[int, int]:
    last = min(value.end_mark.line + (1 if value.end_mark.column else 0), len(lines))
    while last > key.start_mark.line + 1 and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return key.start_mark.line, last


def _beside(text: str, line: str, name: str) -> str:
    """The comment behind the name of a section, or behind a value on the same line, with the room before it."""
    found = _node(text, name)
    if found is None:
        return ""
    key, value = found
    alone = value.end_mark.line == key.end_mark.line and value.end_mark.column > key.end_mark.column
    rest = line[value.end_mark.column if alone else key.end_mark.column + 1 :].rstrip()
    return rest if rest.lstrip().startswith("#") else ""


def _node(text: str, name: str) -> tuple[Any, Any] | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs: list[Any] = root.value if isinstance(root, yaml.MappingNode) else []
    return next(((key, value) for key, value in pairs if key.value == name), None)


def _entries(text: str, name: str) -> list[tuple[Any, Any]]:
    found = _node(text, name)
    return found[1].value if found is not None and isinstance(found[1], yaml.MappingNode) else []


def _behind(text: str, node: Any) -> str:
    """The comment behind a value, on the line where it ends."""
    end = node.end_mark
    lines = text.splitlines()
    line = lines[end.line][end.column :] if end.column and end.line < len(lines) else ""
    found = _BEHIND.search(f" {line}")
    return found.group(1).strip() if found else ""


def _fields(text: str) -> dict[str, Any]:
    from microveil.io import read_yaml

    Project.from_text(text)
    found: Any = read_yaml(text, "the project")
    return dict[str, Any](found)


def _others(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if field != name}
