"""`microveil search`: a recommendation, a study that goes on, a project that keeps its comments, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from microveil.plan import Project
from microveil.study import searching

pytestmark = pytest.mark.usefixtures("search_here")
PROJECT = """\
# who wrote this must find it again
version: 2
dataset: {path: firms.csv}
columns:
  turnover: {role: confidential, kind: continuous}  # in thousands
  wages: {role: confidential, kind: continuous}
search:
  objectives: [pil, distance-linkage]
  methods: [rank-swap]
  at_most: {distance-linkage: LIMIT}

# the first idea
plan:
  steps:
  - method: {rank-swap: {p: 2}}

# the end
"""


@pytest.fixture
def job(folder: Path) -> Path:
    """The present folder with a file of firms and a project."""
    amounts = np.random.default_rng(1).gamma(2.0, size=(80, 2)).round(3)
    pd.DataFrame(amounts, columns=["turnover", "wages"]).to_csv("firms.csv", index=False)
    Path("project.yaml").write_text(PROJECT.replace("LIMIT", "60"))
    return folder


def test_a_plan_is_recommended_written_back_and_the_study_goes_on(job: Path, run: Callable[..., str]):
    said = run("search", "project.yaml", "--trials", 5, "--workers", 1, "--write-back")
    assert "5 plans of 1 method were tried" in said
    assert "Recommended is rank-swap" in said
    assert "Wrote the recommended plan into project.yaml." in said
    page = Path("study/study.html").read_text()
    assert "<svg" in page
    assert "Internal." in page
    assert "mv-live" in page
    text = Path("project.yaml").read_text()
    for comment in (
        "# who wrote this must",
        "# in thousands",
        "# the first idea",
        "# the end",
        "# chosen by microveil",
    ):
        assert text.count(comment) == 1
    before = Project.from_text(PROJECT.replace("LIMIT", "60"))
    after = Project.from_text(text)
    assert after.search == before.search
    assert after.plan != before.plan  # swapping within 2 % links more than the limit allows
    run("search", "project.yaml", "--trials", 5, status=2, match="say --resume to go on with it")


def test_a_study_goes_on(job: Path, run: Callable[..., str]):
    run("search", "project.yaml", "--trials", 3, "--workers", 1, "--folder", "mine")
    lines = Path("mine/journal.jsonl").read_text().splitlines()
    run("search", "project.yaml", "--trials", 4, "--workers", 1, "--folder", "mine", "--resume")
    assert Path("mine/journal.jsonl").read_text().splitlines()[: len(lines)] == lines
    assert Path("project.yaml").read_text() == PROJECT.replace("LIMIT", "60")  # nobody asked for another plan


def test_a_study_goes_on_after_its_plan_was_written_into_the_project(job: Path, run: Callable[..., str]):
    run("search", "project.yaml", "--trials", 5, "--workers", 1, "--write-back")
    lines = Path("study/journal.jsonl").read_text().splitlines()
    said = run("search", "project.yaml", "--trials", 6, "--workers", 1, "--resume")
    assert "6 plans of 1 method were tried" in said
    assert Path("study/journal.jsonl").read_text().splitlines()[: len(lines)] == lines
    text = Path("project.yaml").read_text()
    Path("project.yaml").write_text(
        f"{text[: text.index('plan:')]}plan: {{steps: [{{method: {{rank-swap: {{p: 19}}}}}}]}}\n"
    )
    told = "was begun with other plans and has not tried that given now; give another folder"
    run("search", "project.yaml", "--trials", 6, "--workers", 1, "--resume", status=2, match=told)


def test_figures_of_the_project_that_must_survive_are_kept_or_named(job: Path, run: Callable[..., str]):
    utility = """\
utility:
- {name: pay, statistic: mean, of: wages, tolerance: 0.1}
- {name: slope, regression: wages ~ turnover, overlap: OVERLAP}
"""
    Path("project.yaml").write_text(PROJECT.replace("LIMIT", "90") + utility.replace("OVERLAP", "0"))
    asked = ("search", "project.yaml", "--trials", 3, "--workers", 1)
    assert "All 2 figures that must survive do so in every draw." in run(*asked)
    assert "pay (mean of wages) is kept: " in Path("study/study.html").read_text()
    Path("project.yaml").write_text(PROJECT.replace("LIMIT", "90") + utility.replace("OVERLAP", "1"))
    told = "what binds is that the figure 'slope' (wages ~ turnover) must survive: intervals overlap by "
    run(*asked, "--folder", "other", status=1, match=told)
    run(*asked, "--resume", status=2, match="other objectives, limits")


def test_a_plan_that_was_not_confirmed_is_not_written_back(
    job: Path, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(searching.Run, "_draws", lambda *_: None)  # as where the time was up
    asked = ("search", "project.yaml", "--trials", 5, "--workers", 1, "--write-back")
    said = run(*asked, status=1, match="was not confirmed under fresh keys, so that project.yaml was left as it was")
    assert "which was run once and is not confirmed" in said
    assert Path("project.yaml").read_text() == PROJECT.replace("LIMIT", "60")
    assert "the recommended one was not confirmed under fresh keys" in Path("study/study.html").read_text()


@pytest.mark.long
@pytest.mark.parametrize("workers", ["here", pytest.param("processes", marks=pytest.mark.full)])
def test_ctrl_c_leaves_a_study_that_goes_on(workers: str, job: Path, run: Callable[..., str]):
    text = PROJECT.replace("LIMIT", "60").replace("[rank-swap]", "[rank-swap, uncorrelated-noise]")
    Path("project.yaml").write_text(text)
    here = (
        "from microveil.study import searching, workers; searching.Workers = lambda begin, *_: workers.Here(begin()); "
    )
    command = [sys.executable, "-c", f"{here if workers == 'here' else ''}from microveil.cli import main; main()"]
    asked = ["search", "project.yaml", "--budget", "10 min", "--workers", "1"]
    process = subprocess.Popen([*command, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = Path("study/journal.jsonl")
    try:
        while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 3):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130
    assert said == ("", "\nmicroveil: stopped; study/journal.jsonl (go on with --resume) had been written\n")
    lines = journal.read_text().splitlines()
    told = run("search", "project.yaml", "--trials", len(lines) + 1, "--workers", 1, "--resume")
    assert f"{len(lines) + 1} plans of" in told
    whole = [line for line in lines if _is_whole(line)]
    assert journal.read_text().splitlines()[: len(whole)] == whole


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_where_nothing_keeps_the_limits_the_end_is_1_and_the_project_stays(job: Path, run: Callable[..., str]):
    Path("project.yaml").write_text(PROJECT.replace("LIMIT", "0"))
    asked = ("search", "project.yaml", "--trials", 3, "--workers", 1, "--write-back")
    said = run(*asked, status=1, match="distance-linkage may be 0 at most")
    assert "No plan is recommended" in said
    assert "comes nearest" in said
    assert Path("project.yaml").read_text() == PROJECT.replace("LIMIT", "0")


@pytest.mark.parametrize(
    ("before", "after", "words", "message"),
    [
        ("methods:", "method:", (), "did you mean 'methods'? (line 9 of the project)"),
        ("[rank-swap]", "rank-swap", (), "methods of search is a text; give a list of names (line 9"),
        ("{distance-linkage: LIMIT}", "5", (), "at_most of search is a number; give limits by name"),
        ("LIMIT", "five", (), "the limit of distance-linkage in at_most is 'five'; give a number (line "),
        ("[rank-swap]", "[rankswap]", (), "no method called 'rankswap'; did you mean 'rank-swap'"),
        ("", "", ("--resume",), "there is no study in study to go on with"),
        (
            "",
            "",
            ("--budget", "forty"),
            "the budget 'forty' is neither a time nor a number of trials; give",
        ),
        ("", "", ("--workers", "0"), "0 workers are not possible; give 1 to 8"),
    ],
)
def test_bad_input_ends_with_2_and_leaves_nothing(before, after, words, message, job: Path, run: Callable[..., str]):
    Path("project.yaml").write_text(PROJECT.replace(before, after).replace("LIMIT", "60"))
    run("search", "project.yaml", *words, status=2, match=message)
    assert not Path("study").exists()
