from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.data import Microdata
from microveil.loss import SSE
from tests.reference import mdav, original


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [("census", 3, 5.6922), ("census", 5, 9.0884), ("census", 10, 14.1559), ("eia", 3, 0.5919), ("eia", 10, 3.2699)],
)
def test_published_losses_of_microaggregation(name: str, k: int, expected: float):
    assert SSE()(*mdav(name, k)).value == pytest.approx(expected, abs=5e-5)


def test_identity_and_the_mean_of_all():
    x = original("census")
    assert SSE()(x, x).value == 0
    everyone = pd.DataFrame(np.broadcast_to(x.mean(), x.shape), columns=x.columns)
    assert SSE()(x, everyone).value == pytest.approx(100)


def test_group_means_lose_what_is_not_between_groups():
    x = original("eia").head(900)
    y = x.groupby(np.arange(900) // 9).transform("mean")
    z = (x - x.mean()) / x.std()
    between = float((((y - x.mean()) / x.std()) ** 2).to_numpy().sum() / (z**2).to_numpy().sum())
    assert SSE()(x, y).value == pytest.approx(100 * (1 - between))
    raw = SSE(standardise=None)(x, y).parts
    assert raw["SSE"] == pytest.approx(((x - y) ** 2).to_numpy().sum())
    assert raw["SST"] == pytest.approx(((x - x.mean()) ** 2).to_numpy().sum())


def test_mixed_kinds():
    data = Microdata(
        pd.DataFrame({"age": [1, 2, 2, 4], "town": ["a", "a", "b", "c"]}), kinds={"age": "ordinal", "town": "nominal"}
    )
    released = pd.DataFrame({"age": [2, 2, 2, 2], "town": ["a", "a", "a", "a"]})
    parts = SSE()(data, released).parts
    # three categories: steps of 1/3; the lower median is 2, the mode a
    assert parts["SSE"] == pytest.approx(2 / 9 + 2)
    assert parts["loss[age]"] == pytest.approx(100)
    assert parts["loss[town]"] == pytest.approx(100)


def test_hierarchies_soften_the_distance_of_categories():
    towns = ["x1", "x2", "y1", "x1"]
    levels = {"x1": ("x", "all"), "x2": ("x", "all"), "y1": ("y", "all")}
    data = Microdata(pd.DataFrame({"town": towns}), kinds={"town": "nominal"}, hierarchies={"town": levels})
    near = SSE()(data, pd.DataFrame({"town": ["x2", "x2", "y1", "x1"]})).parts["SSE"]
    far = SSE()(data, pd.DataFrame({"town": ["y1", "x2", "y1", "x1"]})).parts["SSE"]
    assert 0 < near < far


def test_missing_and_constant_values():
    x = pd.DataFrame({"a": [1.0, 2.0, 3.0], "c": [5.0, 5.0, 5.0]})
    y = x.assign(a=[1.0, np.nan, 3.0])
    found = SSE()(x, y)
    assert found.value == 0
    assert found.notes == ("1 numbers missing in one of the files were left out",)
    assert SSE()(x[["c"]], x[["c"]] + 1).value == 100
