from __future__ import annotations

import numpy as np
import pytest

from microveil.partition import MuApprox, information_loss
from tests.reference import EIA_COLUMNS, matrix


@pytest.mark.parametrize(
    ("name", "columns", "k", "loss"),
    [
        ("census", None, 3, 6.26),
        ("census", None, 5, 10.37),
        ("census", None, 10, 17.20),
        ("eia", EIA_COLUMNS, 3, 0.409),
        ("eia", EIA_COLUMNS, 5, 0.817),
        ("eia", EIA_COLUMNS, 10, 2.271),
    ],
)
def test_loss_on_the_reference_files(name, columns, k, loss):
    X = matrix(name, columns)
    # the method leaves open where a tree is cut first; choices move the loss by a few per cent
    assert information_loss(X, MuApprox(k=k).labels(X)) == pytest.approx(loss, rel=0.025)


@pytest.mark.parametrize(("k", "groups"), [(7, 121), (10, 87), (15, 54), (20, 42)])
def test_number_of_groups_on_four_columns(k, groups):
    X = matrix("census", ["FICA", "FEDTAX", "INTVAL", "POTHVAL"])
    assert abs(MuApprox(k=k).labels(X).max() + 1 - groups) <= 1


def test_row_order_changes_only_the_order():
    X = np.random.default_rng(1).normal(size=(60, 3))
    # a well separated file: each cluster is one tree and one group whatever the order
    X = X * 0.01 + np.repeat(np.arange(20.0), 3)[:, None]
    shuffled = np.random.default_rng(2).permutation(60)
    labels, again = MuApprox(k=3).labels(X), MuApprox(k=3).labels(X[shuffled])
    assert len({(a, b) for a, b in zip(labels[shuffled], again, strict=True)}) == 20
