"""The JSON Schema of a project: it takes what the checker takes, and refuses what it refuses by structure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.plan import Project
from microveil.plan.project_parts import FIELDS
from microveil.plan.project_schema import project_schema
from tests.plan import test_project_parts as parts
from tests.plan.test_project_release import SOUND, WRONG

jsonschema = pytest.importorskip("jsonschema", reason="JSON Schemas are checked with jsonschema")

# what no schema says: names that are given twice, texts in languages of their own, numbers that JSON does not have
BY_MEANING = ("called 'mean income", "not of the form", "no statistic 'midian'", "is inf;")


@pytest.fixture(scope="module")
def faults():
    validator = jsonschema.Draft202012Validator(project_schema())

    def find(text: str) -> list[str]:
        content = json.loads(json.dumps(yaml.safe_load(text), default=str))
        return [one.message for one in validator.iter_errors(content)]

    return find


def test_the_schema_is_one_and_knows_every_section() -> None:
    schema = project_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert tuple(schema["properties"]) == FIELDS


@pytest.mark.parametrize("text", [SOUND, parts.SOUND, Project("a.csv").to_text()])
def test_it_takes_sound_projects(faults, text: str) -> None:
    Project.from_text(text)
    assert faults(text) == []


@pytest.mark.parametrize("odd", [SOUND.replace(part, odd) for part, odd, _ in WRONG])
def test_it_refuses_what_the_checker_refuses(faults, odd: str) -> None:
    with pytest.raises(MicroveilError) as problem:
        Project.from_text(odd)
    by_meaning = any(words in str(problem.value) for words in BY_MEANING)
    assert bool(faults(odd)) is not by_meaning


# the walk over all fields tries single values; here are names, and what is missing
@pytest.mark.parametrize(
    ("part", "odd"),
    [
        ("columns:\n", "colums: {}\ncolumns:\n"),
        (parts.AGE, "age: {hierarchy: {1: old}}"),
        (parts.SCENARIO, "{name: near}"),
        (parts.SCENARIO, "{keys: [age]}"),
        (parts.STEP, "{method: {rank-swap: {p: big}}}"),
    ],
)
def test_it_refuses_other_odd_structures(faults, part: str, odd: str) -> None:
    text = parts.SOUND.replace(part, odd)
    with pytest.raises(MicroveilError):
        Project.from_text(text)
    assert faults(text)


@pytest.mark.parametrize("make", [mv.datasets.make_survey, mv.datasets.make_enterprises])
def test_it_takes_what_inspect_writes(faults, make) -> None:
    data = mv.Microdata(make(150, seed=1))
    text = Project.propose("my data.csv", "", data, mv.inspect(data)).to_text()
    assert faults(text) == []
    assert "microveil protect 'my data.csv' --project" in text


def test_it_takes_every_project_of_the_pages(faults) -> None:
    pages = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    found = 0
    for page in pages:
        for block in page.read_text(encoding="utf-8").split("```yaml")[1:]:
            text = block.split("```")[0].split("\n", 1)[1]
            content = yaml.safe_load(text)
            if isinstance(content, dict) and set(content) <= set(FIELDS) and not set(content) <= {"steps", "version"}:
                found += 1
                if "dataset" not in content:
                    text = f"dataset: {{path: a.csv}}\n{text}"
                assert faults(text) == [], page.name
    assert found
