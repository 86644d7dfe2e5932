"""Confidential values: classes that agree are caught, and what is true of everybody is no breach."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import AttributeInference
from microveil.core.measured import NotApplicable
from microveil.synth import Cart

ROLES = {"age": "key", "town": "key", "ill": "confidential"}


def patients(rows: int, seed: int, tied: float = 0.5) -> mv.Microdata:
    """Illness follows age for a share of the people, and is drawn for the others."""
    draw = np.random.default_rng(seed)
    age, town = draw.integers(0, 60, rows), draw.integers(0, 15, rows)
    ill = np.where(draw.random(rows) < tied, age % 4, draw.integers(0, 4, rows))
    columns = {"age": age.astype(str), "town": town.astype(str), "ill": ill.astype(str)}
    return mv.Microdata(pa.table(columns), roles=ROLES)


def test_homogeneous_classes_by_hand():
    letters = pa.table({"a": list("xxxyyyzz"), "s": list("11122213")})
    data = mv.Microdata(letters, roles={"a": "key", "s": "confidential"})
    found = AttributeInference()(data, data)
    # x and y agree, of z one of two is right; 1 is right for half of all
    assert found.parts["same keys"] == pytest.approx(100 * 7 / 8)
    assert found.parts["baseline"] == pytest.approx(50.0)
    assert found.parts["certain"] == pytest.approx(75.0)
    assert found.parts["precision"] == 1.0
    # from the others, x and y are said rightly and z never: 6 of 8, and half of what that leaves is gained
    assert found.parts["control"] == pytest.approx(75.0)
    assert found.value == pytest.approx(50.0)


def test_the_original_as_it_is_says_more_about_its_own_people_than_about_others():
    data, others = patients(900, 1), patients(900, 2)
    found = AttributeInference()(data, data, holdout=others)
    assert found.parts["same keys"] > 80
    assert found.value > 40


def test_learning_about_everybody_is_no_breach():
    data, others, elsewhere = patients(2000, 1, 0.9), patients(2000, 2, 0.9), patients(2000, 3, 0.9)
    blind = AttributeInference()(data, elsewhere, linked=False)
    assert blind.parts["model"] > 85  # the relation is strong, and half of the originals tells it, too
    assert blind.value < 6
    fair = AttributeInference()(data, elsewhere, linked=False, holdout=others)
    assert fair.value < 6


def test_a_release_without_relations_is_at_chance():
    data = patients(2000, 1)
    ill = np.random.default_rng(9).permutation(data.frame["ill"].to_pylist())
    shuffled = data.with_(data.frame.set_column(2, "ill", pa.array(ill)))
    assert AttributeInference()(data, shuffled).value < 8


def test_an_overfitted_synthesiser_is_caught():
    data, others = patients(900, 1), patients(900, 2)
    weak = Cart(smooth=False, min_leaf=2).apply(data, columns=["ill"], given=["age", "town"], seed=1)
    assert AttributeInference()(data, weak, holdout=others).value > 10


def test_amounts_are_right_within_the_tolerance():
    draw = np.random.default_rng(1)
    age = draw.integers(20, 60, 600)
    data = mv.Microdata(
        pa.table({"age": age.astype(float), "income": (1.2 ** (age - 20.0)).round(3)}),
        roles={"age": "key", "income": "confidential"},
    )
    found = AttributeInference()(data, data)
    assert found.parts["model"] > 90
    assert AttributeInference(tolerance=0.0)(data, data).parts["same keys"] == 100.0


def test_the_order_of_rows_does_not_matter():
    data = patients(300, 1)
    release = Cart().apply(data, columns=["ill"], given=["age", "town"], seed=1)
    order = np.random.default_rng(2).permutation(300)
    first = AttributeInference()(data, release)
    again = AttributeInference()(data, release.data.with_(release.frame.take(order)), linked=order)
    assert again.parts == pytest.approx(first.parts)


def test_what_it_needs():
    data = patients(100, 1)
    plain = AttributeInference()(data.frame, data.frame)
    assert isinstance(plain, NotApplicable)
    assert "no keys" in plain.reason
    assert "targets=[" in AttributeInference(known=["age"])(data.frame, data.frame).reason
    assert AttributeInference(known=["age"], targets=["ill"])(data.frame, data.frame).value >= 0
