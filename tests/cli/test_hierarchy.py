"""Hierarchies on the command line and in projects: stated, checked, shown, kept by the log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import microveil as mv

Run = Callable[..., str]
PROJECT = """version: 1
dataset: {path: data.csv}
columns:
  age: {role: key, hierarchy: STATED}
  zip: {role: key}
  income: {role: confidential}
plan:
  steps:
  - method: global-recode
    columns: [age]
"""
RECODE = ("--method", "global-recode", "--columns", "age", "--role", "zip=other")


@pytest.fixture(autouse=True)
def _ages(folder: Path) -> None:
    """Ages in data.csv and their hierarchy in age.csv."""
    ages = [17 + 7 * (i % 10) for i in range(60)]
    frame = pd.DataFrame({"age": ages, "zip": [f"10{i % 6}0" for i in range(60)], "income": range(100, 6100, 100)})
    frame.to_csv("data.csv", index=False)
    (folder / "age.csv").write_text("".join(f"{age};{'young' if age < 40 else 'old'};*\n" for age in sorted(set(ages))))


def test_a_file_decides_and_the_log_repeats_it(folder: Path, run: Run) -> None:
    run("protect", "data.csv", *RECODE, "--hierarchy", "age=age.csv", "-o", "out.csv", "--log", "log.json")
    assert set(pd.read_csv("out.csv")["age"]) == {"young", "old"}
    (folder / "age.csv").unlink()
    run("replay", "log.json", "data.csv", "-o", "again.csv", match="the same bytes")
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


def test_a_rule_decides_and_another_one_beside_the_log_is_told(folder: Path, run: Run) -> None:
    rule = "age={intervals: {widths: [20]}}"
    run("protect", "data.csv", *RECODE, "--hierarchy", rule, "-o", "out.csv", "--log", "log.json")
    assert "[20, 40)" in set(pd.read_csv("out.csv")["age"])
    words = ("evaluate", "data.csv", "out.csv", "--log", "log.json", "--measures", "value-change", "--hierarchy")
    assert "states other hierarchies for age; the log decides" in run(*words, "age=age.csv")
    assert "states other" not in run(*words, rule)


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ("age", "--hierarchy 'age' is not of the form column=hierarchy"),
        ("age=", "--hierarchy age= names neither a file nor a rule"),
        ("age=none.csv", "the hierarchy of column 'age' is 'none.csv', and there is no such file"),
        ("age={intervals: {widths: [5, 12]}}", "12 is not a multiple of 5"),
        ("age={intervals: {", "--hierarchy age is not valid YAML"),
        ("ages=age.csv", "hierarchies: there is no column 'ages'; did you mean 'age'?"),
        ("zip=age.csv", "the hierarchy of column 'zip' has no path for 1000, 1010, 1020, 1030, 1040 and 1 more"),
    ],
)
def test_what_is_wrong_is_one_line(folder: Path, run: Run, said: str, match: str) -> None:
    run("protect", "data.csv", *RECODE, "--hierarchy", said, "-o", "out.csv", status=2, match=match)
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("stated", "values"),
    [
        ("age.csv", {"young", "old"}),
        ("{intervals: {widths: [50]}}", {"[0, 50)", "[50, 100)"}),
        ("{tree: {file: tree.csv}}", {"low", "high"}),
    ],
)
def test_projects_name_files_beside_them(folder: Path, run: Run, stated: str, values: set[str]) -> None:
    (folder / "tree.csv").write_text(
        "".join(f"{age};{'low' if age < 30 else 'high'}\n" for age in range(100)) + "low;all\nhigh;all\n"
    )
    (folder / "project.yaml").write_text(PROJECT.replace("STATED", stated))
    (folder / "elsewhere").mkdir()
    run("protect", "data.csv", "--project", "project.yaml", "-o", "out.csv")
    assert set(pd.read_csv("out.csv")["age"]) == values
    project = mv.plan.Project.load("project.yaml")
    assert mv.plan.Project.from_text(project.to_text()).columns == project.columns
    data = project.read(folder)
    assert {path[0] for path in data.values("age").hierarchy.values()} >= values


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("none.csv", "no such file"),
        ("/tmp/age.csv", "is '/tmp/age.csv'; give a path relative to the project file"),
        ("{17: [young]}", "has no path for 24"),
        ("{intervals: {width: [5]}}", "intervals has no parameter 'width'; did you mean 'widths'?"),
        ("{interval: {widths: [5]}}", "no hierarchy called 'interval'; did you mean 'intervals'?"),
        ("broken.csv", "is not nested: 'x' at level 1 becomes '1' in line 1 and '2' in line 2"),
    ],
)
def test_projects_tell_the_line_of_what_is_wrong(folder: Path, run: Run, stated: str, said: str) -> None:
    (folder / "broken.csv").write_text("17;x;1\n24;x;2\n")
    (folder / "project.yaml").write_text(PROJECT.replace("STATED", stated))
    text = run("protect", "data.csv", "--project", "project.yaml", "-o", "out.csv", status=2, match=said)
    assert "(line 4 of the project)" in text


def test_a_tree_is_shown_checked_and_written(folder: Path, run: Run) -> None:
    text = run("hierarchy", "age.csv")
    assert "Hierarchy: 10 values, then 2, 1" in text
    assert "├─ young" in text
    assert "level 1  values 2  such as young, old" in text
    run("hierarchy", "age.csv", "--data", "data.csv", "--column", "age", match="10 values")
    run("hierarchy", "age.csv", "--data", "data.csv", "--column", "zip", status=2, match="has no path for 1000")
    rule = "{redact: {replaced: [2]}}"
    run("hierarchy", rule, "--data", "data.csv", "--column", "zip", "-o", "zip.csv", match="Wrote zip.csv.")
    assert Path("zip.csv").read_text().splitlines()[0] == "1000;10**;*"
    run("hierarchy", rule, status=2, match="is a rule and needs values; say --data FILE --column COLUMN")
    run("hierarchy", "age.csv", "--data", "data.csv", status=2, match="--data and --column belong together")
    run("hierarchy", "age.csv", "-o", "zip.csv", status=2, match="is there already")


def test_what_was_completed_is_said_and_no_output_takes_the_place_of_a_file(folder: Path, run: Run) -> None:
    text = (folder / "age.csv").read_text()
    (folder / "age.csv").write_text(text.replace("80;old;*", "80;*"))
    words = ("protect", "data.csv", *RECODE, "--hierarchy", "age=age.csv")
    run(*words, "-o", "out.csv", match="The hierarchy 'age.csv' has 1 shorter path, padded by the top (line 10).")
    run(*words, "-o", "age.csv", "--force", status=2, match="--hierarchy age")
    assert (folder / "age.csv").read_text().startswith("17;young")


def test_options_on_reading_are_about_one_file(folder: Path, run: Run) -> None:
    (folder / "odd.csv").write_text("a:x:*\nb:y:*\n")
    run("hierarchy", "odd.csv", status=2, match="has one field in every line when ';' is taken for the delimiter")
    run("hierarchy", "odd.csv", "--delimiter", ":", match="Hierarchy: 2 values, then 2, 1")
    run("hierarchy", "age.csv", "--encoding", "cp1252", status=2, match="say how the data file is read; give --data")
