"""Files of Windows offices on the command line: said, kept in the project, and told where they cannot be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from microveil.plan import Project

Run = Callable[..., str]
SAID = "Read as cp1252, with semicolons and decimal commas."


@pytest.fixture(autouse=True)
def _german_file(folder: Path) -> None:
    """A file as Excel writes it in Germany."""
    draw = np.random.default_rng(3)
    lines = ["Straße;Alter;Einkünfte;Vermögen"]
    for i in range(60):
        income, wealth = draw.gamma(2.0, 900.0), draw.normal(0, 5000)
        lines.append(f"Müllerweg {i};{draw.integers(20, 80)};{income:.2f};{wealth:.2f}".replace(".", ","))
    (folder / "werte.csv").write_bytes("\r\n".join(lines).encode("cp1252"))


def test_inspect_says_it_and_every_later_command_knows_it(folder: Path, run: Run) -> None:
    run("inspect", "werte.csv", match=SAID)
    project = Project.load("project.yaml")
    assert dict(project.text) == {"encoding": "cp1252", "delimiter": ";", "decimal": ","}
    assert project.facts["roles"]["Einkünfte"] == "confidential"
    replace(project, scenarios=()).save("project.yaml")  # ages stay as they are here, over any limit
    words = ("protect", "werte.csv", "--project", "project.yaml", "-m", "rank-swap", "--columns", "Einkünfte,Vermögen")
    run(*words, "-o", "out.csv", "--log", "log.json", match=SAID)
    assert (folder / "out.csv").read_text(encoding="utf-8").startswith("Alter,Einkünfte,Vermögen\n")
    run("evaluate", "werte.csv", "out.csv", "--log", "log.json", "--columns", "Einkünfte,Vermögen")
    run("replay", "log.json", "werte.csv", "-o", "again.csv", match="the same bytes")


def test_what_cannot_be_found_is_told(folder: Path, run: Run) -> None:
    path = folder / "old.csv"
    path.write_bytes("Ort;x;y\nKöln;1.000;5000\nMünchen;2.500;6000\n".encode("cp850"))
    run("inspect", "old.csv", status=2, match="--encoding cp1250")
    run("inspect", "old.csv", "--encoding", "cp850", status=2, match="say --decimal comma or --decimal point")
    text = run("inspect", "old.csv", "--encoding", "cp850", "--decimal", "comma", "--delimiter", "semicolon")
    assert "Read as cp850, with semicolons and decimal commas." in text
    columns = ("--columns", "x,y", "--reproducible", "--seed", "1")
    words = ("protect", "old.csv", "-m", "uncorrelated-noise", *columns, "-o", "o.csv", "--log", "l.json")
    run(*words, "--encoding", "cp850", "--decimal", "comma")
    how = ("--encoding", "cp850", "--decimal", ",", "--delimiter", ";")
    run("evaluate", "old.csv", "o.csv", "--columns", "x,y", *how)
    run("replay", "l.json", "old.csv", "-o", "again.csv", *how, match="the same bytes")


def test_marks_are_named_by_words(folder: Path, run: Run) -> None:
    run("inspect", "werte.csv", "--delimiter", "semikolon", status=2, match="did you mean 'semicolon'?")
    run("inspect", "werte.csv", "--decimal", "dot", status=2, match="one of comma, point")


def test_a_sheet_is_named_and_kept_in_the_project(tmp_path: Path, run: Callable[..., str]) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.active.append(["x"])
    book.active.append([1])
    page = book.create_sheet("people")
    page.append(["area", "income"])
    for i in range(40):
        page.append(["NS"[i % 2], 1000 + i * i])
    book.save(tmp_path / "b.xlsx")
    project = tmp_path / "p.yaml"
    said = run("inspect", tmp_path / "b.xlsx", "--sheet", "people", "-p", project, "--role", "area=key")
    assert "Read from the sheet 'people'; the sheet 'first' was left out." in said
    assert "sheet: people" in project.read_text(encoding="utf-8")
    assert "Risk by key: area" in run("risk", tmp_path / "b.xlsx", "--project", project)
    run("risk", tmp_path / "b.xlsx", "--sheet", "peple", status=2, match="no sheet 'peple'")
