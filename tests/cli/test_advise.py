"""`microveil advise`: a map, three sentences, a plan that protect can run, and errors before anything is tried."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil.cli.app import app
from microveil.core.errors import BadInput, FileProblem, OverLimit
from microveil.study import search, short_search

runner = CliRunner()


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    amounts = np.random.default_rng(1).gamma(2.0, size=(60, 3)).round(3)
    pd.DataFrame(amounts, columns=["turnover", "wages", "profit"]).to_csv("firms.csv", index=False)
    return tmp_path


@pytest.fixture
def a_few(search_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five plans of few methods only, in this process."""
    asked = {"budget": "5 trials", "methods": ["rank-swap", "micro-hybrid", "uncorrelated-noise"], "workers": 1}
    monkeypatch.setattr(short_search, "search", lambda data, **how: search(data, **{**how, **asked}))


@pytest.mark.usefixtures("a_few")
@pytest.mark.long
def test_a_map_three_sentences_and_a_plan_that_can_be_run(job: Path):
    asked = ["--plan", "out/plan.yaml", "--page", "out/page.html", "--max-risk", "100"]
    result = runner.invoke(app, ["advise", "firms.csv", *asked])
    assert result.exit_code == 0, result.output
    for words in (
        "Taken for what they look like:",
        "Tried 5 plans in",
        "Worst case over attacks, %",
        "* on the frontier",
        "Recommended is ",
        "keep all limits",
        "Its loss (Probabilistic information loss) is ",
        "microveil protect firms.csv --project project.yaml --plan out/plan.yaml -o OUT",
    ):
        assert words in result.output
    assert runner.invoke(app, ["inspect", "firms.csv"]).exit_code == 0
    told = ["protect", "firms.csv", "--project", "project.yaml", "--plan", "out/plan.yaml", "-o", "out/firms.csv"]
    done = runner.invoke(app, told)
    assert done.exit_code in (0, 1), done.output  # 1: a limit of the project is not kept by this draw
    plan = mv.Plan.load("out/plan.yaml")
    assert all(step.columns for step in plan.steps)
    plan.run(mv.read("firms.csv"), seed=1)
    page = Path("out/page.html").read_text()
    assert "mv-live" in page
    assert '"limit": 100.0' in page


@pytest.mark.usefixtures("a_few")
@pytest.mark.long
def test_nothing_is_written_unless_asked_for_nor_where_no_plan_keeps_the_limit(job: Path):
    before = {path.name for path in job.iterdir()}
    result = runner.invoke(app, ["advise", "firms.csv", "--max-risk", "100"])
    assert result.exit_code == 0, result.output
    assert "Say --plan FILE to have the recommended plan written." in result.output
    assert {path.name for path in job.iterdir()} == before
    none = runner.invoke(app, ["advise", "firms.csv", "--max-risk", "0", "--plan", "plan.yaml"])
    assert isinstance(none.exception, OverLimit)
    assert "more time may find one: say --seconds 300" in str(none.exception)
    assert "No plan is recommended: none of " in none.output
    assert "comes nearest; what binds is that worst-case may be 0 at most" in none.output
    (told,) = [line for line in none.output.splitlines() if line.startswith("The plan that microveil inspect proposes")]
    risk = re.search(r"\((.+)\) has a risk of ([\d.]+) %: it is made for the limits that inspect writes", told)
    assert [line for line in none.output.splitlines() if line.endswith(risk[1])]  # by the same name as on the map
    assert f"--max-risk {math.ceil(float(risk[2]))} to ask for as much" in told
    assert {path.name for path in job.iterdir()} == before


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (["firms.csv", "--seconds", "0"], BadInput, "--seconds must be 1 or more; 0 was given"),
        (["firms.csv", "--max-risk", "101"], BadInput, "between 0 and 100 per cent; 101.0 was given"),
        (["firms.csv", "--plan", "firms.csv"], BadInput, "--plan and the data file are the same file"),
        (["none.csv"], FileProblem, "none.csv"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_tried(job: Path, asked, error, message):
    result = runner.invoke(app, ["advise", *asked])
    assert isinstance(result.exception, error)
    assert message in str(result.exception)
