"""Probabilistic k-anonymity by permutation inside groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import NotEnoughRecords
from microveil.mask import SwapInGroups
from microveil.mask.swap_in_groups import permute_in_groups
from microveil.partition import MDAV
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.streams import streams_of


def test_rows_move_whole_and_inside_groups():
    frame = normal_frame(60).assign(other=np.arange(60))
    release = SwapInGroups(partition=MDAV(k=4)).apply(frame, columns=["a", "b", "c"], seed=1)
    assert sorted(map(tuple, release.frame[["a", "b", "c"]].to_numpy())) == sorted(
        map(tuple, frame[["a", "b", "c"]].to_numpy())
    )
    for g in np.unique(release.groups):
        rows = release.groups == g
        assert sorted(release.frame["a"][rows]) == sorted(frame["a"][rows])
        assert rows.sum() >= 4
    assert release.frame["other"].equals(frame["other"])


@ANY_FILE
def test_categories_move_too():
    frame = pd.DataFrame({"c": list("xxyyzzxy") * 5, "n": np.arange(40.0)})
    release = SwapInGroups().apply(frame, columns=["c", "n"], seed=1)
    assert sorted(zip(release.frame["c"], release.frame["n"], strict=True)) == sorted(
        zip(frame["c"], frame["n"], strict=True)
    )


def test_columns_move_on_their_own_ranks():
    frame = normal_frame(61)
    masked = SwapInGroups(mechanism="columns").apply(frame, seed=1).frame
    for name in frame:
        assert sorted(masked[name]) == sorted(frame[name])
        shift = np.abs(masked[name].rank() - frame[name].rank())
        assert shift.max() <= 3
    assert len(masked.merge(frame)) < 61


def test_permutations_of_a_group_are_uniform():
    found = [tuple(permute_in_groups(np.array([1, 1, 0, 1, 1]), streams_of(number)).tolist()) for number in range(4800)]
    counts = pd.Series(found).value_counts()
    assert len(counts) == 24
    assert ((counts - 200) ** 2 / 200).sum() < 50  # chi-square, 23 degrees of freedom
    assert all(f[2] == 2 for f in found)


def test_too_few_records():
    with pytest.raises(NotEnoughRecords, match="k=3 records: 2 given"):
        SwapInGroups().apply(normal_frame(2), seed=1)


@ANY_FILE
@pytest.mark.full
def test_nobody_keeps_the_own_values_more_often_than_one_in_k():
    frame = normal_frame(14, 2)
    runs = 5000
    kept = np.zeros(14)
    for seed in range(runs):
        kept += SwapInGroups(partition=MDAV(k=4)).apply(frame, seed=seed).frame["a"].to_numpy() == frame["a"].to_numpy()
    assert (kept / runs <= 0.25 + 4 * np.sqrt(0.25 * 0.75 / runs)).all()
