"""Audit of a file whose project states an identifier: it must not be there."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.package import audit

PROJECT = """
version: 1
dataset: {path: people.csv}
columns:
  person: {role: identifier, kind: nominal}
  town: {role: key, kind: nominal}
"""


@pytest.mark.parametrize(("rows", "sound"), [("person,town\nann,x\nbob,y\n", False), ("town\nx\ny\n", True)])
def test_an_identifier_that_is_stated_and_there_breaks_the_audit(tmp_path: Path, rows: str, sound: bool):
    (tmp_path / "project.yaml").write_text(PROJECT)
    (tmp_path / "released.csv").write_text(rows)
    found = audit(tmp_path / "released.csv", project=tmp_path / "project.yaml")
    broken = [one.text for one in found.broken]
    assert broken == ([] if sound else ["released.csv: the column 'person' is an identifier, and has values."])
