from __future__ import annotations

import numpy as np
import pytest

from microveil.partition import MST, information_loss
from tests.reference import matrix


@pytest.mark.parametrize(
    ("name", "k", "loss"),
    [
        ("tarragona", 3, 16.63),
        ("tarragona", 5, 24.51),
        ("census", 3, 6.13),
        ("census", 5, 10.30),
        ("census", 10, 17.17),
    ],
)
def test_loss_on_the_reference_files(name, k, loss):
    X = matrix(name)
    assert information_loss(X, MST(k=k).labels(X)) == pytest.approx(loss, abs=0.006)


@pytest.mark.parametrize("refinement", ["diameter", "centroid"])
def test_refinement_lowers_the_loss(refinement):
    X = matrix("tarragona")
    whole = MST(k=5, refinement="none").labels(X)
    split = MST(k=5, refinement=refinement).labels(X)
    assert np.bincount(whole).max() >= 10
    assert np.bincount(split).max() <= 9
    assert information_loss(X, split) < information_loss(X, whole)
