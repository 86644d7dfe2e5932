from __future__ import annotations

import numpy as np
import pytest

from microveil.partition import MDAV, information_loss
from tests.reference import EIA_AMOUNTS, EIA_COLUMNS, matrix


@pytest.mark.parametrize(
    ("name", "columns", "k", "loss"),
    [
        ("census", None, 3, 5.6922),
        ("census", None, 5, 9.0884),
        ("census", None, 10, 14.1559),
        ("tarragona", None, 3, 16.9326),
        ("tarragona", None, 10, 33.1929),
        ("eia", EIA_COLUMNS, 3, 0.4829),
        ("eia", EIA_COLUMNS, 5, 1.6667),
        ("eia", EIA_COLUMNS, 10, 3.8397),
        ("eia", EIA_AMOUNTS, 3, 0.5919),
        ("eia", EIA_AMOUNTS, 5, 1.5877),
        ("eia", EIA_AMOUNTS, 10, 3.2699),
    ],
)
def test_loss_on_the_reference_files(name, columns, k, loss):
    X = matrix(name, columns)
    assert information_loss(X, MDAV(k=k).labels(X)) == pytest.approx(loss, abs=6e-5)


def test_tarragona_in_fives():
    X = matrix("tarragona")
    # equal distances in this file move the last digits
    assert 22.46165 <= information_loss(X, MDAV(k=5).labels(X)) <= 22.46195


def test_eleven_companies():
    surface = [790, 710, 730, 810, 950, 510, 400, 330, 510, 760, 50]
    employees = [55, 44, 32, 17, 3, 25, 45, 50, 5, 52, 12]
    X = np.column_stack([surface, employees]).astype(float)
    assert information_loss(X, MDAV(k=3).labels(X)) == pytest.approx(54.95, abs=0.005)
    best = np.array([0, 0, 0, 1, 1, 2, 2, 2, 1, 0, 2])
    assert information_loss(X, best) == pytest.approx(34.02, abs=0.005)
