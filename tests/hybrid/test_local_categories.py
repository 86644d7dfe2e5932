"""Categories that follow new numbers by latent classes."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.hybrid.local_categories import categories_in_piece, codes_of, fit_categories, local_categories

X = np.repeat([[0.0], [10.0]], 40, axis=0) + np.linspace(-1, 1, 80)[:, None]
# the letter follows the number, and every tenth is missing
CODES = np.where(np.arange(80) % 10 == 0, -1, np.repeat([0, 1], 40))
TABLE = Table({"c": Values("nominal", CODES, ("low", "high"))}, 80)
HOW = {"classes": 2, "most": 4, "k": 10, "exact": False, "subsample": 1000, "streams": Streams(Key.of(1))}


def drawn(new_x: np.ndarray = X, **more: object) -> tuple[np.ndarray, tuple[str, ...]]:
    columns, notes = local_categories(TABLE, X, new_x, None, **{**HOW, **more})
    return columns["c"].data, notes


def test_categories_follow_the_new_numbers() -> None:
    codes, notes = drawn(X[::-1].copy())
    counts = [np.bincount(part + 1, minlength=3).tolist() for part in (codes[:40], codes[40:])]
    assert counts[0][2] > 4 * counts[0][1]
    assert counts[1][1] > 4 * counts[1][2]
    assert notes[0].startswith("categories by 2 latent classes, BIC ")


def test_counts_are_kept_where_that_is_asked_for() -> None:
    codes, _ = drawn(exact=True)
    assert np.bincount(codes + 1).tolist() == np.bincount(CODES + 1).tolist()


def test_a_part_of_a_large_file_is_enough_to_fit_on() -> None:
    codes, _ = drawn(subsample=40)
    assert (codes[:40] == 0).sum() > 2 * (codes[:40] == 1).sum()
    assert not np.array_equal(codes, drawn()[0])


def test_classes_hold_enough_records() -> None:
    with pytest.raises(BadInput, match="classes=8 latent classes of at least k=10 need more than 80 records: 80"):
        drawn(classes=8)


def test_a_piece_has_the_classes_that_it_has_room_for() -> None:
    streams = Streams(Key.of(1))
    fit = fit_categories(X, codes_of(TABLE), [3], None, 80, classes=2, most=4, k=10, streams=streams)
    rows = np.arange(25, 45)  # 15 records of the one class and 5 of the other
    for k in (4, 10, 15):
        piece = categories_in_piece(TABLE.take(rows), X[rows], X[rows], fit, k=k, exact=True, streams=streams)
        codes = piece["c"].data
        assert np.bincount(codes + 1).tolist() == np.bincount(CODES[rows] + 1).tolist()
        # with room for both classes, letters stay with the numbers of their class
        assert ((codes[:15] == 1).sum() == 0) == (k == 4)
