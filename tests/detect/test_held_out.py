"""Detectors on columns they were not made with, and on the reference files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.roles import measured

import microveil as mv
from tests.reference import shared_file

PAGE = Path(__file__).resolve().parents[2] / "docs" / "roles.md"
LEAST_FOUND, MOST_ALARMS = 95.0, 5.0


@pytest.mark.long
def test_held_out_columns_are_found_and_others_left_alone() -> None:
    rows = measured(2, seed=77)
    found, alarms = (
        [[share for share in row.values() if isinstance(share, float)] for row in rows if row["identifies"] == one]
        for one in ("yes", "no")
    )
    assert np.mean(found) >= LEAST_FOUND
    assert np.mean(alarms) <= MOST_ALARMS


def test_the_page_tells_of_that_level() -> None:
    lines = re.findall(
        r"^\| [^|]+ \| (yes|no) \| (\d+) % \| (\d+) % \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(lines) > 50
    for which, good in (("yes", lambda share: share >= LEAST_FOUND), ("no", lambda share: share <= MOST_ALARMS)):
        assert good(np.mean([(int(told), int(nothing)) for one, told, nothing in lines if one == which]))


@pytest.mark.parametrize(
    ("file", "identifiers"),
    [
        ("census.csv", []),
        ("eia.csv", ["UTILITYID", "UTILNAME"]),
        ("francdat.csv", []),
        ("free1.csv", []),
        ("tarragona.csv", []),
        ("testdata.csv", ["ori_hid"]),
        ("thyroid.csv", ["id"]),
        ("adult/adult.csv.gz", []),
    ],
)
def test_identifiers_of_the_reference_files(file: str, identifiers: list[str]) -> None:
    roles = mv.inspect(mv.read(shared_file("data", *file.split("/")))).roles
    assert [name for name, role in roles.items() if role == "identifier"] == identifiers
