from __future__ import annotations

import pytest

from microveil.core.errors import BadInput
from microveil.core.measured import NotApplicable
from microveil.core.numbers import format_number
from microveil.loss import PIL, InformationLoss, Truncated, YanceyLoss
from tests.reference import mdav


def test_cuts_above_the_cap_only():
    x, y = mdav("eia")
    plain = InformationLoss()(x, y)
    low = Truncated(measure_of=InformationLoss(), cap=1.0)(x, y)
    assert low.value == 1.0
    assert low.bounds == (0.0, 1.0)
    assert f"{format_number(plain.value)} was cut to 1" in low.notes
    high = Truncated(measure_of=InformationLoss(), cap=100.0)(x, y)
    assert high.value == plain.value
    assert high.notes == plain.notes


def test_nested_by_name_and_not_applicable_passes_through():
    wrapped = Truncated(measure_of="yancey-loss")  # type: ignore[arg-type]
    assert wrapped.measure_of == YanceyLoss()
    x, y = mdav("eia")
    assert isinstance(wrapped(x, y, linked=False), NotApplicable)
    assert Truncated.from_spec(Truncated(measure_of=PIL(epsilon=0.01), cap=50).to_spec()).measure_of == PIL(
        epsilon=0.01
    )
    with pytest.raises(BadInput, match=r"cap must be more than 0; 0 was given"):
        Truncated(measure_of=PIL(), cap=0)
