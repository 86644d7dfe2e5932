"""The rules of a project: read with their lines, written back, and taken to the data."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownColumn
from microveil.plan import Project

HEAD = "version: 1\ndataset: {path: a.csv}\ncolumns:\n  sex: {kind: nominal}\n  rent: {kind: continuous}\n"


def test_rules_are_facts_of_the_data_and_are_written_back(tmp_path: Path):
    (tmp_path / "a.csv").write_text("sex,rent,income\nf,2.5,3.5\nm,1.25,-1.5\n")
    project = Project.from_text(HEAD + "constraints:\n- rent >= 0\n- rent <= 0.9 * income\n")
    assert project.facts["edits"] == ["rent >= 0", "rent <= 0.9 * income"]
    assert Project.from_text(project.to_text()) == project
    data = project.read(tmp_path)
    assert [str(edit) for edit in data.edits] == list(project.constraints)
    assert {str(edit): rows.tolist() for edit, rows in data.broken_edits().items()} == {"rent <= 0.9 * income": [1]}
    assert mv.plan.tell_broken_rules(data) == [
        "The rule 'rent <= 0.9 * income' is broken by 1 record of the original: row 2."
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- rent >= 0\n- rent * rent >= 0\n", r"'rent \* rent >= 0' is not linear .* \(line 8 of the project\)"),
        ("- rent: 0\n", r"is no text; .* \(line 7 of the project\)"),
        ("rent >= 0\n", r"constraints is a list of rules; begin each with a dash: - income >= 0 \(line 6"),
        ("- sex >= 0\n", r"is about 'sex', which is nominal; .* \(line 7 of the project\)"),
    ],
)
def test_a_rule_that_is_none_is_told_with_its_line(text, message):
    with pytest.raises(BadInput, match=message):
        Project.from_text(HEAD + "constraints:\n" + text if text.startswith("-") else HEAD + "constraints: " + text)


def test_a_column_that_the_data_lack_is_told_with_the_line_of_the_rule(tmp_path: Path):
    (tmp_path / "a.csv").write_text("sex,rent\nf,2.5\nm,1.25\n")
    with pytest.raises(UnknownColumn, match=r"there is no column 'rents'.*\(line 8 of the project\)"):
        Project.from_text(HEAD + "constraints:\n- rent >= 0\n- rents >= 0\n").read(tmp_path)


def test_a_project_without_rules_says_what_may_stand_there():
    assert "# constraints:\n# - income >= 0\n" in Project("a.csv").to_text()
