"""The plain counts judge every example of a claim as the claim says it must be judged."""

from __future__ import annotations

import math

import pytest

from microveil.claims import registered_claims
from microveil.testing.claims import examples_of
from microveil.testing.recounts import _COMPARED, _RELEASED, recount_released

RELEASED = [cls for cls in registered_claims() if cls in _RELEASED]
COMPARED = [cls for cls in registered_claims() if cls in _COMPARED]


def plain(column):
    return [None if math.isnan(value) else value for value in column.tolist()]


def cases(classes):
    return [
        pytest.param(one, id=f"{cls.__name__}: {one.what}")
        for cls in classes
        for one in examples_of(cls)
        if not one.evidence.half_unit.any() and one.evidence.origin.size
    ]


def test_the_claims_that_can_be_counted_are_known():
    assert len(RELEASED) == len(_RELEASED) == 12
    assert len(COMPARED) == len(_COMPARED) == 4


@pytest.mark.parametrize("one", cases(RELEASED))
def test_released_values_are_counted_as_the_example_says(one):
    evidence = one.evidence
    columns = dict(zip(evidence.columns, map(plain, evidence.released), strict=True))
    was_gap = {
        name: [row >= 0 and math.isnan(before[row]) for row in evidence.origin.tolist()]
        for name, before in zip(evidence.columns, evidence.original, strict=True)
    }
    assert recount_released(one.claim, columns, was_gap) in (one.holds, None)


@pytest.mark.parametrize("one", cases(COMPARED))
def test_comparisons_are_counted_as_the_example_says(one):
    counted = _COMPARED[type(one.claim)]
    pairs = zip(map(plain, one.evidence.original), map(plain, one.evidence.released), strict=True)
    assert all(counted(before, after) for before, after in pairs) is one.holds
