from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.data import Microdata
from microveil.loss import ValueChange
from tests.reference import masked_pair, original


@pytest.mark.parametrize("which", ["noise20", "mdav5"])
def test_raw_units_agree_with_another_tool(which: str):
    x, y, figures = masked_pair(which)
    found = ValueChange(standardise=False)(x, y)
    assert found.value == pytest.approx(figures["IL_variables"], rel=1e-9)
    for name, expected in figures["IL_variables_by"].items():
        assert found.parts[f"change[{name}]"] == pytest.approx(expected, rel=1e-9)


def test_standardised_form_discriminates():
    x, y, _ = masked_pair("noise20")
    assert ValueChange()(x, y).value == pytest.approx(0.1, abs=0.01)
    assert ValueChange()(x, x).value == 0
    whole = original("census").round().astype(int)
    assert ValueChange()(whole, y).value > 0  # whole numbers on one side only


def test_kinds_and_suppression():
    data = Microdata(
        pd.DataFrame({"n": [1.0, 2.0, 3.0, 4.0], "o": [1, 2, 3, 5], "c": ["u", "u", "v", "w"]}),
        kinds={"o": "ordinal", "c": "nominal"},
    )
    released = pd.DataFrame({"n": [1.0, 2.0, 3.0, np.nan], "o": [5, 2, 2, 5], "c": ["u", None, "w", "w"]})
    found = ValueChange()(data, released)
    assert found.parts["change[n]"] == pytest.approx(1 / 4)
    assert found.parts["change[o]"] == pytest.approx((1 + 1 / 3) / 4)
    assert found.parts["change[c]"] == pytest.approx(2 / 4)
    assert found.notes == ("2 cells missing in one of the files count as 1",)
