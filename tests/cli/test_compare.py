"""`microveil compare`: table, sentence, and files under the same rules as those of other commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil.cli.app import app
from microveil.core.errors import BadInput, FileProblem, UnknownName
from microveil.plan.utility_plan import goals_of

runner = CliRunner()


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    amounts = np.random.default_rng(1).gamma(2.0, size=(120, 2)).round(3)
    pd.DataFrame(amounts, columns=["turnover", "wages"]).to_csv("firms.csv", index=False)
    for p in (8, 15):
        mv.Plan([(mv.mask.RankSwap(p=p), ["turnover", "wages"])]).save(f"swap{p}.yaml")
    return tmp_path


def test_two_plans_are_compared_and_nothing_but_what_was_asked_for_is_written(job: Path):
    before = {path.name for path in job.iterdir()}
    result = runner.invoke(app, ["compare", "swap8.yaml", "swap15.yaml", "--data", "firms.csv"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert "  Probabilistic information loss, %  Worst case over attacks, %  seconds" in lines[0]
    assert [line.split()[0] for line in lines[1:3]] == ["swap8", "swap15"]
    # which one wins depends on the draw
    assert "swap8" in lines[3] or "swap15" in lines[3]
    assert lines[3].startswith("In this one draw ")
    assert lines[4:] == [
        "Nobody stated limits: a project with scenarios (--project FILE) says which plan keeps them.",
        "Each plan was run once: another draw has somewhat other figures.",
        "--draws 5 runs each plan under 5 keys and says whether a difference is chance.",
    ]
    assert {path.name for path in job.iterdir()} == before


def test_map_and_figures_are_written_together(job: Path):
    asked = ["--loss", "moment-change", "--risk", "rank-interval", "--map", "out/map.svg", "--json", "out/all.json"]
    result = runner.invoke(app, ["compare", "swap8.yaml", "swap15.yaml", "--data", "firms.csv", *asked])
    assert result.exit_code == 0, result.output
    assert Path("out/map.svg").read_text().startswith("<svg")
    written = json.loads(Path("out/all.json").read_text())
    assert [trial["label"] for trial in written["trials"]] == ["swap8", "swap15"]
    assert set(written["trials"][0]["figures"]) == {"moment-change", "rank-interval"}
    assert written["sentence"] in result.output


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (["--map", "firms.csv"], BadInput, "--map and --data are the same file"),
        (["--json", "swap8.yaml"], BadInput, "--json and the plan swap8.yaml are the same file"),
        (["--loss", "pill"], UnknownName, "did you mean 'pil'"),
        (["--risk", "score"], BadInput, "score needs loss"),
        (["nothing.yaml"], (BadInput, FileProblem), "nothing.yaml"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_runs(job: Path, asked, error, message):
    result = runner.invoke(app, ["compare", "swap8.yaml", "--data", "firms.csv", *asked])
    assert isinstance(result.exception, error)
    assert message in str(result.exception)


def test_a_plan_that_fails_is_told_beside_the_others(job: Path):
    mv.Plan([mv.mask.Microaggregation(partition=mv.partition.MDAV(k=500))]).save("large.yaml")
    result = runner.invoke(app, ["compare", "swap8.yaml", "large.yaml", "--data", "firms.csv"])
    assert result.exit_code == 0
    assert "large: microaggregation needs at least k=500 records: 120 given" in result.output
    assert "swap8 is the only candidate of those compared." in result.output
    assert len(pd.read_csv("firms.csv")) == 120


@pytest.mark.long
def test_a_project_may_stand_for_its_plan(job: Path):
    assert runner.invoke(app, ["inspect", "firms.csv"]).exit_code == 0
    asked = ["compare", "project.yaml", "swap8.yaml", "--data", "firms.csv", "--project", "project.yaml"]
    result = runner.invoke(app, [*asked, "--draws", "2"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["project", "swap8"]
    assert [line for line in lines if line.startswith("project keeps every limit. Scenario '")]
    assert [line for line in lines if line.startswith("swap8 does not keep every limit. Scenario '")]
    assert "Each plan was run under the same 2 keys" in lines[-1]
    text = Path("project.yaml").read_text()
    Path("bare.yaml").write_text(text[: text.index("plan:\n")])
    refused = runner.invoke(app, ["compare", "bare.yaml", "--data", "firms.csv"])
    assert "the project bare.yaml has no plan in it" in str(refused.exception)


def test_a_page_has_map_limits_and_two_plans_side_by_side(job: Path):
    asked = [
        "--page",
        "out/page.html",
        "--max-risk",
        "40",
        "--indicator",
        "mean(wages)",
        "--indicator",
        "median(wages)",
        "--project",
        "project.yaml",
    ]
    utility = [
        {"name": "total pay", "statistic": "sum", "of": "wages", "tolerance": 0.9},
        {"name": "inequality", "indicator": "quantile(wages, 0.9) / median(wages)", "tolerance": 0.9},
        {"name": "size", "regression": "wages ~ turnover", "overlap": 0.0},
    ]
    columns = {name: {"role": "confidential"} for name in ("turnover", "wages")}
    project = mv.plan.Project(
        "firms.csv", mv.io.sha256_of(job / "firms.csv"), columns, utility=tuple(goals_of(utility))
    )
    project.save("project.yaml")
    result = runner.invoke(app, ["compare", "swap8.yaml", "swap15.yaml", "--data", "firms.csv", *asked])
    assert result.exit_code == 0, result.output
    assert "Wrote out/page.html (internal: it holds risk figures)." in result.output
    page = Path("out/page.html").read_text()
    told = re.findall(
        r"^(swap\d+) (keeps|does not keep) every limit. Worst case over attacks is (.*) its limit: (\S+) %",
        result.output,
        re.MULTILINE,
    )
    assert [(one[0], one[1], one[2]) for one in told] == [
        (name, *(("keeps", "within") if float(risk) <= 40 else ("does not keep", "above"))) for name, *_, risk in told
    ]
    assert [one[0] for one in told] == ["swap8", "swap15"]
    assert "In this one draw " in page
    for words in (
        "swap8 and swap15 side by side",
        "limit 40",
        "Which plan keeps the limits",
        "Distance-based record linkage",
    ):
        assert words in page
    # figures said, then those of the project that are one number each, with the intervals of original and plans
    rows = re.findall(r'<tr><td class="name">([^<]*)</td><td data-what="original:">([^<]*)</td>', page)
    said = ["mean(wages)", "median(wages)", "total(wages)", "quantile(wages, 0.9) / median(wages)"]
    assert [name for name, _ in rows] == said
    assert all(re.fullmatch(r"[\d.,]+ \([\d.,]+ to [\d.,]+\)", original) for _, original in rows)
    assert Path("out/page.html").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--indicator", "mean(wages)"], "say --page FILE too"),
        (["--page", "p.html", "--indicator", "mean(wages"], "cannot be read"),
        (["--page", "p.html", "--indicator", "mean(wage)"], "wages"),
        (["--loss", "interval-overlap", "--max-loss", "5"], "more of interval-overlap is better"),
    ],
)
def test_an_indicator_or_a_limit_that_cannot_be_is_told_before_anything_runs(job: Path, asked, message):
    result = runner.invoke(app, ["compare", "swap8.yaml", "swap15.yaml", "--data", "firms.csv", *asked])
    assert message in str(result.exception)
    assert not Path("p.html").exists()


@pytest.mark.long
def test_limits_of_scenarios_are_lines_of_the_page(job: Path):
    Path("project.yaml").write_text(
        "version: 1\ndataset: {path: firms.csv}\nscenarios:\n"
        "- {name: rival, known: [wages], thresholds: {risk: 0.1, share: 5}}\n"
    )
    asked = ["--project", "project.yaml", "--page", "page.html"]
    result = runner.invoke(app, ["compare", "swap8.yaml", "swap15.yaml", "--data", "firms.csv", *asked])
    assert result.exit_code == 0, result.output
    told = re.search(r'<script type="application/json">(.*?)</script>', Path("page.html").read_text(), re.DOTALL)
    limits = {axis["name"]: axis["limit"] for axis in json.loads(told[1])["axes"] if axis["limit"] is not None}
    assert limits == {"scenario-risk: rival: records at risk (%)": 5.0}


def test_limits_of_the_search_section_are_not_taken_for_kept(job: Path):
    told = "Limits of the search section of the project (at_most, require) are not judged here"
    project = "version: 1\ndataset: {path: firms.csv}\nsearch: {SEARCH}\n"
    for search, is_told in (("at_most: {worst-case: 1}", True), ("without: [lattice]", False)):
        Path("project.yaml").write_text(project.replace("SEARCH", search))
        words = ["compare", "swap8.yaml", "--data", "firms.csv", "--project", "project.yaml", "--page", "page.html"]
        result = runner.invoke(app, [*words, "--force"])
        assert result.exit_code == 0, result.output
        assert (told in result.output) is is_told
        assert (told in Path("page.html").read_text(encoding="utf-8")) is is_told
