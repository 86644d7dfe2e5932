from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.loss import InformationLoss
from tests.reference import masked_pair, mdav

X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 6.0], "b": [2.0, 2.0, 4.0, 8.0]})
Y = pd.DataFrame({"a": [2.0, 2.0, 3.0, 5.0], "b": [2.0, 4.0, 4.0, 6.0]})


def test_hand_example():
    found = InformationLoss()(X, Y)
    # means 3, 4 and 3, 4; variances 3.5, 6 and 1.5, 2; covariances 4.5 and 1.5 (divisor n)
    assert found.parts["IL1"] == pytest.approx((1 + 1 / 6 + 1 + 2 / 8) / 8)
    assert found.parts["IL2"] == 0
    assert found.parts["IL3"] == pytest.approx((2 / 3.5 + 4 / 6) / 2)
    assert found.parts["IL4"] == pytest.approx((2 / 3.5 + 4 / 6 + 3 / 4.5) / 3)
    assert found.parts["IL5"] == pytest.approx(abs(4.5 / np.sqrt(21) - 1.5 / np.sqrt(3)))
    assert found.value == pytest.approx(20 * sum(found.parts.values()))


def test_table_form_leaves_the_variances_out_of_the_covariances():
    assert InformationLoss(form="table")(X, Y).parts["IL4"] == pytest.approx(3 / 4.5)


@pytest.mark.parametrize("which", ["noise20", "mdav5"])
def test_values_agree_with_another_tool(which: str):
    x, y, figures = masked_pair(which)
    assert 100 * x.size * InformationLoss()(x, y).parts["IL1"] == pytest.approx(figures["IL1"], rel=1e-9)


def test_zeros_are_counted_and_reported():
    x, y = mdav("eia")
    assert "1257 of 40920 values that are 0 (699 of them changed) were left out" in InformationLoss()(x, y).notes


def test_a_zero_that_became_large_is_never_silent():
    x = pd.DataFrame({"a": [0.0, 1.0, 2.0, 4.0]})
    y = pd.DataFrame({"a": [1e6, 1.0, 2.0, 4.0]})
    skipped = InformationLoss()(x, y)
    assert skipped.parts["IL1"] == 0
    assert "1 of 4 values that are 0 (1 of them changed) were left out" in skipped.notes
    assert InformationLoss(zeros="one")(x, y).parts["IL1"] == 0.25
    assert InformationLoss(zeros="scale")(x, y).parts["IL1"] == pytest.approx(1e6 / x["a"].std(ddof=0) / 4)


def test_cap_truncates_cells_and_says_so():
    x = pd.DataFrame({"a": [1.0, 1.0, 2.0, 4.0]})
    y = pd.DataFrame({"a": [1.5, 9.0, 2.0, 4.0]})
    found = InformationLoss(cap=1.0)(x, y)
    assert found.parts["IL1"] == (0.5 + 1) / 4
    assert "1 of 4 relative changes of values were cut to 1" in found.notes


def test_a_mean_that_is_zero_up_to_rounding_is_zero():
    x = pd.DataFrame({"a": np.random.default_rng(1).standard_normal(500), "b": np.arange(500.0)})
    x["a"] -= x["a"].mean()
    found = InformationLoss()(x, x + 0.001)
    assert found.parts["IL2"] < 1e-3
    assert "1 of 2 means that are 0 (1 of them changed) were left out" in found.notes
