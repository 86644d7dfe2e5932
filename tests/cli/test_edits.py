"""Rules of the data on the command line: stated, checked, kept by the log, told beside the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Run = Callable[..., str]
RULES = ("--edit", "home >= 0", "--edit", "total == home + abroad")
HYBRID = ("--method", "micro-hybrid", "--set", "partition.k=5", "--columns", "home,abroad,total")


@pytest.fixture(autouse=True)
def _totals(folder: Path) -> None:
    """Parts that add up to their total in data.csv."""
    draw = np.random.default_rng(4)
    home, abroad = np.round(draw.gamma(1.0, 900.0, (2, 120)), 2)
    frame = pd.DataFrame({"sex": ["f", "m"] * 60, "home": home, "abroad": abroad, "total": np.round(home + abroad, 2)})
    frame.to_csv("data.csv", index=False)


def break_two(folder: Path) -> None:
    frame = pd.read_csv(folder / "data.csv")
    frame.loc[[3, 6], "home"] = -5.0
    frame.to_csv(folder / "broken.csv", index=False)


def test_a_release_keeps_the_rules_and_is_replayed_with_them(folder: Path, run: Run) -> None:
    text = run("protect", "data.csv", *HYBRID, *RULES, "-o", "out.csv", "--log", "log.json", "--report", "r.html")
    assert "promised: total == home + abroad in every record" in text
    out = pd.read_csv("out.csv")
    np.testing.assert_allclose(out["total"], out["home"] + out["abroad"], atol=1e-9)
    assert (out["home"] >= 0).all()
    page = Path("r.html").read_text()
    assert "<h2>Rules of the data</h2>" in page
    assert "<td>total == home + abroad</td><td>0</td><td>0</td><td>yes</td>" in page
    assert json.loads(Path("log.json").read_text())["input"]["edits"] == ["home >= 0", "total == home + abroad"]
    run("replay", "log.json", "data.csv", "-o", "again.csv", match="the same bytes")
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
    text = run("evaluate", "data.csv", "out.csv", "--log", "log.json", "--measures", "edit-violations", status=0)
    assert "No released record (0 %) breaks one of the 2 rules of the data." in text


def test_two_plain_files_are_compared_by_rules_and_the_verdict_says_what_is_broken(folder: Path, run: Run) -> None:
    break_two(folder)
    words = ("evaluate", "data.csv", "broken.csv", "--rows", "aligned", "--measures", "edit-violations")
    text = run(*words, *RULES, "--report", "r.html")
    assert "2 released records (1.67 %) break one of the 2 rules of the data" in text
    assert "· 2 records break a rule of the data" in text
    page = Path("r.html").read_text()
    assert "<td>home &gt;= 0</td><td>0</td><td>2</td><td>not known: nobody gave the private log</td>" in page
    assert "nobody stated rules of the data" in run(*words)


def test_rules_that_the_original_breaks_are_told_before_anything_runs(folder: Path, run: Run) -> None:
    break_two(folder)
    noise = ("--method", "uncorrelated-noise", "--columns", "home,abroad,total")
    text = run("protect", "broken.csv", *noise, *RULES, "-o", "out.csv")
    told = "The rule 'home >= 0' is broken by 2 records of the original: rows 4, 7."
    assert text.index(told) < text.index("Release:")
    assert "(of the original 2)" in text
    text = run("inspect", "broken.csv", "--edit", "home >= 0")
    assert "home >= 0 (stated; 2 of 120 records break it: rows 4, 7)" in text


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("home * total >= 0", "is not linear"),
        ("house >= 0", "the edit 'house >= 0': there is no column 'house'"),
        ("sex >= 0", "is about 'sex', which is nominal"),
    ],
)
def test_a_rule_that_is_none_is_one_line_of_bad_input(folder: Path, run: Run, rule: str, message: str) -> None:
    for command in (("protect", "data.csv", *HYBRID, "-o", "out.csv"), ("evaluate", "data.csv", "data.csv")):
        text = run(*command, "--edit", rule, status=2, match=message)
        assert text.count("microveil: ") <= 1
        assert "Traceback" not in text
    assert not Path("out.csv").exists()


def test_inspect_writes_rules_that_protect_keeps(folder: Path, run: Run) -> None:
    text = run("inspect", "data.csv")
    assert "total == home + abroad (holds in all 120 records)" in text
    project = Path("project.yaml").read_text()
    assert "- total == home + abroad  # holds in all 120 records\n" in project
    text = run("protect", "data.csv", "--project", "project.yaml", "-o", "out.csv")
    assert "promised: total == home + abroad in every record" in text
    Path("project.yaml").write_text(project.replace("- home >= 0", "- home >== 0"))
    run("protect", "data.csv", "--project", "project.yaml", "-o", "b.csv", status=2, match="of the project)")
