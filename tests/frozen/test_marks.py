"""Releases under a key are the numbers they were: a redesign moves none of them unnoticed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.frozen._frame import recorded
from tests.frozen.marks import cases, marks_of

KNOWN: dict[str, Any] = recorded("marks")
CASES = {name: (plan, data) for name, plan, data in cases()}


def test_every_known_release_is_still_tried() -> None:
    assert set(KNOWN) == set(CASES), "python -m tests.frozen accept marks records new members"


def parameters() -> Iterator[Any]:
    """Yield the first setting of every class and all plans; further settings are in make test-full."""
    for name in sorted(CASES):
        first = name.startswith("plan: ") or name.partition(":")[0].endswith(" 0")
        yield pytest.param(name, marks=() if first else pytest.mark.full)


@pytest.mark.parametrize("name", list(parameters()))
def test_release_is_the_same_numbers(name: str) -> None:
    if name not in KNOWN:
        pytest.fail("a new member: python -m tests.frozen accept marks records it")
    found, known = marks_of(*CASES[name]), KNOWN[name]
    assert found.keys() == known.keys()
    for column, marks in found.items():
        assert marks == known[column] or np.allclose(marks, known[column], rtol=1e-7, atol=1e-7), column
