"""What microveil does is what was recorded, or a reviewed difference (`python -m tests.frozen accept`)."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.frozen import _frame

PARTS = _frame.part_names()
QUICK = {part: getattr(_frame.load_part(part), "QUICK", 1) for part in PARTS}


def _check(part: str, sample: int) -> None:
    for package in getattr(_frame.load_part(part), "NEEDS", ()):
        pytest.importorskip(package, reason=f"the record was made with the optional package {package}")
    others = _frame.other_versions(part)
    if others:
        pytest.skip(f"recorded with other versions of libraries: {'; '.join(others)}")
    # in a process of its own: other tests may have registered classes in this one
    command = [sys.executable, "-m", "tests.frozen", "compare", "--sample", str(sample), part]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.long] * (QUICK[part] != 1)) for part in PARTS if QUICK[part]]
)
def test_nothing_recorded_has_changed(part: str) -> None:
    _check(part, QUICK[part])


@pytest.mark.full
@pytest.mark.parametrize("part", [part for part in PARTS if QUICK[part] not in (1, None)])
def test_nothing_recorded_has_changed_anywhere(part: str) -> None:
    _check(part, 1)


def test_every_accepted_difference_has_a_reason() -> None:
    found = tomllib.loads(_frame.ACCEPTED.read_text(encoding="utf-8"))
    assert set(found) <= {"accepted"}
    assert all(one["part"] in PARTS and one["reason"].strip() and one["changes"] for one in found["accepted"])


def test_no_part_is_lost() -> None:
    assert {"surface", "schemas", "help", "marks", "projects", "tampers", "transcripts"} <= set(PARTS)
