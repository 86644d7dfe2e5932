"""Files that others made: what can be checked is, and every check that could not be made is said."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from microveil.cli import main
from microveil.package import audit

UNCHECKED = ["certificate", "composition", "scenarios", "weights", "published", "promises", "search"]


def frame() -> pd.DataFrame:
    """Records in an order that says nothing."""
    return pd.DataFrame({"sex": [1, 2, 2, 1] * 10, "pay": [(37 * i * i + 11) % 101 + 0.5 for i in range(40)]})


def write(folder, ending: str):
    path = folder / f"survey.{ending}"
    frame().to_csv(path, index=False) if ending == "csv" else frame().to_excel(path, index=False)
    return path


def states(found) -> dict[str, list[str]]:
    kinds = ("holds", "broken", "undecided", "note", "not checked")
    return {state: [one.check for one in found.findings if one.state == state] for state in kinds}


def test_a_folder_with_a_csv_file_and_nothing_else(tmp_path):
    write(tmp_path, "csv")
    found = audit(tmp_path)
    assert states(found) == {
        "holds": ["files", "strangers", "identifiers", "traces", "search"],
        "broken": [],
        "undecided": ["protection"],
        "note": ["codebook"],
        "not checked": UNCHECKED,
    }
    assert "7 checks could not be made" in found.line


def test_a_folder_with_a_workbook_and_nothing_else(tmp_path):
    write(tmp_path, "xlsx")
    found = audit(tmp_path)
    assert states(found)["not checked"] == UNCHECKED
    assert [one.text for one in found.broken] == []


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_one_file_alone(tmp_path, ending):
    path = write(tmp_path, ending)
    (tmp_path / "staff.csv").write_text("name\nJane\n")  # none of its business
    found = audit(path)
    assert not found.broken
    assert states(found)["not checked"] == ["certificate", "composition", "codebook", *UNCHECKED[2:]]
    assert "staff" not in str(found)


def test_with_the_original_more_is_checked(tmp_path):
    original = tmp_path / "original.csv"
    frame().assign(pay=frame()["pay"] + 3).to_csv(original, index=False)
    found = audit(write(tmp_path, "csv"), original=original, words=["canary"])
    assert "search" not in states(found)["not checked"]
    assert "of the source" not in str(found)


def test_columns_that_look_like_identifiers_are_told(tmp_path):
    people = frame().assign(email=[f"p{i}@example.org" for i in range(40)])
    people.to_csv(tmp_path / "data.csv", index=False)
    told = [one.text for one in audit(tmp_path).findings if one.check == "identifiers"]
    assert len(told) == 1
    assert told[0].startswith("data.csv: the column 'email' looks like an identifier (")


@pytest.mark.parametrize("name", ["data.bin", "data.csv"])
def test_a_file_that_is_none_of_data_is_told(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    found = audit(tmp_path / name)
    assert not found.ok
    assert f"{name} cannot be read" in str(found)


def test_who_trusts_keys_gets_no_answer_from_one_file(tmp_path):
    assert "one file was given; give the folder" in str(audit(write(tmp_path, "csv"), trusted=[]).broken[0])


def test_the_command_takes_one_file(tmp_path, monkeypatch, capsys):
    path = write(tmp_path, "csv")
    monkeypatch.setattr(sys, "argv", ["microveil", "audit", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "UNDECIDED: no fault in" in capsys.readouterr().out
