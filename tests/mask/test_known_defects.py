"""Mistakes seen in other tools that must not happen here; those with a home elsewhere are tested there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.mask import (
    KimNoise,
    LocalSuppression,
    Microaggregation,
    MultiplicativeNoise,
    RankSwap,
    SwapInGroups,
    UncorrelatedNoise,
)
from microveil.partition import MDAV
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame


def mixed(n=120):
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {"x": generator.normal(size=n), "c": generator.choice(list("abcd"), n), "d": generator.choice(list("pqr"), n)}
    )


def test_mixed_microaggregation_obeys_k():
    frame = mixed()
    found = {}
    for k in (3, 10):
        masked = Microaggregation(partition=MDAV(k=k)).apply(frame, columns=["x", "c", "d"], seed=1).frame
        assert masked.value_counts().min() >= k
        found[k] = masked
    assert not found[3].equals(found[10])


@ANY_FILE
@pytest.mark.parametrize(
    "method",
    [KimNoise(), UncorrelatedNoise(), MultiplicativeNoise(), RankSwap(p=10), SwapInGroups()],
    ids=lambda m: m.name,
)
def test_many_keys_give_as_many_releases(method):
    frame = normal_frame(40)
    found = {method.apply(frame, seed=seed).frame.to_numpy().tobytes() for seed in range(38)}
    assert len(found) == 38


def test_noise_is_really_added_before_shrinking():
    frame = normal_frame(300)
    first, second = (KimNoise(p=0.5).apply(frame, seed=seed).frame for seed in (1, 2))
    assert (first != second).all().all()
    assert np.corrcoef(first["a"] - frame["a"], second["a"] - frame["a"])[0, 1] < 0.5


def test_swapping_really_swaps():
    frame = normal_frame(200)
    masked = RankSwap(p=5).apply(frame, seed=1).frame
    assert (masked != frame).mean().min() > 0.9


def test_whole_numbers_stay_whole_in_every_cell():
    frame = normal_frame(80).round().astype(int)
    for method in (UncorrelatedNoise(), MultiplicativeNoise(kind="hoehne"), KimNoise()):
        masked = method.apply(frame, seed=1).frame
        assert (masked.dtypes == frame.dtypes).all()


def test_k_counts_the_record_itself():
    frame = pd.DataFrame({"a": list("xxyy")})
    with pytest.warns(UserWarning, match="released every original record"):
        assert LocalSuppression(k=2).apply(frame, columns=["a"], seed=1).frame.equals(frame)
