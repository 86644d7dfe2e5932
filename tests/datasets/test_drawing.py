from __future__ import annotations

import numpy as np
import pytest

from microveil.core.streams import Key, Streams
from microveil.datasets.drawing import Draws


@pytest.fixture
def draws() -> Draws:
    return Draws(Streams(Key.of(7)), 60_000)


def test_choice_follows_its_weights(draws):
    shares = np.bincount(draws.choice([1, 0, 3], "a"), minlength=3) / draws.n
    assert shares == pytest.approx([0.25, 0, 0.75], abs=0.01)


def test_choice_by_follows_the_row_of_each_record(draws):
    table = [[1, 1, 0], [0, 0, 1], [0, 1, 0]]
    rows = np.arange(draws.n) % 3
    codes = draws.choice_by(table, rows, "a")
    assert set(codes[rows == 0]) == {0, 1}
    assert set(codes[rows == 1]) == {2}
    assert set(codes[rows == 2]) == {1}


def test_heavy_tail_is_pareto_above_one(draws):
    factor = draws.heavy_tail(0.1, 2.0, "a")
    tail = factor[factor > 1]
    assert len(tail) / draws.n == pytest.approx(0.1, abs=0.006)
    # P(factor > 2 | tail) = 2^-2
    assert (tail > 2).mean() == pytest.approx(0.25, abs=0.03)


def test_names_have_their_own_streams(draws):
    assert abs(np.corrcoef(draws.normal("a"), draws.normal("b"))[0, 1]) < 0.02
    assert (draws.normal("a") == draws.normal("a")).all()
