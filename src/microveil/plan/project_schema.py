"""The JSON Schema of a project file, for editors: made of the tables by which the file is checked."""

from __future__ import annotations

import json

from microveil.core.open_types import Json
from microveil.data.microdata import INTEGER_POLICIES
from microveil.data.schema import KINDS, ROLES
from microveil.hierarchy.rule import HierarchyRule
from microveil.io.formats import reading_options
from microveil.measure.scenario import THRESHOLDS
from microveil.plan.plan import plan_schema
from microveil.plan.project_parts import COLUMN_FIELDS, FIELDS, VERSION
from microveil.plan.project_release import release_schema
from microveil.plan.project_search import FIELDS as SEARCH_FIELDS
from microveil.plan.project_search import LISTS
from microveil.plan.project_shapes import RELATIVE
from microveil.plan.utility_plan import utility_schema

SCHEMA_FILE = "project.schema.json"
_NAMES: Json = {"type": "array", "items": {"type": ["string", "number", "boolean"]}}

# of what the checker refuses in a name, those signs that people type by mistake: line breaks, tabs, directions
_ONE_LINE = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$"
_LABEL = rf"(?=.*\S){_ONE_LINE}"  # a text of one line that says something


def project_schema() -> Json:
    """The JSON Schema of a project, with every method and rule that is registered here.

    It says all that has a structure. What an editor cannot know stays with the checker: whether a column is in the
    data, whether a rule can be read, and whether two entries share a name.
    """
    plan = plan_schema()
    sections: Json = {
        "version": {"enum": [1, VERSION], "description": "the version of the file"},
        "dataset": _dataset(),
        "integers": {"enum": list(INTEGER_POLICIES), "description": "what becomes of whole numbers that were changed"},
        "columns": {"type": ["object", "null"], "additionalProperties": _column()},
        "constraints": {"type": ["array", "null"], "items": {"type": "string"}},
        "scenarios": {"type": ["array", "null"], "items": _scenario()},
        "utility": utility_schema(),
        "search": _search(),
        "plan": {name: plan[name] for name in ("properties", "required", "additionalProperties")},
        "release": release_schema(),
    }
    sections["plan"]["type"] = ["object", "null"]
    return {
        "$schema": plan["$schema"],
        "title": "microveil project",
        "type": "object",
        "properties": {name: sections[name] for name in FIELDS},
        "required": ["dataset"],
        "additionalProperties": False,
        "$defs": plan["$defs"],
    }


def schema_text() -> str:
    """The schema as the text of a file."""
    return json.dumps(project_schema(), indent=1, ensure_ascii=False) + "\n"


def _dataset() -> Json:
    reading: Json = {
        name: {"type": ["string", "null"], "description": option.wanted, **option.schema}
        for name, option in reading_options().items()
    }
    own: Json = {
        "path": {**RELATIVE, "description": "the data file, relative to this one"},
        "sha256": {"type": ["string", "null"], "description": "the hash of the data file"},
    }
    return {"type": "object", "properties": {**own, **reading}, "required": ["path"], "additionalProperties": False}


def _column() -> Json:
    cell: Json = {"type": ["string", "number", "boolean", "null"]}
    cells: Json = {"type": "array", "items": cell}
    fields: Json = {
        "role": {"enum": list(ROLES)},
        "kind": {"enum": list(KINDS)},
        "levels": {"anyOf": [{**cells, "minItems": 1, "uniqueItems": True}, {"type": "null"}]},
        "hierarchy": {
            "anyOf": [
                {"type": "null"},
                dict(RELATIVE),
                {"type": "object", "additionalProperties": cells},
                {"$ref": f"#/$defs/{HierarchyRule.family}"},
            ]
        },
        "missing": cells,
        "label": {"type": "string", "pattern": _LABEL, "description": "what the column is, for codebooks"},
        "labels": {"type": "object", "additionalProperties": {"type": "string", "pattern": _LABEL}},
    }
    return {
        "type": "object",
        "properties": {name: fields[name] for name in COLUMN_FIELDS},
        "additionalProperties": False,
    }


def _scenario() -> Json:
    most = {"risk": 1, "share": 100}
    limits = {name: {"type": "number", "minimum": 0, "maximum": most[name]} for name in THRESHOLDS}
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "pattern": _ONE_LINE},
            "keys": {**_NAMES, "description": "the columns that this person knows exactly"},
            "known": {**_NAMES, "description": "what this person knows besides"},
            "thresholds": {"type": "object", "properties": limits, "additionalProperties": False},
        },
        "required": ["name"],
        "anyOf": [{"required": [what], "properties": {what: {"minItems": 1}}} for what in ("keys", "known")],
        "additionalProperties": False,
    }


def _search() -> Json:
    own: Json = {name: {"type": "array", "items": {"type": "string"}} for name in LISTS}
    own["at_most"] = {"type": "object", "additionalProperties": {"type": "number"}}
    own["budget"] = {"type": "string"}
    return {
        "type": ["object", "null"],
        "properties": {name: own[name] for name in SEARCH_FIELDS},
        "additionalProperties": False,
    }
