"""Optimisation after masking: the error never rises, nor does interval disclosure; endpoints and claims."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.claims import MultiplesOf, RangeKept, ValuesKept
from microveil.core import BadInput, MissingValues
from microveil.hybrid import PostMaskingOptimisation
from microveil.hybrid.post_masking_optimisation import aim_of
from microveil.kernels.refinement.hill_climb import moment_error, moments_about
from microveil.mask import (
    ExactNoise,
    LocalSuppression,
    Microaggregation,
    Pram,
    RankSwap,
    Round,
    Sample,
    UncorrelatedNoise,
)
from microveil.measure import Pair
from microveil.risk import SDInterval
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.reference import eia_amounts

MASKS = [RankSwap(p=10), Microaggregation(), UncorrelatedNoise(), ExactNoise()]


def apply(method, frame, seed=1):
    return method.apply(frame, columns=list(frame), seed=seed)


def only_masked(method, frame, seed=1):
    """The same release before optimisation."""
    kept = {name: getattr(method, name) for name in ("mask", "moves", "values", "width", "keep_distance", "errors")}
    return apply(PostMaskingOptimisation(**kept, budget=0), frame, seed)


def error(frame, release, errors):
    aim = aim_of(frame.to_numpy(dtype=float), errors)
    return moment_error(*moments_about(release.frame.to_numpy(dtype=float), aim), aim)


def disclosure(release, widths):
    return SDInterval(sd="original", widths=widths).measure(Pair.of(release)).value


@ANY_FILE
@given(
    n=st.integers(10, 120),
    p=st.integers(1, 4),
    mask=st.sampled_from(MASKS),
    moves=st.sampled_from(["both", "values", "exchanges"]),
    values=st.sampled_from(["masked", "range"]),
    errors=st.sampled_from(["scaled", "relative"]),
    width=st.sampled_from([0.0, 2.0, 10.0]),
    keep_distance=st.booleans(),
)
def test_neither_the_error_nor_the_disclosure_rises(n, p, mask, moves, values, errors, width, keep_distance):
    if moves == "exchanges":
        values = "masked"
    frame = normal_frame(n, p, seed=n)
    method = PostMaskingOptimisation(
        mask=mask, moves=moves, values=values, errors=errors, width=width, keep_distance=keep_distance
    )
    before, after = only_masked(method, frame), apply(method, frame)
    assert error(frame, after, errors) <= error(frame, before, errors)
    X, Y, M = (table.to_numpy() for table in (frame, after.frame, before.frame))
    scale = X.std(axis=0, ddof=1)
    gap, old_gap = np.abs(Y - X) / scale, np.abs(M - X) / scale
    assert ((gap > width / 100) | (gap >= old_gap)).all()
    for share in (0.25, 0.5, 1.0):
        assert ((gap <= share * width / 100) <= (old_gap <= share * width / 100)).all()
    if keep_distance:
        assert ((gap**2).sum(axis=1) >= (old_gap**2).sum(axis=1) * (1 - 1e-9)).all()


@pytest.mark.parametrize("mask", MASKS[:3])
def test_on_utilities_the_error_falls_and_nobody_is_disclosed_more(mask):
    frame = eia_amounts()
    method = PostMaskingOptimisation(mask=mask)
    before, after = only_masked(method, frame), apply(method, frame)
    assert error(frame, after, "scaled") < 0.6 * error(frame, before, "scaled")
    for widths in [(1.0,), (5.0,), (10.0,), tuple(float(p) for p in range(1, 11))]:
        assert disclosure(after, widths) <= disclosure(before, widths)


def test_without_moves_it_is_the_mask():
    frame = normal_frame(50)
    idle = PostMaskingOptimisation(mask=Microaggregation(), budget=0)
    pd.testing.assert_frame_equal(apply(idle, frame).frame, apply(Microaggregation(), frame).frame)
    assert not idle.random
    assert PostMaskingOptimisation(mask=Microaggregation()).random


def test_exact_moments_leave_nothing_to_gain():
    frame = normal_frame(60)
    method = PostMaskingOptimisation(mask=ExactNoise())
    pd.testing.assert_frame_equal(apply(method, frame).frame, only_masked(method, frame).frame)


def test_more_moves_never_leave_a_larger_error():
    frame = normal_frame(150)
    found = [
        error(frame, apply(PostMaskingOptimisation(budget=b), frame), "scaled") for b in (0, 10, 100, 1000, 10_000)
    ]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.2 * found[0]


def test_the_notes_tell_the_error_and_the_moves():
    frame = normal_frame(150)
    release = apply(PostMaskingOptimisation(budget=500), frame)
    note = next(note for note in release.notes if note.startswith("error of means and second moments"))
    before = error(frame, only_masked(PostMaskingOptimisation(), frame), "scaled")
    assert f"{before:.4g} before, {error(frame, release, 'scaled'):.4g} after" in note
    assert note.endswith("moves taken of 500 tried")


def test_exchanges_keep_the_values_of_the_masked_columns():
    frame = normal_frame(80)
    method = PostMaskingOptimisation(moves="exchanges")
    release = apply(method, frame)
    assert (np.sort(release.frame, axis=0) == np.sort(frame, axis=0)).all()
    assert method.claims(("a",)) == (RangeKept(), ValuesKept())


def test_claims_follow_from_where_values_come_from():
    assert PostMaskingOptimisation().claims(("a",)) == (RangeKept(),)
    assert PostMaskingOptimisation(mask=UncorrelatedNoise()).claims(("a",)) == ()
    rounding = Round(base=5.0)
    assert MultiplesOf(base=5.0) in PostMaskingOptimisation(mask=rounding).claims(("a",))
    assert PostMaskingOptimisation(mask=rounding, values="range").claims(("a",)) == ()
    release = apply(PostMaskingOptimisation(mask=rounding), normal_frame(80))
    assert (release.frame % 5 == 0).all(axis=None)


def test_scaled_errors_do_not_depend_on_units_and_relative_ones_are_those_of_the_literature():
    frame = normal_frame(60)
    masked = apply(RankSwap(p=20), frame)
    moved = frame * [1e6, 1.0, 1e-3] + [5.0, -3e4, 7.0]
    aim = aim_of(moved.to_numpy(), "scaled")
    Y = masked.frame.to_numpy() * [1e6, 1.0, 1e-3] + [5.0, -3e4, 7.0]
    assert moment_error(*moments_about(Y, aim), aim) == pytest.approx(error(frame, masked, "scaled"), rel=1e-6)
    noisy = apply(UncorrelatedNoise(p=1.0), frame)
    X, Y = frame.to_numpy(), noisy.frame.to_numpy()
    upper = np.triu_indices(3)
    means = np.abs(Y.mean(axis=0) - X.mean(axis=0)) / np.abs(X.mean(axis=0))
    products = np.abs((Y.T @ Y - X.T @ X) / (X.T @ X))[upper]
    aim = aim_of(X, "relative")
    # the base of 0.1 deviations plays no part in this file
    assert np.abs(aim.mean).min() > 0.1
    assert error(frame, noisy, "relative") == pytest.approx(means.mean() + products.mean(), rel=1e-9)


def test_constant_columns_stay():
    frame = normal_frame(60).assign(same=4.0)
    release = apply(PostMaskingOptimisation(mask=RankSwap(p=20)), frame)
    assert (release.frame.same == 4.0).all()


@ANY_FILE
def test_a_sample_is_compared_with_its_own_originals():
    frame = normal_frame(200)
    release = apply(PostMaskingOptimisation(mask=Sample(fraction=0.5), width=5.0), frame)
    assert len(release.frame) == 100
    before = only_masked(PostMaskingOptimisation(mask=Sample(fraction=0.5), width=5.0), frame)
    assert (release.origin == before.origin).all()
    assert error(frame, release, "scaled") < error(frame, before, "scaled")


def test_what_does_not_fit_is_refused():
    with pytest.raises(BadInput, match="mask='pram' protects ordinal and nominal columns; give a mask of numbers"):
        PostMaskingOptimisation(mask=Pram())
    with pytest.raises(BadInput, match="values='range' needs moves='both' or 'values'; moves is 'exchanges'"):
        PostMaskingOptimisation(moves="exchanges", values="range")
    with pytest.raises(BadInput, match=r"budget must be 0 or more; -1 was given"):
        PostMaskingOptimisation(budget=-1)
    with pytest.raises(BadInput, match="give a mask of numbers"):
        PostMaskingOptimisation(mask=LocalSuppression())
    gaps = normal_frame(30)
    gaps.iloc[3, 1] = np.nan
    with pytest.raises(MissingValues, match="'b'"):
        apply(PostMaskingOptimisation(), gaps)
