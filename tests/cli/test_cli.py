"""The command line: what it prints, what it leaves behind, how it ends."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from microveil.plan import Project

NO_ID = ("--role", "id=identifier")  # the file's numbers of records are left out


@pytest.fixture(autouse=True)
def _numbered_people(folder):
    """People with numbers of records in data.csv."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(80)],
            "age": rng.integers(18, 90, size=80),
            "sex": ["f", "m"] * 40,
            "income": np.round(rng.gamma(2.0, 900.0, size=80), 2),
            "wealth": np.round(rng.normal(0, 5000, size=80), 2),
        }
    )
    frame.to_csv(folder / "data.csv", index=False)


def test_inspect_proposes_roles_and_writes_a_project(folder, run):
    said = run("inspect", "data.csv", match="80 records, 5 columns")
    assert "identifier" in said
    assert "are alone with their combination of age, sex" in said
    project = (folder / "project.yaml").read_text()
    assert "path: data.csv" in project
    run("inspect", "data.csv", status=2, match="project.yaml is there already")


def _without_limits(folder):
    project = Project.load(folder / "project.yaml")
    replace(project, scenarios=()).save(folder / "project.yaml")


def test_protect_writes_a_file_a_log_and_a_report(folder, run):
    run("inspect", "data.csv")
    _without_limits(folder)
    said = run(
        *("protect", "data.csv", "--project", "project.yaml", "-m", "microaggregation", "--set", "k=5"),
        *("-o", "out.csv", "--log", "log.json", "--report", "report.html"),
        match="occurs at least 5 times",
    )
    released = pd.read_csv(folder / "out.csv")
    assert "id" not in released.columns
    assert released.groupby(["income", "wealth"]).size().min() >= 5
    assert stat.S_IMODE((folder / "log.json").stat().st_mode) == 0o600
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert json.loads((folder / "log.json").read_text())["key"] not in page + said


def test_the_log_tells_evaluate_which_rows_belong_together(folder, run):
    protect = ("protect", "data.csv", "-m", "rank-swap", "--set", "p=3", "--columns", "income,wealth", "-o", "out.csv")
    run(*protect, *NO_ID, "--log", "log.json")
    evaluate = ("evaluate", "data.csv", "out.csv", "--columns", "income,wealth", "--json", "figures.json")
    run(*evaluate, match="Rows do not seem to correspond")
    unlinked = _figure(folder, "distance-linkage")
    assert "nobody knows which rows" in unlinked["not_applicable"]
    run(*evaluate, "--log", "log.json", "--report", "page.html", "--force", match="known from the private log")
    assert _figure(folder, "distance-linkage")["value"] > 50
    assert (folder / "page.html").read_text().startswith("<!doctype html>")


def _figure(folder, name):
    figures = json.loads((folder / "figures.json").read_text())
    return next(line for line in figures["risk"] if line["name"] == name)


def test_aligned_files_are_recognised(folder, run):
    frame = pd.read_csv(folder / "data.csv")
    frame.assign(income=frame["income"] + 10).to_csv(folder / "other.csv", index=False)
    run("evaluate", "data.csv", "other.csv", match="Rows seem to correspond")


def test_files_that_differ_are_compared_on_what_they_share_and_the_rest_is_said(folder, run):
    frame = pd.read_csv(folder / "data.csv")
    other = frame.assign(income="secret", extra=1).drop(columns="sex").iloc[:50, ::-1]
    other.to_csv(folder / "other.csv", index=False)
    said = run("evaluate", "data.csv", "other.csv", match="Columns only in the original: sex.")
    assert "Columns only in the protected file: extra." in said
    assert "not compared as numbers: income." in said
    assert "80 original and 50 protected records" in said


def test_a_plan_file_is_run(folder, run):
    (folder / "plan.yaml").write_text("steps:\n- method: {round: {base: 100}}\n  columns: [income]\n")
    run("protect", "data.csv", *NO_ID, "--plan", "plan.yaml", "-o", "out.parquet")
    assert (pd.read_parquet(folder / "out.parquet")["income"] % 100 == 0).all()


def test_without_roles_what_looks_like_an_identifier_stops_the_run(folder, run):
    protect = ("protect", "data.csv", "-m", "micro-hybrid", "--set", "k=10")
    said = run(*protect, "-o", "out.csv", status=2)
    assert "column 'id' (its name says that it numbers persons, firms or records) looks like an identifier" in said
    assert "say --role id=identifier to leave it out, --role id=other to release it all the same" in said
    assert not (folder / "out.csv").exists()
    run(*protect, *NO_ID, "-o", "out.csv")
    assert "id" not in pd.read_csv(folder / "out.csv").columns
    run(*protect, "--role", "id=other", "-o", "all.csv")
    assert "id" in pd.read_csv(folder / "all.csv").columns


def test_limits_that_inspect_proposed_hold_for_any_method(folder, run):
    run("inspect", "data.csv")
    words = ("protect", "data.csv", "--project", "project.yaml", "-m", "microaggregation", "--set", "k=5")
    said = run(*words, "-o", "out.csv", status=1, match="Scenario 'all keys and amounts' is not kept")
    assert "a promise does not hold" not in said
    assert not (folder / "out.csv").exists()


def test_a_guessed_weight_is_said(folder, run):
    frame = pd.read_csv(folder / "data.csv")
    frame.assign(weight=1.5 + frame.index % 7).to_csv(folder / "data.csv", index=False)
    said = run("protect", "data.csv", *NO_ID, "-m", "micro-hybrid", "--set", "k=10", "-o", "out.csv")
    assert "nobody stated the role were taken for what they look like: weight (weight)" in said


def test_kept_columns_are_named_or_ruled_out(folder, run):
    run("inspect", "data.csv")
    _without_limits(folder)
    words = ("protect", "data.csv", "--project", "project.yaml", "-m", "micro-hybrid", "--set", "k=10", "--given", "")
    run(*words, "-o", "hybrid.csv", match="covariances of")
    assert (folder / "hybrid.csv").exists()
    run(*words[:-1], "age, nothing", "-o", "other.csv", status=2)


def test_the_same_seed_writes_the_same_bytes(folder, run):
    noise = ("-m", "uncorrelated-noise", "--columns", "income")
    words = ("protect", "data.csv", *NO_ID, *noise, "--seed", "secret", "--reproducible")
    run(*words, "-o", "a.csv")
    run(*words, "-o", "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def _bad_inputs():
    protect = ["protect", "data.csv", *NO_ID, "-o", "out.csv", "-m"]
    return {
        "missing file": (["protect", "dta.csv", "-o", "out.csv", "-m", "mdav"], "dta.csv"),
        "empty file": (["protect", "empty.csv", "-o", "out.csv", "-m", "rank-swap"], "empty"),
        "ragged rows": (["protect", "ragged.csv", "-o", "out.csv", "-m", "rank-swap"], "line 3"),
        "wrong encoding": (["protect", "latin.csv", "-o", "out.csv", "-m", "rank-swap"], "--encoding cp1250"),
        "duplicate columns": (["protect", "twice.csv", "-o", "out.csv", "-m", "rank-swap"], "'a'"),
        "unknown column": ([*protect, "rank-swap", "--columns", "incme"], "did you mean 'income'?"),
        "missing values": (
            ["protect", "gaps.csv", "--role", "b=other", "-o", "out.csv", "-m", "rank-swap"],
            "missing values in 'a' (1)",
        ),
        "infinite values": (
            ["protect", "infinite.csv", "-o", "out.csv", "-m", "rank-swap"],
            "infinite values and numbers",
        ),
        "words among numbers": (["protect", "na.csv", "-o", "out.csv", "-m", "rank-swap"], "numbers and ['NA']"),
        "k larger than n": (
            [*protect, "microaggregation", "--set", "k=81"],
            "needs at least k=81 records",
        ),
        "k = 1": ([*protect, "microaggregation", "--set", "k=1"], "k must be 2 or more; 1 was given"),
        "negative noise": (
            [*protect, "uncorrelated-noise", "--set", "p=-0.1"],
            "p must be between 0 and 10; -0.1",
        ),
        "text in a continuous column": (
            [*protect, "rank-swap", "--kind", "sex=continuous"],
            "'sex' is to be continuous",
        ),
        "unknown method": ([*protect, "rank-swop"], "did you mean 'rank-swap'?"),
        "unknown parameter": ([*protect, "rank-swap", "--set", "q=1"], "rank-swap has no parameter 'q'"),
        "no setting": ([*protect, "rank-swap", "--set", "p"], "not of the form name=value"),
        "no blank": (
            [*protect, "lattice", "--set", "weights={age:2}"],
            "gives 'age:2' no value; write a blank behind the colon: {age: 2}",
        ),
        "no register": (
            [*protect, "lattice", "--set", "register=5"],
            "there is no option for it, give it in Python: apply(data, register=people)",
        ),
        "a setting twice": ([*protect, "rank-swap", "--set", "p=5", "--set", "p=6"], "--set p is said twice"),
        "a long setting": (
            [*protect, "rank-swap", "--set", "p=" + "[" * 500],
            "[[[...' has too many brackets inside one another",
        ),
        "a subdomain twice": (
            [*protect, "rank-swap", "--columns", "income", "--by", "sex,sex"],
            "by names a column twice: ['sex', 'sex']",
        ),
        "unwritable folder": (["protect", "data.csv", "-m", "rank-swap", "-o", "data.csv/out.csv"], "data.csv"),
        "source overwritten": (["protect", "data.csv", "-m", "rank-swap", "-o", "data.csv"], "data.csv"),
        "unknown ending": (["protect", "data.csv", "-m", "rank-swap", "-o", "out.doc"], ".doc"),
        "method and plan": ([*protect, "rank-swap", "--plan", "plan.yaml"], "either --method NAME or --plan FILE"),
        "wrong role": ([*protect, "rank-swap", "--role", "sex=quasi"], "role 'quasi' is not one of"),
        "wrong rows": (["evaluate", "data.csv", "data.csv", "--rows", "maybe"], "is not one of"),
        "demo too small": (["demo", "-n", "3"], "--records must be 50 or more"),
    }


@pytest.mark.parametrize("what", _bad_inputs())
def test_bad_input_is_one_clear_line_and_nothing_is_written(what, folder, call):
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "latin.csv").write_bytes("a,b\nГорода,1\n".encode("cp1251"))
    (folder / "twice.csv").write_text("a,a\n1,2\n")
    (folder / "gaps.csv").write_text("a,b\n" + "\n".join(f"{i * i},{i}" for i in range(30)) + "\n,31\n")
    (folder / "infinite.csv").write_text("a,b\n" + "\n".join(f"{i * i}.5,{i}" for i in range(30)) + "\ninf,31\n")
    (folder / "na.csv").write_text("a,b\n1,2\nNA,3\n4,5\n")
    before = sorted(folder.rglob("*"))
    source = (folder / "data.csv").read_bytes()
    words, message = _bad_inputs()[what]
    status, _, err = call(*words)
    assert status == 2
    assert message in err
    assert err.startswith("microveil: ")
    assert err.count("\n") == 1, f"more than one line: {err}"
    assert sorted(folder.rglob("*")) == before
    assert (folder / "data.csv").read_bytes() == source


def test_a_read_only_folder_is_answered_before_any_work(folder, run):
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write anywhere, so a closed folder cannot be made")
    run("protect", "data.csv", "-m", "rank-swap", "-o", "closed/out.csv", status=2, match="cannot be written")


def test_a_broken_promise_ends_with_status_one(folder, run, monkeypatch):
    from microveil.core import BrokenPromise
    from microveil.plan import Plan

    def broken(*_, **__):
        raise BrokenPromise("means moved")

    monkeypatch.setattr(Plan, "run", broken)
    words = ("protect", "data.csv", *NO_ID, "-m", "rank-swap", "-o", "out.csv")
    run(*words, status=1, match="nothing was released: means moved")
    assert not (folder / "out.csv").exists()


def test_methods_lists_and_describes(run):
    said = run("methods", match="rank-swap")
    assert "distance-linkage" in said
    run("methods", "RankSwap", match="widest exchange")
    assert json.loads(run("methods", "--schema"))["title"] == "microveil plan"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"k": 7}, 7),
        ({"partition.k": 8}, 8),
        ({"partition": "mdav", "k": 9}, 9),
        ({"partition": {"mdav": {"k": 4}}}, 4),
    ],
)
def test_settings_reach_nested_methods(given, expected):
    from microveil.cli.configure import configure

    assert configure("microaggregation", given).partition.k == expected
