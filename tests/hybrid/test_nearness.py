"""Hybrids whose records are near-originals say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.data.table import Table
from microveil.hybrid import CholeskyHybrid, Combine, LocalMasking, MuralidharSarathy, PostMaskingOptimisation
from microveil.hybrid.groups import near_originals
from microveil.mask import ExactNoise, RankSwap, Sample, UncorrelatedNoise
from tests.mask.helpers import normal_frame

NEAR = "the records stay near the original: half of the values of"


def told(release):
    return [note for note in release.notes if NEAR in note]


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (Combine(alpha=0.97), Combine(alpha=0.0)),
        (CholeskyHybrid(mask=UncorrelatedNoise(p=0.05)), CholeskyHybrid(mask=UncorrelatedNoise(p=2))),
        (LocalMasking(mask=ExactNoise(p=0.05)), LocalMasking(mask=UncorrelatedNoise(p=5))),
        (
            PostMaskingOptimisation(mask=UncorrelatedNoise(p=0.05), budget=50),
            PostMaskingOptimisation(mask=UncorrelatedNoise(p=2), budget=50),
        ),
        (MuralidharSarathy(alpha=0.999), MuralidharSarathy(alpha=0.1)),
    ],
    ids=lambda method: method.name,
)
def test_light_hybrids_say_that_they_are_near_the_original(near, far):
    frame = normal_frame(150)
    (note,) = told(near.apply(frame, seed=1))
    after = near.apply(frame, seed=1).frame
    for name in frame:
        moved = np.median(np.abs(after[name] - frame[name])) / frame[name].std(ddof=0)
        assert f"{name} ({moved:.2g})" in note
    assert not told(far.apply(frame, seed=1))


def test_only_columns_that_stay_near_are_named_and_constant_ones_are_not():
    x = np.random.default_rng(1).normal(size=(99, 3))
    x[:, 2] = 4.0
    y = x + np.array([0.05, 0.5, 0.0])
    before, after = Table.of_matrix(x, ["a", "b", "c"]), Table.of_matrix(y, ["a", "b", "c"])
    (note,) = near_originals(before, after.columns)
    assert "values of a (0.0" in note
    assert "b (" not in note
    assert "c (" not in note
    assert near_originals(before, Table.of_matrix(y[:, 1:2], ["b"]).columns) == ()


def test_records_are_compared_with_the_ones_they_come_from():
    frame = pd.DataFrame({"a": np.linspace(0, 1, 60), "b": np.linspace(1, 0, 60) ** 2})
    release = CholeskyHybrid(mask=Sample(fraction=0.9)).apply(frame, seed=2)
    assert told(release)
    assert not told(CholeskyHybrid(mask=RankSwap(p=90)).apply(frame, seed=2))
