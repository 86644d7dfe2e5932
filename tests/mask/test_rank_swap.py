"""Rank swapping and its pairings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microveil as mv
from microveil.kernels.ranks.swap import partners_argus, partners_uniform
from microveil.mask import RankSwap
from tests.marks import ANY_FILE
from tests.mask.helpers import rank_interval, sd_interval
from tests.reference import census, eia_amounts


def slow_argus(uniforms, w):
    """The pairing as its description reads, one position after the other."""
    n = len(uniforms)
    partner = list(range(n))
    taken = [False] * n
    for i in range(n):
        if taken[i] or w == 0:
            continue
        taken[i] = True
        t = i + 1 + min(int(uniforms[i] * w), w - 1)
        leftwards = range(min(t, n - 1), i, -1)
        rightwards = range(t, min(i + w, n - 1) + 1)
        found = next((j for j in [*leftwards, *rightwards] if not taken[j]), None)
        if found is not None:
            taken[found] = True
            partner[i], partner[found] = found, i
    return partner


def slow_uniform(uniforms, w):
    n = len(uniforms)
    partner = list(range(n))
    taken = [False] * n
    for i in range(n):
        if taken[i] or w == 0:
            continue
        taken[i] = True
        free = [j for j in range(i + 1, min(i + w, n - 1) + 1) if not taken[j]]
        if free:
            found = free[min(int(uniforms[i] * len(free)), len(free) - 1)]
            taken[found] = True
            partner[i], partner[found] = found, i
    return partner


@given(n=st.integers(1, 60), w=st.integers(0, 70), seed=st.integers(0, 10**6))
def test_pairings_equal_their_plain_descriptions(n, w, seed):
    uniforms = np.random.default_rng(seed).random(n)
    assert partners_argus(uniforms, w).tolist() == slow_argus(uniforms, w)
    assert partners_uniform(uniforms, w).tolist() == slow_uniform(uniforms, w)


@pytest.mark.parametrize("pair", [partners_argus, partners_uniform])
def test_exchanges_are_pairs_and_stay_within_the_width(pair):
    for w in (1, 3, 50, 1000):
        partner = pair(np.random.default_rng(w).random(500), w)
        assert np.array_equal(partner[partner], np.arange(500))
        assert np.abs(partner - np.arange(500)).max() <= w


@pytest.mark.parametrize(("pairing", "rid", "sdid"), [("argus", 70.9, 62.9), ("uniform", 67.1, 60.2)])
def test_published_disclosure_on_eia(pairing, rid, sdid):
    original = eia_amounts()
    masked = RankSwap(p=7, pairing=pairing).apply(original, seed=1).frame
    assert rank_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(rid, abs=0.6)
    assert sd_interval(original.to_numpy(), masked.to_numpy()) == pytest.approx(sdid, abs=0.6)


def test_worked_example_of_ten_records_moves_at_most_one_rank():
    frame = pd.DataFrame(
        {
            "rank": range(1, 11),
            "letter": list("KLNMLHHFDC"),
            "x": [3.7, 3.8, 3.0, 4.5, 5.0, 6.0, 4.5, 6.7, 8.0, 10.0],
            "y": [4.4, 3.4, 4.8, 5.0, 6.0, 7.5, 10.0, 11.0, 9.5, 3.2],
        }
    )
    for seed in range(20):
        masked = RankSwap(p=10).apply(frame, columns=["letter", "x", "y"], seed=seed).frame
        for name in ("letter", "x", "y"):
            order = sorted(frame[name])
            assert sorted(masked[name]) == order
            for before, after in zip(frame[name], masked[name], strict=True):
                places = [
                    abs(i - j) for i, v in enumerate(order) for j, u in enumerate(order) if (v, u) == (before, after)
                ]
                assert min(places) <= 1


def test_width_in_per_cent_limits_the_shift_on_census():
    frame = census()
    n = len(frame)
    for p in (1, 5, 20):
        masked = RankSwap(p=p).apply(frame, seed=4).frame
        for name in frame:
            ordered = np.sort(frame[name])
            low = np.searchsorted(ordered, masked[name], "left") - np.searchsorted(ordered, frame[name], "right") + 1
            high = np.searchsorted(ordered, frame[name], "left") - np.searchsorted(ordered, masked[name], "right") + 1
            assert np.maximum(low, high).max() <= n * p // 100
        assert np.corrcoef(frame["AGI"], masked["AGI"])[0, 1] > 0.5


@ANY_FILE
def test_other_keys_give_other_swaps():
    frame = pd.DataFrame({"a": np.arange(50.0)})
    found = {tuple(RankSwap(p=10).apply(frame, seed=seed).frame["a"]) for seed in range(40)}
    assert len(found) == 40


@ANY_FILE
def test_gaps_stay_where_they_are():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0, np.nan, 6.0, 7.0, 8.0]})
    masked = RankSwap(p=50).apply(frame, seed=1, missing="mask").frame
    assert masked["a"].isna().tolist() == frame["a"].isna().tolist()
    assert sorted(masked["a"].dropna()) == sorted(frame["a"].dropna())


def test_a_width_below_one_record_leaves_everything_and_says_so():
    frame = pd.DataFrame({"a": np.arange(10.0)})
    with pytest.warns(UserWarning, match="left every value of"):
        RankSwap(p=5).apply(frame, seed=1)


@ANY_FILE
def test_ties_do_not_follow_the_order_of_records():
    frame = pd.DataFrame({"a": [0.0] * 50 + list(np.arange(1.0, 51.0))})
    masked = [RankSwap(p=60).apply(frame, seed=seed).frame["a"].to_numpy()[:50] != 0 for seed in range(60)]
    share = np.mean(masked, axis=0)
    assert share[:25].mean() == pytest.approx(share[25:].mean(), abs=0.06)


def test_no_rank_is_promised_of_categories_without_an_order():
    frame = pd.DataFrame({"sex": ["f", "m"] * 50, "age": np.arange(100.0), "size": ["s", "m", "l", "xl"] * 25})
    data = mv.Microdata(frame, levels={"size": ["s", "m", "l", "xl"]})
    release = mv.mask.RankSwap(p=7).apply(data, columns=["sex", "age", "size"], seed=1)
    kept, ranks = release.claims
    assert set(kept.columns) == {"sex", "age", "size"}
    assert set(ranks.columns) == {"age", "size"}
    assert any(note.startswith("sex: categories without an order were ranked by name") for note in release.notes)
