"""Membership: trees that copy values are caught, a release of other people is at chance, by hand and on Census."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import MembershipInference
from microveil.attack.membership import advantage, found_early
from microveil.attack.side_by_side import find_least_distance
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.mask import UncorrelatedNoise
from microveil.synth import Cart
from tests.reference import shared_file

RATIO, VALUES, DISTANCE = "density ratio", "same values", "distance"


def people_of_towns(rows: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 90, rows).astype(float)
    income = np.round(np.exp(draw.normal(10, 0.7, rows) + age / 200), 2)
    wealth = np.round(income * np.exp(draw.normal(1, 0.5, rows)), 2)
    return pa.table({"age": age, "income": income, "wealth": wealth, "town": draw.choice(["x", "y", "z"], rows)})


def turned(data: pa.Table, seed: int) -> pa.Table:
    return data.take(np.random.default_rng(seed).permutation(data.num_rows))


def test_by_hand():
    member = np.array([True, True, False, False])
    assert advantage(np.array([4.0, 3.0, 2.0, 1.0]), member) == 100.0
    assert advantage(np.array([1.0, 2.0, 3.0, 4.0]), member) == -100.0
    assert advantage(np.ones(4), member) == 0.0
    # the first is claimed, and the other claim is shared by three
    assert advantage(np.array([2.0, 1.0, 1.0, 1.0]), member) == pytest.approx(100 * ((1 + 1 / 3) / 2 - 1 / 3))
    assert found_early(np.array([4.0, 2.0, 3.0, 1.0]), member) == 50.0


def test_both_searches_find_the_least_distance():
    draw = np.random.default_rng(1)
    for width in (3, 20):
        X, Y = draw.normal(size=(30, width)), draw.normal(size=(50, width))
        plain = np.sqrt(((X[:, None] - Y[None]) ** 2).sum(axis=2)).min(axis=1)
        assert find_least_distance(X, Y) == pytest.approx(plain)


def test_trees_that_copy_values_are_caught_and_smoothed_ones_less():
    data, others = people_of_towns(600, 1), people_of_towns(600, 2)
    figures = {}
    for method in (Cart(smooth=False, min_leaf=2), Cart(min_leaf=20)):
        release = method.apply(data, columns=data.column_names, seed=3)
        figures[method] = [
            MembershipInference()(data, release, holdout=others).value,
            MembershipInference()(data, release).value,
        ]
    copied, smoothed = figures.values()
    assert min(copied) > 40
    assert max(smoothed) < 15


def test_a_release_of_other_people_is_at_chance():
    data, others = people_of_towns(1500, 1), people_of_towns(1500, 2)
    elsewhere = Cart(smooth=False, min_leaf=2).apply(
        people_of_towns(1500, 3), columns=["age", "income", "wealth", "town"], seed=3
    )
    found = MembershipInference()(data, elsewhere.frame, holdout=others, linked=False)
    assert found.value < 8  # three standard errors
    assert all(abs(found.parts[name]) < 12 for name in (RATIO, VALUES, DISTANCE))


def test_the_original_as_it_is_gives_everybody_away():
    data, others = people_of_towns(400, 1), people_of_towns(400, 2)
    found = MembershipInference()(data, data, holdout=others)
    assert found.value == 100.0
    assert found.parts["certain"] == 50.0
    assert found.parts["precision"] == 1.0
    assert found.parts["baseline"] == 50.0


def test_the_order_of_rows_does_not_matter():
    data, others = people_of_towns(200, 1), people_of_towns(100, 2)
    release = Cart(smooth=False).apply(data, columns=data.column_names, seed=3)
    first = MembershipInference()(data, release, holdout=others)
    again = MembershipInference()(turned(data, 1), turned(release.frame, 2), holdout=turned(others, 3), linked=False)
    assert again.value == pytest.approx(first.value)
    assert again.parts == pytest.approx(first.parts)


def test_gaps_and_unknown_levels():
    data = people_of_towns(200, 1)
    gappy = data.set_column(
        1, "income", pa.array([None if i % 5 == 0 else v for i, v in enumerate(data["income"].to_pylist())])
    )
    other = people_of_towns(100, 2).set_column(3, "town", pa.array(["elsewhere"] * 100))
    release = Cart().apply(gappy, columns=gappy.column_names, seed=3, missing="mask")
    assert isinstance(MembershipInference()(gappy, release, holdout=other), Measured)


def test_what_it_needs():
    data = people_of_towns(60, 1)
    release = UncorrelatedNoise(p=0.5).apply(data, columns=["income"], seed=1)
    assert isinstance(MembershipInference()(data, release.frame), NotApplicable)
    with pytest.raises(BadInput, match="has no column"):
        MembershipInference()(data, release, holdout=data.select(["age"]))
    with pytest.raises(BadInput, match="give 20 or more"):
        MembershipInference()(data, release, holdout=data.slice(0, 5))
    with pytest.raises(BadInput, match="leave by out"):
        MembershipInference()(data, release, holdout=data, by="town")


def test_census():
    shared_file("data", "census.csv")
    census = mv.datasets.load("census")
    weak = Cart(smooth=False, min_leaf=2).apply(census, columns=census.column_names, seed=1)
    found = MembershipInference()(census, weak)
    assert found.value > 70
    assert found.parts[DISTANCE] < 30  # the closest record alone misses most of it
