from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import information_loss


def test_extremes():
    X = np.random.default_rng(1).normal(size=(20, 3))
    assert information_loss(X, np.zeros(20, dtype=int)) == pytest.approx(100.0)
    assert information_loss(X, np.arange(20)) == pytest.approx(0.0)
    assert information_loss(np.ones((4, 2)), [0, 0, 1, 1]) == 0.0


def test_by_hand():
    # within 2 x 0.5, total 50
    assert information_loss([1.0, 2.0, 8.0, 9.0], [7, 7, -3, -3], standardise=None) == pytest.approx(2.0)


def test_units_do_not_matter_once_standardised():
    X = np.random.default_rng(1).normal(size=(20, 2))
    labels = np.repeat(np.arange(5), 4)
    assert information_loss(X * [1000.0, 1.0], labels) == pytest.approx(information_loss(X, labels))
    changed = information_loss(X * [1000.0, 1.0], labels, standardise=None)
    assert changed != pytest.approx(information_loss(X, labels, standardise=None))


def test_labels_must_fit():
    with pytest.raises(BadInput, match="give one whole number per record"):
        information_loss(np.zeros((3, 1)), [0, 1])
    with pytest.raises(BadInput, match="give one whole number per record"):
        information_loss(np.zeros((2, 1)), [0.5, 1.0])
