"""The verdict on the command line: one line, and nothing written where a stated limit is not kept."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.cli.conftest import PROJECT

pytestmark = pytest.mark.usefixtures("alone_by_keys")


def _protect(limit: str, folder) -> tuple[str, ...]:
    (folder / "project.yaml").write_text(PROJECT.replace("LIMIT", limit))
    words = ("protect", "data.csv", "--project", "project.yaml", "-m", "local-suppression", "--set", "k=2")
    return (*words, "-o", "out.csv", "--log", "log.json", "--columns", "region,sex")


def test_the_line_is_printed(folder, run):
    run(*_protect("0.5", folder), match="Verdict: 2-anonymous on all 2 keys · expected re-identifications 4 -> ")
    assert (folder / "out.csv").exists()


def test_a_limit_that_is_not_kept_ends_with_status_1_and_nothing_is_written(folder, run):
    said = run(*_protect("0.1", folder), status=1, match="Scenario 'neighbour' is not kept: 100 % of the records")
    assert "nothing was written; recode or suppress region, sex to classes of at least 10" in said
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "project.yaml"]


def test_measures_are_chosen_on_the_command_line(folder, run):
    words = (*_protect("0.5", folder), "--report", "page.html")
    run(*words, "--measures", "uniqueness,pill", status=2, match="did you mean 'pil'")
    assert not (folder / "out.csv").exists()
    run(*_protect("0.5", folder), "--measures", "quick", status=2, match="give --report FILE too")
    run(*words, "--measures", "uniqueness")
    page = (folder / "page.html").read_text()
    assert "Unique records" in page
    assert "Probabilistic information loss" not in page
    said = run(
        *("evaluate", "data.csv", "data.csv", "--rows", "aligned", "--project", "project.yaml", "--measures", "quick"),
        status=1,
    )
    assert "Unique records" in said
    assert "Propensity" not in said


def test_evaluate_ends_with_the_verdict_and_status_1_where_a_limit_is_exceeded(folder, run):
    run(*_protect("0.5", folder))
    words = ("evaluate", "data.csv", "out.csv", "--project", "project.yaml", "--measures", "quick")
    said = run(*words, "--log", "log.json", match="Verdict: 2-anonymous on all 2 keys")
    assert "Scenario 'neighbour' is kept" in said
    (folder / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.1"))
    said = run(
        *words, "--log", "log.json", "--json", "figures.json", status=1, match="Scenario 'neighbour' is not kept"
    )
    assert "What would help: recode or suppress region, sex to classes of at least 10" in said
    # what was asked for is written all the same
    assert (folder / "figures.json").exists()


def test_two_plain_files_have_a_verdict_too(folder, run):
    swapped = pd.read_csv("data.csv").assign(sex=list("fmffmfmf"), region=list("nnnnssss"))
    swapped.to_csv("swapped.csv", index=False)
    (folder / "project.yaml").write_text(PROJECT.replace("  thresholds: {risk: LIMIT}\n", ""))
    words = ("evaluate", "data.csv", "swapped.csv", "--rows", "aligned", "--project", "project.yaml")
    said = run(*words, "--measures", "quick", match="Verdict: 4-anonymous on 1 of 2 keys (sex perturbed)")
    assert "Nobody stated limits" in said
