from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from microveil.data import Microdata
from microveil.loss import DistributionDistance
from tests.loss.files import frame_of
from tests.reference import mdav, original


def test_is_the_kolmogorov_smirnov_distance_for_numbers():
    x, y = mdav("census")
    parts = DistributionDistance()(x, y.head(700)).parts
    for name in x:
        assert parts[f"gap[{name}]"] == pytest.approx(ks_2samp(x[name], y[name].head(700)).statistic)


@pytest.mark.parametrize("name", ["census", "eia"])
def test_permuted_columns_are_not_told_apart(name: str):
    generator = np.random.default_rng(1)
    x = original(name)
    y = pd.DataFrame({column: generator.permutation(x[column]) for column in x})
    found = DistributionDistance()(x, y)
    assert found.value == 0
    assert found.parts["Hellinger"] == pytest.approx(0, abs=1e-7)
    assert found.parts["Wasserstein"] == pytest.approx(0, abs=1e-9)


def test_categories_and_shift():
    x = pd.DataFrame({"c": list("uuvv"), "o": [1, 2, 3, 4]})
    data = Microdata(x, kinds={"o": "ordinal", "c": "nominal"})
    found = DistributionDistance()(data, pd.DataFrame({"c": list("uuuw"), "o": [1, 1, 3, 4]}))
    assert found.parts["gap[c]"] == pytest.approx(0.5)
    assert found.parts["gap[o]"] == pytest.approx(0.25)
    numbers = frame_of(np.random.default_rng(2).standard_normal((500, 1)))
    moved = DistributionDistance()(numbers, numbers + 0.5 * numbers.std(ddof=0))
    assert moved.parts["Wasserstein"] == pytest.approx(0.5)


def test_columns_without_values_are_named():
    x = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    found = DistributionDistance()(x, x.assign(b=[np.nan, np.nan]))
    assert found.notes == ("without values in one of the files: b",)
