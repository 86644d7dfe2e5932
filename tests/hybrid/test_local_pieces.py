"""Clusters of a file in pieces: how they are cut, and what each piece keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.hybrid import LocalSynthesis
from microveil.hybrid.local_pieces import dealt, join_small
from tests.hybrid.helpers import EXACT, moment_error

METHOD = LocalSynthesis(k=15, piece=100, families=("VVI",), max_groups=3)
ROWS = 500


def clusters(n: int = ROWS) -> pd.DataFrame:
    """Two amounts in two clusters of unlike sizes, a third beside them, and two columns of categories."""
    draw = np.random.default_rng(8)
    far = np.arange(n) % 5 == 0
    frame = pd.DataFrame(draw.normal(size=(n, 3)) + 8.0 * far[:, None], columns=["a", "b", "z"])
    frame["colour"] = np.where(far ^ (draw.random(n) < 0.2), "red", "blue")
    frame["size"] = np.array(["s", "m", None])[draw.choice(3, n, p=[0.5, 0.4, 0.1])]
    return frame


def as_data(frame: pd.DataFrame, **more: Any) -> mv.Microdata:
    kinds = {name: "continuous" if frame[name].dtype == float else "nominal" for name in frame}
    return mv.Microdata(frame, kinds=kinds, integers="keep exact", **more)


def sizes_of(release: mv.Release) -> Ints:
    """The records of each piece."""
    assert release.groups is not None
    return np.bincount(release.groups)


def test_moments_are_exact_in_every_piece_and_none_is_large() -> None:
    original = clusters()
    release = METHOD.apply(as_data(original), columns=["a", "b"], given=["z", "colour"], seed=1)
    new, sizes = pd.DataFrame(release.frame), sizes_of(release)
    assert sizes.sum() == ROWS
    assert sizes.max() <= METHOD.piece
    for piece in range(len(sizes)):
        rows = release.groups == piece
        assert moment_error(original.loc[rows, ["a", "b", "z"]], new.loc[rows, ["a", "b", "z"]]) < EXACT
        # a piece is of one cluster
        assert len(set(original.a[rows] > 4)) == 1
    assert (new.a != original.a).all()
    assert any(
        note.startswith("1 of 2 clusters is redrawn in pieces") and "6 groups in all" in note for note in release.notes
    )
    assert "0 of 500 records came back unchanged" in release.notes
    assert all(verdict.holds for verdict in release.check())


def test_a_file_that_is_one_piece_is_what_it_always_was() -> None:
    original = clusters(100)
    data, columns = as_data(original), ["a", "b", "colour"]
    one = METHOD.apply(data, columns=columns, seed=1)
    other = replace(METHOD, piece=131_072).apply(data, columns=columns, seed=1)
    assert pd.DataFrame(one.frame).equals(pd.DataFrame(other.frame))
    assert one.notes == other.notes


@pytest.mark.parametrize("columns", [["a", "b", "colour", "size"], ["colour", "size"]], ids=["beside numbers", "alone"])
def test_exact_counts_hold_in_every_piece(columns: list[str]) -> None:
    original = clusters()
    release = replace(METHOD, counts="exact").apply(as_data(original), columns=columns, seed=2)
    new = pd.DataFrame(release.frame)
    for piece in range(len(sizes_of(release))):
        rows = release.groups == piece
        for name in ("colour", "size"):
            before, after = (frame.loc[rows, name].value_counts(dropna=False) for frame in (original, new))
            assert before.sort_index().equals(after.sort_index())
    assert (new["size"].isna() != original["size"].isna()).any()
    assert any("in another order" in str(claim) for claim in release.claims)


def test_categories_follow_the_numbers_and_gaps_come_only_where_there_were_some() -> None:
    original = clusters(1000)
    release = METHOD.apply(as_data(original), columns=["a", "b", "colour", "size"], seed=1)
    new = pd.DataFrame(release.frame)
    assert ((new.colour == "red") == (new.a > 4)).mean() == pytest.approx(0.8, abs=0.06)
    assert not new.colour.isna().any()
    assert new["size"].isna().mean() == pytest.approx(0.1, abs=0.04)


def test_records_with_gaps_are_cut_among_those_with_the_same() -> None:
    original = clusters()
    original.loc[original.index % 7 == 0, "b"] = np.nan
    release = METHOD.apply(as_data(original), columns=["a", "b"], missing="mask", seed=1)
    new, sizes = pd.DataFrame(release.frame), sizes_of(release)
    assert new.b.isna().equals(original.b.isna())
    assert sizes.max() <= METHOD.piece
    assert moment_error(original[["a"]], new[["a"]]) < EXACT
    assert any(note.startswith("428 records without gaps: mixture") for note in release.notes)


def test_rules_hold_in_every_piece() -> None:
    original = clusters()
    original["b"] = original.a + original.b.abs()
    data = as_data(original, edits=["b >= a"])
    release = METHOD.apply(data, columns=["a", "b"], seed=1)
    new = pd.DataFrame(release.frame)
    assert (new.b >= new.a - 1e-9).all()
    assert moment_error(original[["a", "b"]], new[["a", "b"]]) < EXACT
    assert sizes_of(release).max() <= METHOD.piece


def test_a_cluster_that_is_too_small_joins_another() -> None:
    original = clusters()
    original.loc[:6, ["a", "b"]] += 60.0
    for piece, told in (
        (100, "1 cluster with fewer than 15 records joined the cluster that is most likely"),
        (500, ""),
    ):
        method = replace(METHOD, piece=piece, floor=False, max_groups=4)
        release = method.apply(as_data(original), columns=["a", "b"], seed=1)
        assert sizes_of(release).min() >= 15
        assert any(note.startswith(told or "mixture VVI with 3 clusters") for note in release.notes), release.notes
        assert moment_error(original[["a", "b"]], pd.DataFrame(release.frame)[["a", "b"]]) < EXACT


def test_pieces_have_room_for_what_clusters_need() -> None:
    original = clusters()
    release = replace(METHOD, k=60, piece=50).apply(as_data(original), columns=["a", "b"], seed=1)
    sizes = sizes_of(release)
    assert sizes.min() >= 60
    assert 100 < sizes.max() <= 240


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(BadInput, match="classes=40 latent classes of at least k=15 need more than 600 records: 500"):
        replace(METHOD, classes=40).apply(as_data(clusters()), columns=["a", "colour"], seed=1)
    wide = clusters().assign(home=[f"h{row}" for row in range(ROWS)])
    with pytest.raises(NotEnoughRecords, match="needs at least 502 records for 1 columns given 499 kept ones"):
        METHOD.apply(as_data(wide), columns=["a"], given=["home"], seed=1)


def test_small_clusters_join_the_most_likely_at_their_mean() -> None:
    near = np.array([[0.0, -9, -1, -5], [-9, 0, -3, -2], [-1, -3, 0, -8], [-5, -2, -8, 0]])
    assert join_small(np.array([50, 60, 70, 80]), near, 20).tolist() == [0, 1, 2, 3]
    assert join_small(np.array([50, 10, 70, 80]), near, 20).tolist() == [0, 3, 2, 3]
    # 1 goes to 3, and both together are too few still
    assert join_small(np.array([50, 3, 70, 5]), near, 20).tolist() == [0, 0, 2, 0]
    assert join_small(np.array([5, 3, 0, 5]), near, 20).tolist() == [3, 3, 3, 3]
    assert join_small(np.array([5]), np.zeros((1, 1)), 20).tolist() == [0]


@pytest.mark.parametrize(
    ("counts", "least", "most", "expected"),
    [
        ([5] * 8, 3, 40, [40]),
        ([5] * 8, 3, 20, [20, 20]),
        ([5] * 8, 3, 19, [15, 10, 15]),
        ([9] * 4, 20, 20, [36]),  # halves would have fewer than 20
        ([0, 0, 30, 0], 10, 20, [30]),  # equal words are not parted
        ([1] * 100, 10, 30, [25, 25, 25, 25]),
    ],
)
def test_records_are_dealt_to_pieces_of_nearly_one_size(
    counts: list[int], least: int, most: int, expected: list[int]
) -> None:
    pieces = dealt(np.array(counts), least, most)
    assert np.bincount(pieces, weights=counts).tolist() == expected
    assert (np.diff(pieces) >= 0).all()
