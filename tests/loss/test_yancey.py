from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.measured import NotApplicable
from microveil.loss import YanceyLoss
from tests.reference import masked_pair, original


@pytest.mark.parametrize("which", ["noise20", "mdav5"])
def test_agrees_with_another_tool(which: str):
    x, y, figures = masked_pair(which)
    found = YanceyLoss()(x, y)
    assert found.value == pytest.approx(figures["IL1old"], rel=1e-9)
    assert found.value * x.size == pytest.approx(figures["IL1s"], rel=1e-9)


def test_shift_of_root_two_standard_deviations_is_one():
    x = original("census")
    assert YanceyLoss()(x, x + np.sqrt(2) * x.std()).value == pytest.approx(1)
    assert YanceyLoss()(x, x).value == 0


def test_constant_columns_are_left_out_and_named():
    x = pd.DataFrame({"a": [1.0, 2.0, 4.0], "c": [3.0, 3.0, 3.0]})
    found = YanceyLoss()(x, x + 1)
    assert list(found.parts) == ["change[a]"]
    assert found.notes == ("constant columns have no spread to compare with and are left out: c",)
    assert isinstance(YanceyLoss()(x[["c"]], x[["c"]]), NotApplicable)
