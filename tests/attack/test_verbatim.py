"""Records released as they are, counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import microveil as mv
from microveil.attack import Verbatim

ORIGINAL = pd.DataFrame({"a": [1.0, 2.0, 3.0, 3.0, None], "b": ["x", "x", "y", "y", "z"]})


def test_counts():
    released = pd.DataFrame({"a": [1.0, 3.0, 4.0, None, 2.0], "b": ["x", "y", "y", "z", "y"]})
    found = Verbatim()(ORIGINAL, released, linked=False)
    # 1x and the gap with z are the only ones of their kind, 3y one of two; 4y and 2y are of nobody
    assert found.value == pytest.approx(60)
    assert found.parts["certain"] == found.parts["unique"] == pytest.approx(40)
    assert found.parts["rare"] == pytest.approx(60)
    assert Verbatim(rare=2)(ORIGINAL, released, linked=False).parts["rare"] == pytest.approx(60)
    assert Verbatim(known=["b"])(ORIGINAL, released, linked=False).value == 100.0


def test_chance():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 1.0]})
    found = Verbatim()(frame, frame)
    assert found.value == 100.0
    # each combination has probability 1/4, and one of two originals meets it with 1 - (3/4)^2
    assert found.parts["baseline"] == pytest.approx(100 * (1 - 0.75**2))


def test_records_say_who_is_exposed():
    released = ORIGINAL.assign(a=[9.0, 2.0, 9.0, 3.0, 9.0])
    assert Verbatim().records(ORIGINAL, released).tolist() == [0, 1, 1, 1, 0]
    assert Verbatim().most_exposed(ORIGINAL, released).tolist() == [1, 2, 3]


def test_it_applies_to_synthetic_records(enterprises):
    release = mv.synth.SmoothedBootstrap().apply(enterprises, seed=1)
    found = mv.evaluate(enterprises, release)["verbatim"]
    assert found.value < 5
    assert Verbatim.concerns(mv.measure.Pair.of(enterprises, release))


def test_it_counts_in_the_worst_case():
    frame = mv.datasets.make_enterprises(60, seed=1)
    found = mv.evaluate(frame, frame, measures=["verbatim"])
    assert found["verbatim"].value == 100
    assert found.worst.value > 99
    assert "ahead of guessing (Records released as they are)" in found.worst.reading
