"""Every recipe of the cookbook runs and gives what stands below it."""

from __future__ import annotations

import pytest

from microveil.plan import Project
from tests.pages import Reader, blocks_of, read_page

PAGE = read_page("cookbook.md")


def test_every_recipe_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = Reader(monkeypatch, capsys).follow(PAGE)
    assert "cells suppressed" in said
    assert "combin" in said


def test_its_project_is_one():
    (block,) = [text for kind, _, text in blocks_of(PAGE) if kind == "yaml"]
    project = Project.from_text(f"version: 1\ndataset: {{path: survey.csv}}\n{block}")
    assert len(project.utility) == 2


@pytest.mark.parametrize(
    "recipe",
    ["Edits", "Households", "Weights", "Several files", "Subdomains", "Strata", "Missing codes", "Hierarchies"],
)
def test_every_recipe_that_people_ask_for_is_there(recipe):
    assert f"\n## {recipe}" in PAGE
