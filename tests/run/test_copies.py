"""Copies of originals in synthetic files: counted, held against chance, and said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.data.table import Values
from microveil.run import copies
from microveil.run.copies import Copies, count_copies, same_records


def column(values: list[float]) -> Values:
    return Values("continuous", np.array(values))


def test_copies_are_counted_with_their_chance() -> None:
    # original: 1 1 2 2 3 4 5 (two pairs, three uniques); released: 1 3 3 9 2
    found = count_copies([(column([1, 1, 2, 2, 3, 4, 5]), column([1, 3, 3, 9, 2]))])
    assert (found.records, found.copies, found.unique) == (5, 4, 2)
    assert found.expected_copies == pytest.approx(5 * (1 - 3 / 7))
    assert found.expected_unique == pytest.approx(5 * 2 * 2 / 7)


def test_records_are_compared_on_all_columns_and_gaps_count() -> None:
    a, b = column([1, 2, np.nan]), column([5, 6, 7])
    assert count_copies([(a, column([1, 1, np.nan])), (b, column([5, 6, 7]))]).copies == 2
    assert same_records([(a, column([np.nan, 2, 1])), (b, column([7, 6, 5]))])
    assert not same_records([(a, column([np.nan, 2, 1])), (b, column([7, 5, 6]))])
    assert not same_records([(a, column([1, 2])), (b, column([5, 6]))])


@pytest.mark.parametrize(("original", "found"), [([1], 1), ([2], 0), ([2, 1], 1), ([0, 2], 0), ([0, 3, 1], 1)])
def test_a_single_copy_is_found(original: list[float], found: int) -> None:
    assert count_copies([(column(original), column([1]))]).copies == found


def test_categories_are_compared_by_what_they_say() -> None:
    one = Values("nominal", np.array([0, 1, -1]), ("x", "y"))
    other = Values("nominal", np.array([0, 1, -1]), ("y", "z"))
    assert count_copies([(one, other)]).copies == 2  # "y" and the gap
    assert not same_records([(one, other)])
    assert same_records([(one, Values("nominal", np.array([1, 0, -1]), ("y", "x")))])


def test_an_amount_is_its_text_and_no_range_is_a_gap() -> None:
    amounts = column([1, 2, np.nan])
    classes = Values("nominal", np.array([0, 1, 2, -1]), ("1", "2", "3 to 5"))
    assert count_copies([(amounts, classes)]).copies == 3
    assert [count_copies([(amounts, classes.at(np.array([row])))]).copies for row in range(4)] == [1, 1, 0, 1]


def test_there_is_one_zero_and_small_amounts_differ() -> None:
    assert same_records([(column([0.0, 1.0]), column([-0.0, 1.0]))])
    assert not same_records([(column([1e-20, 1.0]), column([2e-20, 1.0]))])


def test_records_whose_words_have_one_sum_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_mixed", lambda words: words)
    one, other = column([1.0, 1.75]), column([1.25, 1.5])
    assert copies._words(one).sum() == copies._words(other).sum()
    assert not same_records([(one, other)])


def test_words_are_those_of_splitmix64() -> None:
    # the first numbers of the published generator for the seed 1234567
    state = np.uint64(1234567) + np.arange(1, 3, dtype=np.uint64) * copies._GAP
    assert copies._mixed(state).tolist() == [6457827717110365317, 3203168211198807973]


@pytest.mark.parametrize(
    ("words", "alike"),
    [
        (range(1, 201), 0),  # few: looked at exactly
        (range(1, 202), 201),  # many: by their leading bits, which are those of 0
        ([2**42 - 1] * 201, 201),
        ([2**42] * 201, 0),
        ([0, 1, 2], 1),
        ([0, 2**60], 2),
    ],
)
def test_records_may_be_alike_by_their_leading_bits(words: Sequence[int], alike: int) -> None:
    x, y = np.array([0, 2**60], dtype=np.uint64), np.array(words, dtype=np.uint64)
    assert len(copies._still_alike(x, y, None)) == alike
    some = np.flatnonzero(y == 0)
    assert copies._still_alike(x, y, some).tolist() == some.tolist()


@pytest.mark.parametrize(
    ("unique", "expected", "beyond"),
    [(6, 0.0, False), (7, 0.5, True), (7, None, True), (6, None, False), (14, 4.0, False), (15, 4.0, True)],
)
def test_five_standard_errors_are_beyond_chance(unique: int, expected: float | None, beyond: bool) -> None:
    assert Copies(100, unique, unique, 50.0, expected).beyond_chance is beyond


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


def test_without_any_copy_nothing_is_counted_or_expected() -> None:
    assert count_copies([(column([1.0, 2.0]), column([3.0, 4.0, 5.0]))]) == Copies(3, 0, 0, None, None)
