"""Rules about dates are counted in the file as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.package.audit_files import DataFile
from microveil.package.audit_protection import audit_edits
from microveil.package.known import Known

LINES = "admission,discharge,los\n2025-01-01,2025-01-03,2\n{},2025-01-09,3\n"
KNOWN = Known(edits=("admission <= discharge", "discharge == admission + los"))


@pytest.mark.parametrize(
    ("day", "state", "text"),
    [
        ("2025-01-06", "holds", "2 rules of the data kept by every record"),
        ("2025-01-12", "broken", "1 record breaks the rule 'admission <= discharge'"),
        ("2025", "not checked", "neither numbers nor dates"),
    ],
)
def test_dates_in_a_written_file(tmp_path: Path, day: str, state: str, text: str):
    path = tmp_path / "data.csv"
    path.write_text(LINES.format(day))
    findings = audit_edits(DataFile("data.csv", path, mv.read(path)), KNOWN)
    assert {finding.state for finding in findings} == {state}
    assert any(text in finding.text for finding in findings)
