"""Every leaf of the tree is a plan that runs, and the tree leads to every leaf."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import microveil as mv
from tests.pages import Reader, blocks_of, read_page

PAGE = read_page("which_method.md")
LEAVES = [title for _, title, _ in blocks_of(PAGE) if title]
FIRMS = {"hybrid.yaml", "given_the_rest.yaml", "ranks.yaml", "averages.yaml"}
NEEDS = {"synthetic.yaml": "sklearn"}


@pytest.fixture(scope="module")
def data() -> dict[bool, mv.Microdata]:
    survey = mv.Microdata(mv.datasets.make_survey(300, seed=1), **mv.datasets.survey_schema())
    firms = mv.Microdata(mv.datasets.make_enterprises(300, seed=1), **mv.datasets.enterprises_schema())
    return {False: survey, True: firms}


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Reader(monkeypatch, capsys).follow(PAGE)
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "firms.csv", *LEAVES}


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_leaf_is_a_plan_that_runs(leaf: str, data: dict[bool, mv.Microdata], tmp_path: Path) -> None:
    if leaf in NEEDS:
        pytest.importorskip(NEEDS[leaf], reason="trees need the extra models")
    text = next(text for _, title, text in blocks_of(PAGE) if title == leaf)
    plan = mv.Plan.from_text(text)
    release = plan.run(data[leaf in FIRMS])
    changed = [name for step in plan.steps for name in step.columns]
    assert set(changed) <= set(release.columns)
    mv.write(release, tmp_path / "protected.csv")


def test_the_tree_leads_to_every_leaf_and_to_nothing_else() -> None:
    tree = PAGE.split("## The tree")[1].split("\n## ")[0]
    linked = set(re.findall(r"\(#([\w-]+)\)", tree))
    headings = {line[3:].lower().replace(" ", "-") for line in PAGE.splitlines() if line.startswith("## ")}
    assert linked == headings - {"the-tree", "still-in-doubt"}
