from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.measured import NotApplicable
from microveil.loss import EntropyLoss
from microveil.loss.entropy import conditional_entropy

X = pd.DataFrame({"c": list("uuvvwwww")})


def test_identity_recoding_and_relabelling():
    assert EntropyLoss()(X, X).value == 0
    assert EntropyLoss()(X, X.assign(c="all")).value == pytest.approx(100)
    # who knows the recoding loses nothing by other names
    assert EntropyLoss()(X, X.replace({"u": "x", "v": "y"})).value == 0


def test_partial_recoding_by_hand():
    found = EntropyLoss()(X, X.replace({"u": "uv", "v": "uv"}))
    # one bit for the four records of u and v; 1.5 bits per record in the original
    assert found.parts["EBIL"] == pytest.approx(4)
    assert found.value == pytest.approx(100 * 4 / (8 * 1.5))


def test_suppression_to_missing():
    found = EntropyLoss()(X, X.assign(c=[None, "u", None, "v", *"wwww"]))
    assert found.parts["EBIL"] == pytest.approx(2)


def test_random_exchange_matches_the_channel():
    generator = np.random.default_rng(1)
    v = generator.integers(0, 2, 200_000)
    w = np.where(generator.random(200_000) < 0.1, 1 - v, v)
    expected = -(0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
    assert conditional_entropy(v, w)[0] == pytest.approx(expected, rel=0.01)


def test_constant_columns():
    found = EntropyLoss()(X.assign(d="k"), X.assign(d="k"))
    assert found.notes == ("constant columns are left out: d",)
    assert isinstance(EntropyLoss()(X.assign(c="k"), X), NotApplicable)
    assert isinstance(EntropyLoss()(X, X, linked=False), NotApplicable)
