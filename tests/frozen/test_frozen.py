"""What microveil does is what was recorded, or a reviewed difference (`python -m tests.frozen accept`)."""

from __future__ import annotations

import tomllib

import pytest

from tests.frozen import _frame

PARTS = _frame.part_names()
QUICK = {part: getattr(_frame.load_part(part), "QUICK", 1) for part in PARTS}


def _check(part: str, sample: int) -> None:
    for package in getattr(_frame.load_part(part), "NEEDS", ()):
        pytest.importorskip(package, reason=f"the record was made with the optional package {package}")
    found = [str(one) for one in _frame.differences(part, sample)]
    assert not found, "python -m tests.frozen accept records a reviewed difference with its reason"


@pytest.mark.parametrize("part", [part for part in PARTS if QUICK[part]])
def test_nothing_recorded_has_changed(part: str) -> None:
    _check(part, QUICK[part])


@pytest.mark.slow
@pytest.mark.parametrize("part", [part for part in PARTS if QUICK[part] not in (1, None)])
def test_nothing_recorded_has_changed_anywhere(part: str) -> None:
    _check(part, 1)


def test_every_accepted_difference_has_a_reason() -> None:
    accepted = tomllib.loads(_frame.ACCEPTED.read_text(encoding="utf-8")).get("accepted", [])
    assert all(one["reason"].strip() and one["changes"] for one in accepted)
