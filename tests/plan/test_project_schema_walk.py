"""Checker and JSON Schema of a project take the same: every field of every section with values of every kind.

Utility, release and plan are checked by the tables that the schema is made of; the other sections are checked beside
it. This walk holds both together: whoever changes one of them only is told here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from microveil.core.errors import MicroveilError
from microveil.plan import Project
from microveil.plan.project_parts import COLUMN_FIELDS, FIELDS
from microveil.plan.project_schema import project_schema
from microveil.plan.project_search import FIELDS as SEARCH_FIELDS

jsonschema = pytest.importorskip("jsonschema", reason="JSON Schemas are checked with jsonschema")

SOUND: dict[str, Any] = {
    "version": 1,
    "dataset": {"path": "a.csv"},
    "columns": {"age": {"role": "key", "kind": "ordinal"}, "pay": {"kind": "continuous"}},
    "scenarios": [{"name": "near", "keys": ["age"], "thresholds": {"risk": 0.2}}],
    "utility": [{"name": "mean", "statistic": "mean", "of": "pay", "tolerance": 0.1}],
    "search": {"methods": ["rank-swap"]},
    "plan": {"steps": [{"method": "rank-swap", "columns": ["pay"]}]},
    "release": {"title": "Pay", "published": [{"statistic": "sum", "of": "pay", "value": 5}]},
}
VALUES: tuple[Any, ...] = (
    *(None, True, 0, 2, -1, 0.5, 150),
    *("", " ", "x", "two\nlines", "/a.csv", "C:\\a", "pay", "2028-06-30"),
    *([], ["x"], ["pay", "pay"], [1], [[1]], [None], ["csv"], [""], [{"x": 1}]),
    *({}, {"x": 1}, {"x": "y"}, {"x": ["y"]}, {"x": None}, {"risk": 0.5}),
)
UTILITY_FIELDS = ("name", "statistic", "of", "by", "where", "table", "regression", "indicator", "tolerance", "overlap")
PATHS: tuple[tuple[Any, ...], ...] = (
    *((name,) for name in FIELDS),
    *(("dataset", name) for name in ("path", "sha256", "encoding", "decimal", "delimiter", "sheet", "other")),
    ("columns", "age"),
    *(("columns", "age", name) for name in (*COLUMN_FIELDS, "other")),
    ("scenarios", 0),
    *(("scenarios", 0, name) for name in ("name", "keys", "known", "thresholds", "other")),
    *(("scenarios", 0, "thresholds", name) for name in ("risk", "share", "other")),
    *(("search", name) for name in (*SEARCH_FIELDS, "other")),
    ("plan", "steps"),
    ("plan", "steps", 0),
    *(("plan", "steps", 0, name) for name in ("method", "columns", "given", "by", "missing", "other")),
    ("utility", 0),
    *(("utility", 0, name) for name in (*UTILITY_FIELDS, "other")),
    *(("release", name) for name in project_schema()["properties"]["release"]["properties"]),
    *(("release", "published", 0, name) for name in ("statistic", "of", "where", "value", "tolerance", "other")),
)
# what no schema says: whether a rule can be read, and whether an encoding is known
BY_MEANING = {("constraints",): "write for instance income >= 0", ("dataset", "encoding"): "a known encoding"}


def with_value(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A sound project of the section that is changed, and of those that it leans on."""
    project = deepcopy({name: SOUND[name] for name in SOUND if name in {"version", "dataset", "columns", path[0]}})
    place: Any = project
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return project


def tried() -> Iterator[tuple[tuple[Any, ...], Any, str, list[str]]]:
    """Each field with each value: what the checker says against it, and what the schema says."""
    validator = jsonschema.Draft202012Validator(project_schema())
    for path in PATHS:
        for value in VALUES:
            project = with_value(path, value)
            try:
                Project.from_text(json.dumps(project))  # which is YAML too
                said = ""
            except MicroveilError as problem:
                said = str(problem)
            yield path, value, said, [one.message for one in validator.iter_errors(project)]


@pytest.mark.long
def test_checker_and_schema_take_the_same_values_in_every_field() -> None:
    apart, seen = [], 0
    for path, value, said, found in tried():
        seen += 1
        if bool(said) is not bool(found) and not (isinstance(value, str | list) and BY_MEANING.get(path, "-") in said):
            apart.append(f"{path} {value!r}: the checker says {said or 'nothing'!r}, the schema {found[:1]}")
    assert seen == len(PATHS) * len(VALUES)
    assert not apart, "\n".join(apart)


def test_no_field_is_left_out_of_the_walk() -> None:
    sections = project_schema()["properties"]
    step = sections["plan"]["properties"]["steps"]["items"]["properties"]
    known = {
        ("dataset",): sections["dataset"]["properties"],
        ("columns", "age"): sections["columns"]["additionalProperties"]["properties"],
        ("scenarios", 0): sections["scenarios"]["items"]["properties"],
        ("search",): sections["search"]["properties"],
        ("plan", "steps", 0): step,
        ("release",): sections["release"]["properties"],
        ("release", "published", 0): sections["release"]["properties"]["published"]["items"]["properties"],
        (): sections,
    }
    walked = {(*path, name) for path, fields in known.items() for name in fields}
    assert walked <= set(PATHS)
