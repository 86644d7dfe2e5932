"""CONTRIBUTING.md, followed to the letter on a copy of the tree by somebody who knows nothing else."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tools.recipes import ROOT, Action, Recipe, copy_tree, recipes, run_checks, run_in

RECIPES = recipes()
KINDS = [
    "A mask",
    "A partition",
    "A rule of a hierarchy",
    "A measure",
    "A claim",
    "A file format",
    "An attack",
    "A family of measures",
    "A kernel",
]
KINDS += ["A chart", "A command"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the tree to which everything was added that the page adds."""
    folder = copy_tree(tmp_path_factory.mktemp("tree"))
    for recipe in RECIPES.values():
        recipe.perform(folder)
    return folder


def test_the_page_has_a_recipe_for_every_kind_of_thing():
    assert list(RECIPES) == KINDS
    assert all(recipe.checks for recipe in RECIPES.values())


@pytest.mark.full  # by default a method is added as docs/adding_a_method.md says: tests/test_docs.py
def test_what_the_recipes_say_must_work_works(copy):
    said = run_checks(copy, RECIPES.values())
    assert said.split("\n")[:-1] == KINDS


@pytest.mark.long
def test_additions_keep_the_import_contract(copy):
    assert "0 broken" in run_in(copy, str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


@pytest.mark.long
def test_code_of_the_page_is_as_clean_as_the_rest(copy):
    shutil.copy(ROOT / "pyproject.toml", copy)
    files = sorted({action.path for recipe in RECIPES.values() for action in recipe.actions} - {".importlinter"})
    ruff = str(Path(sys.executable).with_name("ruff"))
    assert "All checks passed" in run_in(copy, ruff, "check", "--no-cache", "--ignore=E402,I001", *files)
    new = [action.path for recipe in RECIPES.values() for action in recipe.actions if action.how == "file"]
    run_in(copy, ruff, "format", "--no-cache", "--check", *new)


def test_a_recipe_that_no_longer_fits_the_tree_is_told(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"adds a\.py, which exists"):
        Recipe("A thing", (Action("file", "a.py", ""),), ()).perform(tmp_path)
    with pytest.raises(ValueError, match=r"changes a place that a\.py has 0 times:\ny = 1"):
        Action("change", "a.py", "-y = 1\n+y = 2\n").perform(tmp_path)
    Action("change", "a.py", "-x = 1\n+x = 2\n").perform(tmp_path)
    Action("append", "a.py", "y = 3\n").perform(tmp_path)
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 2\ny = 3\n"
