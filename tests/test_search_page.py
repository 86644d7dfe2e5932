"""The page about the search: its Python runs with a smaller budget, its project is one, its commands are known."""

from __future__ import annotations

import shlex

import pytest
from typer.main import get_command

import microveil as mv
from microveil.cli.app import app
from microveil.plan import Project
from tests.pages import blocks_of, read_page

PAGE = read_page("search.md")
BLOCKS = {kind: text for kind, _, text in blocks_of(PAGE)}


@pytest.mark.full
def test_its_python_runs():
    text = BLOCKS["python"].replace('budget="60 s", workers=2', "trials=2, workers=1, seed=1")
    assert text != BLOCKS["python"]
    names: dict[str, object] = {}
    exec(compile(text, "search.md", "exec"), names)
    study = names["study"]
    assert isinstance(study, mv.study.Study)
    assert len(study.trials) == 2
    assert study.map().startswith("<svg")


def test_its_project_is_one():
    text = f"version: 2\ndataset: {{path: a.csv}}\n{BLOCKS['yaml']}"
    assert set(Project.from_text(text).search) == {"objectives", "at_most", "require", "without", "budget"}


def test_its_commands_are_known():
    lines = BLOCKS["console"].splitlines()
    for line in lines:
        name, *words = shlex.split(line.removeprefix("$ microveil "), comments=True)
        get_command(app).commands[name].make_context(name, words)  # every option is known
    assert len(lines) == 2
