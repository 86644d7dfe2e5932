from __future__ import annotations

import numpy as np
import pytest

from microveil.partition import MDAV, MHM, information_loss
from tests.reference import EIA_COLUMNS, matrix


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize(("name", "columns"), [("census", None), ("tarragona", None), ("eia", EIA_COLUMNS)])
def test_never_worse_than_mdav_on_its_path(name, columns, k):
    X = matrix(name, columns)
    fixed = information_loss(X, MDAV(k=k).labels(X))
    cut = information_loss(X, MHM(k=k, path="mdav").labels(X))
    assert cut <= fixed + 1e-9
    assert cut == pytest.approx(fixed, abs=2e-4)


@pytest.mark.parametrize("path", ["npn", "mdav", "md", "cbfs"])
def test_sizes_vary_from_k_to_2k(path):
    draw = np.random.default_rng(3)
    X = draw.normal(size=(400, 2)) * 0.05 + draw.integers(0, 12, size=(400, 1))
    sizes = np.bincount(MHM(k=4, path=path).labels(X))
    assert sizes.min() >= 4
    assert sizes.max() <= 7


def test_nearest_point_next_suits_clustered_data():
    X = matrix("eia", EIA_COLUMNS)
    assert information_loss(X, MHM(k=5, path="npn").labels(X)) == pytest.approx(0.9990, abs=1e-4)
