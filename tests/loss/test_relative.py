"""Relative changes, and what becomes of a zero."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.loss.relative import RelativeChange

BEFORE, AFTER = np.array([10.0, 0.0, 0.0, -4.0]), np.array([11.0, 0.0, 3.0, -1.0])


@pytest.mark.parametrize(
    ("zeros", "expected"),
    [
        ("skip", (0.1 + 0.75) / 2),
        ("one", (0.1 + 0 + 1 + 0.75) / 4),
        ("scale", (0.1 + 0 + 3 / 2 + 0.75) / 4),
    ],
)
def test_the_three_ways(zeros, expected: float):
    change = RelativeChange(zeros)
    assert change.mean("cells", BEFORE, AFTER, 2.0) == pytest.approx(expected)
    (note,) = change.notes()
    assert note.startswith("2 of 4 cells that are 0 (1 of them changed)")


def test_a_cap_cuts_and_is_told():
    change = RelativeChange("skip", cap=0.5)
    assert change.mean("cells", BEFORE, AFTER, 2.0) == pytest.approx((0.1 + 0.5) / 2)
    assert change.notes()[1] == "1 of 4 relative changes of cells were cut to 0.5"


def test_what_is_rounding_is_no_change():
    assert RelativeChange("one").mean("cells", np.array([1e-14]), np.array([2e-14]), 1.0) == 0
