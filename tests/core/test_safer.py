"""What a parameter declares to protect more."""

from __future__ import annotations

import pytest

from microveil.core.limits import Range
from microveil.core.parameters import Safer


@pytest.mark.parametrize(
    ("safer", "value", "limits", "expected"),
    [
        (Safer("twice"), 3, Range(ge=2), 6),
        (Safer("twice"), 0.3, Range(ge=0, le=10), 0.6),
        (Safer("twice"), 60, Range(le=100), 100),
        (Safer("twice"), 100, Range(le=100), None),
        (Safer("twice"), 0.6, Range(lt=1), None),
        (Safer("twice"), 0.0, Range(ge=0), None),
        (Safer("twice", start=0.5), 0.0, Range(ge=0), 0.5),
        (Safer("half"), 0.8, None, 0.4),
        (Safer("half"), 5, Range(ge=1), 2),
        (Safer("half"), 1, Range(ge=1), None),
        (Safer("ten times"), 10.0, Range(gt=0), 100.0),
        (Safer("one more"), {"a": 1, "b": 0}, Range(ge=0), {"a": 2, "b": 1}),
        (Safer("one more"), 0, Range(ge=0), 1),
        (Safer("twice"), None, Range(ge=2), None),
        (Safer("twice"), True, None, None),
    ],
)
def test_the_safer_value(safer, value, limits, expected):
    found = safer.than(value, limits)
    assert found == expected
    assert type(found) is type(expected)
