"""Copies of originals in synthetic files: counted, held against chance, and said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.data.table import Values
from microveil.run.copies import count_copies, same_records


def column(values: list[float]) -> Values:
    return Values("continuous", np.array(values))


def test_copies_are_counted_with_their_chance() -> None:
    # original: 1 1 2 2 3 4 (two pairs, two uniques); released: 1 3 3 9 2
    found = count_copies([(column([1, 1, 2, 2, 3, 4]), column([1, 3, 3, 9, 2]))])
    assert (found.records, found.copies, found.unique) == (5, 4, 2)
    assert found.expected_copies == pytest.approx(5 * (1 - 2 / 6))
    assert found.expected_unique == pytest.approx(5 * 2 * 2 / 6)


def test_records_are_compared_on_all_columns_and_gaps_count() -> None:
    a, b = column([1, 2, np.nan]), column([5, 6, 7])
    assert count_copies([(a, column([1, 1, np.nan])), (b, column([5, 6, 7]))]).copies == 2
    assert same_records([(a, column([np.nan, 2, 1])), (b, column([7, 6, 5]))])
    assert not same_records([(a, column([np.nan, 2, 1])), (b, column([7, 5, 6]))])
    assert not same_records([(a, column([1, 2])), (b, column([5, 6]))])


def test_the_chance_of_meeting_uniques_is_right_for_fresh_samples() -> None:
    draw = np.random.default_rng(1)
    met, expected = 0, 0.0
    for _ in range(30):
        original, fresh = (draw.zipf(1.5, 400).astype(float) for _ in range(2))
        found = count_copies([(Values("continuous", original), Values("continuous", fresh))])
        met, expected = met + found.unique, expected + found.expected_unique
        assert not found.beyond_chance
    assert met == pytest.approx(expected, rel=0.15)


def test_trees_that_copy_originals_are_not_called_protection() -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": draw.integers(16, 90, 300),
            "zip": draw.integers(1000, 1100, 300),
            "inc": draw.lognormal(8, 1, 300).round(2),
        }
    )
    release = mv.synth.Cart(smooth=False, min_leaf=2).apply(frame, given=[], seed=3)
    originals = set(map(tuple, frame.to_numpy()))
    copies = sum(tuple(row) in originals for row in release.frame.to_numpy())
    assert copies > 90
    assert release.copies is not None
    assert release.copies.copies == copies
    assert any(f"{copies} of 300 synthetic records equal an original record" in note for note in release.notes)
    guarantee = release.guarantee
    assert guarantee.linkage == 1.0
    assert not any(statement.protects for statement in guarantee.statements)
    assert any(f"{copies} of 300" in statement.text for statement in guarantee.statements)


def test_smooth_synthetic_files_have_no_copies_and_no_note() -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(200, 3)), columns=list("abc"))
    release = mv.synth.CholeskySynthesis().apply(frame, seed=1)
    assert release.copies is not None
    assert release.copies.copies == 0
    assert not any("equal an original record" in note for note in release.notes)
