"""Ranges that span their classes give exact values away; ranges of a codebook do not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from microveil.attack import Downcoding
from microveil.attack.claims import Claims, Holds, guess_amounts, guess_held, judge
from microveil.mask import GlobalRecode, KAnonymise


def incomes_and_towns(rows: int = 300, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table({"income": draw.integers(0, 10**6, rows).astype(float), "town": draw.choice(list("abcdef"), rows)})


def test_claims_about_cells_that_nobody_tells_apart():
    claims = Claims(np.array([3, 5, -1, 7]), np.array([True, True, False, True]), np.array([0, 0, 0, 1]))
    holds, counts = Holds(np.array([3, 6]), np.array([5, 7])), np.array([0, 0, 0, 1, 9, 1, 5, 1])
    truth = np.array([5, 4, 3, 6])
    guessed = guess_held(np.array([0, 0, 0, 1]), holds, counts, claims, truth)
    # 4 is the commonest of 3 to 5 and one of the others comes with it, all of which are there; 6 of 6 and 7
    assert guessed.tolist() == [1.0, 1.0, 0.0, 1.0]
    judged = judge(claims, truth, guessed)
    assert judged.right.tolist() == [1.0, 1.0, 0.0, 0.0]  # 3 and 5 are there, whosever they are
    # three different amounts of ten, and one of four
    assert guess_amounts(np.array([10.0, 10.0, 10.0, 4.0]), claims, truth).tolist() == [0.3, 0.3, 0.0, 0.25]


def test_two_of_each_class_by_hand():
    """Eight amounts in classes of two: both ends of each range are known, so every cell has its exact value."""
    data = pa.table({"x": [1.0, 2.0, 11.0, 12.0, 21.0, 22.0, 31.0, 32.0]})
    release = KAnonymise(k=2).apply(data, columns=["x"], seed=1)
    found = Downcoding()(data, release)
    assert found.parts["certain"] == found.parts["right"] == 100.0
    assert found.parts["precision"] == 1.0


@pytest.mark.parametrize("k", [2, 5, 10])
def test_ends_of_ranges_are_values_of_somebody(k):
    data = incomes_and_towns()
    release = KAnonymise(k=k).apply(data, columns=["income"], seed=1)
    ranges = release.frame["income"].to_pylist()
    found = Downcoding()(data, release)
    assert found.parts["precision"] == 1.0
    # two of each class, by its range
    assert found.parts["certain"] == pytest.approx(100 * 2 * len(set(ranges)) / len(ranges))
    assert found.value > 0.95 * found.parts["certain"]  # hardly any of a million amounts is met by guessing


def test_sets_of_categories_hold_values_of_somebody():
    data = incomes_and_towns()
    found = Downcoding()(data, KAnonymise(k=4).apply(data, columns=["income", "town"], seed=1))
    assert found.parts["precision"] == 1.0


def test_ranges_of_a_codebook_say_no_more():
    data = incomes_and_towns()
    recoded = GlobalRecode(cuts={"income": [250_000, 500_000]}).apply(data, columns=["income"], seed=1)
    assert "does not show what its classes span" in Downcoding()(data, recoded).reason


def test_what_it_needs_to_know():
    data = incomes_and_towns()
    release = KAnonymise(k=3).apply(data, columns=["income"], seed=1)
    assert "nobody knows which method" in Downcoding()(data, release.frame).reason
