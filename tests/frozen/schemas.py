"""The JSON Schemas of projects and of plans, flattened by path; descriptions are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from microveil.plan import plan_schema
from microveil.plan.project_schema import schema_text

WORDS = ("description", "title")
SMALL = 120  # characters; a larger part is recorded in parts


def entries() -> Iterator[tuple[str, Any]]:
    """Yield every leaf of the schema of projects, and those leaves of the schema of plans that differ."""
    project = dict(_leaves(_plain(json.loads(schema_text())), "project"))
    yield from project.items()
    for path, value in _leaves(_plain(json.loads(json.dumps(plan_schema()))), "plan"):
        inside = path.replace("plan/$defs/", "project/$defs/", 1)
        if inside not in project or project[inside] != value:
            yield path, value


def _leaves(schema: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield parts that are small enough for one line, by their paths."""
    if not isinstance(schema, dict | list) or len(json.dumps(schema)) <= SMALL:
        yield path, schema
    elif isinstance(schema, dict):
        for name, inside in schema.items():
            yield from _leaves(inside, f"{path}/{name}")
    elif any(isinstance(one, dict | list) for one in schema):
        for number, inside in enumerate(schema):
            yield from _leaves(inside, f"{path}/{_label(inside, number)}")
    else:
        yield path, schema


def _plain(schema: Any, entries_named: bool = False) -> Any:
    """Return a schema without its sentences; names of properties are kept, one of which may be `description`."""
    if isinstance(schema, dict):
        kept = {name: inside for name, inside in schema.items() if entries_named or name not in WORDS}
        return {name: _plain(inside, name == "properties" and not entries_named) for name, inside in kept.items()}
    return [_plain(one) for one in schema] if isinstance(schema, list) else schema


def _label(option: Any, number: int) -> str:
    """Name an option by what it is for, so that a new one does not move those after it."""
    if isinstance(option, dict):
        if len(option) == 1 and isinstance(text := next(iter(option.values())), str):
            return f"[{text}]"
        if isinstance(needed := option.get("required"), list) and len(needed) == 1 and "properties" in option:
            return f"[{needed[0]}]"
    return f"[{number}]"
