"""What is told first where several things are wrong, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import microveil as mv
from microveil.cli.console import settings
from microveil.core.errors import BadInput, UnknownName

pytestmark = pytest.mark.usefixtures("survey_file")
Run = Callable[..., str]


def test_a_mistyped_file_is_told_before_a_project_that_is_there(folder: Path, run: Run) -> None:
    (folder / "project.yaml").write_text("version: 1\n")
    run("inspect", "surveyy.csv", status=2, match="there is no file 'surveyy.csv'; did you mean 'survey.csv'")


def test_a_mistyped_column_is_told_before_identifiers(folder: Path, run: Run) -> None:
    said = run("protect", "survey.csv", "-m", "rank-swap", "--columns", "incme", "-o", "o.csv", status=2)
    assert "--columns: there is no column 'incme'; did you mean 'income'?" in said


def test_other_data_than_those_of_the_log_are_bad_input(folder: Path, run: Run) -> None:
    roles = ("--role", "person_id=identifier", "--role", "name=identifier")
    words = ("protect", "survey.csv", "-m", "rank-swap", "--columns", "income", "--missing", "mask", *roles)
    said = run(*words, "-o", "o.csv", "--log", "log.json")
    assert "Wrote the private log log.json (keep it inside" in said
    lines = (folder / "survey.csv").read_text().splitlines(keepends=True)
    (folder / "changed.csv").write_text("".join(lines[:-1]))
    said = run("replay", "log.json", "changed.csv", "-o", "again.csv", status=2)
    assert "a promise does not hold" not in said
    assert "these are not the data of the log" in said


def test_a_measure_is_called_a_measure() -> None:
    with pytest.raises(UnknownName, match="no measure called 'pill'; did you mean 'pil'"):
        mv.evaluate(mv.datasets.make_survey(60, seed=1), measures=["pill"])


def test_far_names_are_not_offered() -> None:
    with pytest.raises(UnknownName, match="no method or measure called 'nothing'; there are"):
        mv.methods("nothing")


def test_a_decimal_mark_is_said_as_the_guide_says_it(folder: Path, run: Run) -> None:
    (folder / "doubt.csv").write_text("a;b\n1.000;x\n2.000;y\n")
    run("inspect", "doubt.csv", status=2, match="say --decimal comma or --decimal point")


def test_words_and_members_of_a_parameter_are_offered_together() -> None:
    with pytest.raises(BadInput, match=r"'permute', 'multinomial', 'cart'.*did you mean 'multinomial'"):
        mv.hybrid.MicroHybrid(categories="multinomal")


def test_the_line_of_a_wrong_parameter_is_its_own(folder: Path, run: Run) -> None:
    run("inspect", "survey.csv")
    path = folder / "project.yaml"
    text = path.read_text().replace("categories: multinomial", "categories: multinomal")
    path.write_text(text)
    line = next(i for i, one in enumerate(text.splitlines(), start=1) if "multinomal" in one)
    run("protect", "survey.csv", "--project", "project.yaml", "-o", "o.csv", status=2, match=f"(line {line} of")


def test_a_number_with_leading_zeros_is_refused_in_an_option():
    with pytest.raises(BadInput, match=r"^--set 'k=012' says 012; write 12, or '012' in quotation marks"):
        settings(["k=012"])
    assert settings(["codes=['012']", "k=12"]) == {"codes": ["012"], "k": 12}
