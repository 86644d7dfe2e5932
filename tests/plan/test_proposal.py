"""The first plan for a file runs on it as it stands."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.plan import Project, inspect
from tests.conftest import shared_file
from tests.marks import ANY_FILE

draw = np.random.default_rng(8)
FILES = {
    "survey": lambda: mv.datasets.make_survey(250, seed=1),
    "enterprises": lambda: mv.datasets.make_enterprises(150, seed=1),
    "eight records": lambda: pd.DataFrame({"age": [20, 30, 40, 50] * 2, "income": draw.gamma(2.0, 900.0, 8).round(2)}),
    "one record": lambda: pd.DataFrame({"age": [20], "income": [5.5]}),
    "few gaps in counts": lambda: pd.DataFrame(
        {"sex": ["f", "m"] * 40, "children": [0.0, 1.0, 2.0, np.nan] * 20, "rate": np.r_[np.arange(79) % 7, 1.05]}
    ),
    "gaps in keys and amounts": lambda: pd.DataFrame(
        {
            "age": np.r_[draw.integers(18, 80, 119), np.nan],
            "income": np.r_[np.nan, np.nan, draw.gamma(2.0, 900.0, 118).round(2)],
            "wealth": draw.gamma(2.0, 9000.0, 120).round(2),
        }
    ),
    "safe categories": lambda: pd.DataFrame({"sex": ["f", "m"] * 40, "region": ["a"] * 40 + ["b"] * 40}),
}


def proposed(frame: object) -> tuple[mv.Microdata, Project]:
    data = mv.Microdata(frame)
    project = Project.propose("a.csv", "", data, inspect(data))
    again = Project.from_text(project.to_text())
    assert again == project
    facts = again.facts
    return mv.Microdata(frame, roles=facts["roles"], kinds=facts["kinds"]), again


@ANY_FILE
@pytest.mark.parametrize("name", FILES)
def test_it_runs_and_gives_nothing_up(name: str) -> None:
    data, project = proposed(FILES[name]())
    if name == "one record":
        assert project.plan is None or len(project.plan.run(data, seed=1)) == 1
        return
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert not release.lost
    scenario = project.scenarios[0]
    assert mv.risk.KAnonymity(keys=scenario.keys)(data, release).value >= min(5, data.n)


def test_safe_categories_lose_single_cells_only() -> None:
    _, project = proposed(FILES["safe categories"]())
    assert project.plan is not None
    assert [step.method.name for step in project.plan.steps] == ["local-suppression"]


@ANY_FILE
@pytest.mark.parametrize("name", ["testdata", "thyroid", "francdat"])
def test_it_runs_on_reference_files(name: str) -> None:
    data, project = proposed(mv.read(shared_file("data", f"{name}.csv"), backend="pandas").frame)
    assert project.plan is not None
    assert not project.plan.run(data, seed=1).lost
