"""Gaps that stand where they stood tell records apart; those of one file alone may hold anything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput

N = 240
COLUMNS = ["a", "b", "c"]


def original() -> pd.DataFrame:
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(draw.normal(100.0, 10.0, (N, 3)), columns=COLUMNS)
    return frame.mask(draw.random((N, 3)) < 0.3)


def nearest(X: np.ndarray, Y: np.ndarray) -> float:
    """Per cent of records of X whose nearest in Y is their own row; a gap is infinitely far from a value."""
    apart = (X[:, None, :] - Y[None, :, :]) ** 2
    gaps = np.isnan(X)[:, None, :].astype(int) + np.isnan(Y)[None, :, :]
    distance = np.where(gaps == 2, 0.0, np.where(gaps == 1, np.inf, apart)).sum(axis=2)
    ties = np.isclose(distance, distance.min(axis=1, keepdims=True), atol=1e-9)
    return float(100 * np.mean(np.where(np.diag(ties), 1 / ties.sum(axis=1), 0.0)))


@pytest.mark.parametrize("direction", ["original", "masked"])
def test_gaps_in_place_are_as_telling_as_values(direction: str) -> None:
    before = original()
    after = mv.mask.UncorrelatedNoise(p=0.3).apply(before, missing="mask", seed=2).frame
    X, Y = (frame.to_numpy() / np.nanstd(before.to_numpy(), axis=0, ddof=1) for frame in (before, after))
    found = mv.risk.DistanceLinkage(standardise="original", direction=direction)(before, after)
    assert found.value == pytest.approx(nearest(X, Y) if direction == "original" else nearest(Y, X), abs=0.5)
    assert found.value > 15


def test_gaps_of_categories_in_place_are_a_category() -> None:
    before = pd.DataFrame({"g": ["x", "y", None, "x", None, "y"] * 10, "v": np.arange(60.0)}).astype({"g": object})
    after = before.assign(v=before["v"] + np.tile([0.4, -0.4], 30))
    link = mv.risk.DistanceLinkage(standardise="original")
    assert link(before, after).value == 100.0
    # among records with the same letter, or with the same gap, the nearest is the right one: at most two apart
    far = before.assign(v=before["v"] + 1.4)
    own = np.array([abs(far["v"] - value).where(far["g"].fillna("-") == kind, np.inf).argmin()
                    for value, kind in zip(before["v"], before["g"].fillna("-"), strict=True)])  # fmt: skip
    assert link(before, far).value == pytest.approx(100 * np.mean(own == np.arange(60)), abs=2.0)


@pytest.mark.parametrize("direction", ["original", "masked"])
def test_filled_gaps_do_not_draw_every_link(direction: str) -> None:
    before = original()
    after = before.fillna(before.mean()) + np.random.default_rng(1).normal(0.0, 1.0, (N, 3))
    found = mv.risk.DistanceLinkage(standardise="original", direction=direction)(before, after)
    assert found.value > 30


def test_left_out_values_agree_with_any() -> None:
    before = original().fillna(100.0)
    hidden = np.random.default_rng(3).random((N, 3)) < 0.2
    found = mv.risk.DistanceLinkage(standardise="original")(before, before.mask(hidden))
    assert found.value > 90


def by_what_both_have(X: np.ndarray, Y: np.ndarray) -> float:
    """Per cent of records of X whose nearest in Y is their own row, over common attributes scaled up to all."""
    apart = (X[:, None, :] - Y[None, :, :]) ** 2
    both = (~np.isnan(apart)).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(both > 0, np.nansum(apart, axis=2) * X.shape[1] / both, np.inf)
    ties = np.isclose(distance, distance.min(axis=1, keepdims=True), atol=1e-12) & (both > 0)
    return float(100 * np.mean(np.where(np.diag(ties), 1 / np.maximum(ties.sum(axis=1), 1), 0.0)))


@pytest.mark.parametrize("direction", ["original", "masked"])
@pytest.mark.parametrize("in_place", [True, False])
def test_partial_distances_by_hand(direction: str, in_place: bool) -> None:
    before = original()
    draw = np.random.default_rng(9)
    after = before.fillna(before.mean()) + draw.normal(0.0, 2.0, (N, 3))
    after = after.mask(before.isna()) if in_place else after.mask(draw.random((N, 3)) < 0.2)
    some = before.notna().any(axis=1) & after.notna().any(axis=1)
    before, after = before[some].reset_index(drop=True), after[some].reset_index(drop=True)
    X, Y = (frame.to_numpy() / np.nanstd(before.to_numpy(), axis=0, ddof=1) for frame in (before, after))
    measure = mv.risk.DistanceLinkage(standardise="original", direction=direction, gaps="partial")
    found = measure(before, after)
    expected = by_what_both_have(X, Y) if direction == "original" else by_what_both_have(Y, X)
    assert found.value == pytest.approx(expected, abs=1e-9)
    # records with little in common look near by chance: what gaps tell finds more
    assert 1 < found.value < mv.risk.DistanceLinkage(standardise="original", direction=direction)(before, after).value
    empty = int((before.isna() | after.isna()).any(axis=1).sum())
    assert f"{empty} of {len(before)} records have gaps and are linked like all others" in found.notes[0]
    assert "by the attributes that both records have" in found.notes[0]


def test_partial_distances_with_categories() -> None:
    before = pd.DataFrame({"g": ["x", "y", None, "x"], "v": [1.0, 2.0, 3.0, np.nan]}).astype({"g": object})
    after = pd.DataFrame({"g": ["x", "y", "y", "x"], "v": [1.1, 2.1, 2.9, 1.0]}).astype({"g": object})
    # the last knows "x" alone and ties with the first; the first is as near to the last (0.0) as to nothing else
    found = mv.risk.DistanceLinkage(standardise="original", gaps="partial")(before, after)
    assert found.value == pytest.approx(100 * (0 + 1 + 1 + 1 / 2) / 4)


def test_without_gaps_partial_distances_are_the_distances() -> None:
    before = original().fillna(100.0)
    after = before + np.random.default_rng(3).normal(0.0, 3.0, (N, 3))
    partial = mv.risk.DistanceLinkage(gaps="partial")(before, after)
    assert partial.value == mv.risk.DistanceLinkage()(before, after).value
    assert partial.notes == ()


def test_mahalanobis_distances_cannot_be_partial() -> None:
    with pytest.raises(BadInput, match="needs all attributes; use 'euclid' or 'manhattan'"):
        mv.risk.DistanceLinkage(metric="mahalanobis", gaps="partial")
