"""Weak seeds are found, fresh keys are not, and shuffled rows do not hide them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from microveil.attack import SeedSearch
from microveil.core.errors import UnknownColumn
from microveil.mask import Microaggregation, Pram, UncorrelatedNoise
from microveil.synth import Cart


def number_and_letter(rows: int = 60) -> pa.Table:
    draw = np.random.default_rng(1)
    return pa.table({"a": draw.normal(size=rows).round(3), "b": draw.choice(list("xyz"), rows)})


@pytest.mark.parametrize("seed", [7, 1984, "password", 31415])
def test_weak_seeds_are_found(seed):
    data = number_and_letter()
    found = SeedSearch(numbers=10)(data, UncorrelatedNoise(p=0.3).apply(data, columns=["a"], seed=seed))
    assert found.value == found.parts["certain"] == 100.0
    assert repr(seed) in found.reading


def test_a_seed_of_ones_own_is_found_by_a_guess_alone():
    data = number_and_letter()
    release = Pram(stay=0.7).apply(data, columns=["b"], seed="spring2024")
    assert SeedSearch(numbers=5)(data, release).value == 0.0
    assert SeedSearch(numbers=5, guesses=["spring2024"])(data, release).parts["seeds tried"] == 1


def test_a_fresh_key_is_not_found():
    data = number_and_letter()
    found = SeedSearch(numbers=20)(data, UncorrelatedNoise(p=0.3).apply(data, columns=["a"]))
    assert found.value == 0.0
    assert found.parts["most records alike"] < 20
    assert "None of 279 seeds" in found.reading  # 12 words; 20 numbers, 13 liked ones, 101 years, also as text but "1"


def test_synthetic_records_are_found_in_any_order():
    data = number_and_letter()
    release = Cart().apply(data, columns=["a", "b"], seed=3)
    assert SeedSearch(numbers=5)(data, release).value == 100.0


def test_what_it_needs():
    data = number_and_letter()
    assert "nothing was drawn" in SeedSearch()(data, Microaggregation().apply(data, columns=["a"], seed=1)).reason
    noisy = UncorrelatedNoise(p=0.3).apply(data, columns=["a"], seed=1)
    assert "nobody knows how" in SeedSearch()(data, noisy.frame).reason
    assert "leave columns and by out" in SeedSearch()(data, noisy, by="b").reason
    assert "nothing was drawn" in SeedSearch(known=["b"])(data, noisy).reason
    assert SeedSearch(numbers=2, known=["a"])(data, noisy).value == 100.0
    with pytest.raises(UnknownColumn, match="there is no column"):
        SeedSearch(known=["aa"])(data, noisy)


def test_numbers_are_tried_as_text_as_a_command_line_gives_them():
    data = number_and_letter()
    assert SeedSearch(numbers=10)(data, UncorrelatedNoise(p=0.3).apply(data, columns=["a"], seed="7")).value == 100.0
