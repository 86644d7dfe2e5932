"""The page for users of ARX: its Python runs, and every name in it is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import microveil as mv
from microveil.cli import main
from microveil.plan import Project
from tests.pages import Reader, calls_of, read_page
from tests.reference import shared_file

PAGE = read_page("coming_from_arx.md")
BEFORE, FROM_HERE = PAGE.split("## Equal results")
EQUAL, AFTER = FROM_HERE.split("## The Java interface")
GENERATED = BEFORE + AFTER


def test_its_python_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", GENERATED, re.DOTALL):
        exec(compile(block, "coming_from_arx.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "A prosecutor would re-identify the record most at risk" in shown
    assert "('[20, 25)', '[20, 30)', '[20, 40)', '*') ('>=60', '>=60', '>=60', '*')" in shown
    assert "with zip one level up" in shown
    assert names["both"].values("age").hierarchy[24] == ("[20, 25)", "[20, 30)", "[20, 40)", "*")


def test_results_that_are_equal_are_those_of_the_page(capsys, tmp_path, monkeypatch):
    for name in ("adult.csv.gz", "adult_hierarchies.csv"):
        (tmp_path / name).write_bytes(shared_file("data", "adult", name).read_bytes())
    monkeypatch.chdir(tmp_path)
    said = Reader(monkeypatch, capsys, names={"mv": mv}).follow(EQUAL).split("\n")
    theirs = re.findall(r"# ([\d ]+), loss ([\d.]+)", EQUAL)  # as the tests of ARX state them
    assert len(theirs) == 5
    for line, (levels, loss) in zip(said, theirs, strict=False):
        assert line.rsplit(" ", 1)[0] == levels
        assert float(line.rsplit(" ", 1)[1]) == pytest.approx(float(loss), abs=1e-4)


def test_its_commands_run_on_the_files_that_it_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", GENERATED, re.DOTALL):
        exec(compile(block, "coming_from_arx.md", "exec"), names)
        if Path("people.csv").exists():
            break
    (commands,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in commands.splitlines():
        monkeypatch.setattr("sys.argv", shlex.split(line.removeprefix("$ ")))
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, capsys.readouterr().err
    assert len(pd.read_csv("out.csv")) == 600


def test_its_project_is_one():
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    project = Project.from_text(f"version: 1\ndataset: {{path: people.csv}}\n{block}")
    assert project.columns["sex"]["hierarchy"] == "sex.csv"


def test_every_name_is_there():
    names = re.findall(r"mv\.(\w+)\.(\w+)", PAGE)
    assert len(names) > 30
    for room, name in names:
        assert hasattr(getattr(mv, room), name), f"mv.{room}.{name}"


@pytest.mark.parametrize("call", calls_of(PAGE))
def test_settings_are_those_that_there_are(call):
    assert eval(call, {"mv": mv}) is not None
