"""A figure that is no share of the records never becomes the worst case, nor hides one."""

from __future__ import annotations

import pytest

from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.plan.worst_case import worst_case
from microveil.risk import DistanceLinkage


@pytest.mark.parametrize("value", [float("nan"), 250.0, float("inf"), -1.0])
def test_what_is_no_share_is_refused(value):
    sound = (DistanceLinkage(), Measured("distance-linkage", 100.0, "lower", (0.0, 100.0)))
    odd = (DistanceLinkage(), Measured("distance-linkage", value, "lower", (0.0, 100.0)))
    assert worst_case([sound], 10).value == 100
    with pytest.raises(BadInput, match="a share lies between 0 and 100: correct the measure"):
        worst_case([sound, odd], 10)
