"""The JSON Schema of project files on the command line: written where it is asked for, named where it is."""

from __future__ import annotations

import json

import pytest

import microveil as mv
from microveil.plan import Project, project_schema


@pytest.fixture(autouse=True)
def _data_below(folder):
    """A file in a folder below the present one."""
    (folder / "data").mkdir()
    mv.write(mv.datasets.make_survey(80, seed=1), "data/survey.csv", unprotected=True)


def test_the_command_writes_the_schema_once(folder, run):
    assert "# yaml-language-server: $schema=project.schema.json" in run("schema")
    assert json.loads((folder / "project.schema.json").read_text()) == json.loads(json.dumps(project_schema()))
    run("schema", status=2, match="--force")
    run("schema", "--force")


def test_a_project_names_a_schema_that_is_there(folder, run):
    run("inspect", "data/survey.csv", "-p", "data/project.yaml", "--schema", "editor/project.json")
    project = folder / "data" / "project.yaml"
    first, _ = project.read_text().split("\n", 1)
    assert first == "# yaml-language-server: $schema=../editor/project.json"
    named = project.parent / first.partition("=")[2]
    assert json.loads(named.read_text())["title"] == "microveil project"
    assert Project.load(project).plan is not None


def test_without_it_no_schema_is_named(folder, run):
    said = run("inspect", "data/survey.csv")
    assert "yaml-language-server" not in (folder / "project.yaml").read_text()
    assert "microveil run project.yaml" in said
