from __future__ import annotations

import numpy as np
import pytest

from microveil.partition import MDAV, VMDAV, information_loss
from tests.reference import matrix

TWO_CLUSTERS = [
    (2.4, 3), (1.68, 4.9), (3.18, 5.54), (5.32, 3.6),
    (18.68, 11.49), (20.14, 9.56), (19.85, 10.33), (21.28, 10.9), (23, 11.5),
]  # fmt: skip


@pytest.mark.parametrize(("gamma", "loss"), [(0.2, 5.6619), (1.1, 7.0649)])
def test_census(gamma, loss):
    X = matrix("census")
    assert information_loss(X, VMDAV(k=3, gamma=gamma).labels(X)) == pytest.approx(loss, abs=6e-5)


@pytest.mark.parametrize("gamma", [0.2, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("scale", ["zscore", None])
def test_two_clusters_stay_apart(gamma, scale):
    assert VMDAV(k=3, gamma=gamma, standardise=scale).labels(TWO_CLUSTERS).tolist() == [0] * 4 + [1] * 5
    mixed = MDAV(k=3, standardise=scale).labels(TWO_CLUSTERS)
    assert any(len(set(mixed[:4][mixed[:4] == g])) and g in mixed[4:] for g in mixed[:4])


def test_split_keeps_groups_below_2k():
    draw = np.random.default_rng(4)
    sizes = []
    for _ in range(60):
        X = draw.normal(size=(int(draw.integers(20, 40)), 2))
        whole, split = (np.bincount(VMDAV(k=4, gamma=2.0, split=split).labels(X)) for split in (False, True))
        sizes.append(whole.max())
        assert split.min() >= 4
        assert split.max() <= 7
    assert max(sizes) > 7  # the case does occur
