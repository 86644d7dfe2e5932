"""Restoring moments after masking."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.claims import EqualRowsAtLeast
from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.mask import Microaggregation, RankSwap, Rescale, UncorrelatedNoise
from microveil.partition import MDAV
from microveil.run import Step
from microveil.run.release import Release
from microveil.run.state import State
from tests.mask.helpers import covariance, normal_frame
from tests.reference import census


def two_steps(frame, first, second):
    key = Key.of(1)
    state = State.begin(Microdata(frame))
    for number, method in enumerate((first, second), 1):
        state = state.advance(Step(method), Streams(key).at("step", number))
    return Release.finish(state, key)


def test_census_variances_come_back_and_correlations_stay_those_of_the_mask():
    frame = census()
    masked = Microaggregation().apply(frame, seed=1).frame
    restored = Rescale(mask=Microaggregation()).apply(frame, seed=1).frame
    assert restored.var(ddof=0).to_numpy() == pytest.approx(frame.var(ddof=0).to_numpy(), rel=1e-9)
    assert restored.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-9)
    assert np.corrcoef(restored.T) == pytest.approx(np.corrcoef(masked.T), abs=1e-9)


def test_equal_rows_stay_equal_at_both_levels():
    frame = normal_frame(99)
    for level in ("variance", "covariance"):
        release = Rescale(mask=Microaggregation(), level=level).apply(frame, seed=1)
        assert release.frame.value_counts().min() >= 3
        assert any("occurs at least 3 times" in str(claim) for claim in release.claims)


def test_covariance_level_restores_the_whole_matrix():
    frame = census()
    restored = Rescale(mask=Microaggregation(), level="covariance").apply(frame, seed=1).frame
    scale = np.sqrt(np.diag(covariance(frame)))
    error = (covariance(restored) - covariance(frame)) / np.outer(scale, scale)
    assert np.abs(error).max() < 1e-9


def test_as_a_later_step_it_restores_the_source():
    frame = normal_frame(80)
    release = two_steps(frame, UncorrelatedNoise(p=1.0), Rescale())
    assert release.frame.var(ddof=0).to_numpy() == pytest.approx(frame.var(ddof=0).to_numpy(), rel=1e-9)
    assert "variances of a, b, c are exactly the original's" in [str(claim) for claim in release.claims]
    kept = two_steps(frame, Microaggregation(), Rescale())
    assert any("occurs at least 3 times" in str(claim) for claim in kept.claims)


def test_alone_on_untouched_data_it_refuses():
    with pytest.raises(BadInput, match="nothing was changed in these columns"):
        Rescale().apply(normal_frame(20), seed=1)


def test_promises_of_the_mask_that_a_rescaling_breaks_are_not_repeated():
    claims = Rescale(mask=RankSwap(p=7)).claims(("a", "b"))
    assert [type(claim).__name__ for claim in claims] == ["MeansKept", "VariancesKept"]


def test_a_column_that_masking_made_constant_is_an_error():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(BadInput, match="'a' is constant after masking"):
        Rescale(mask=Microaggregation()).apply(frame, seed=1)


def test_too_few_groups_for_a_covariance_are_an_error_not_random_values():
    with pytest.raises(BadInput, match="without separating equal records"):
        Rescale(mask=Microaggregation(), level="covariance").apply(normal_frame(7), seed=1)


def test_constant_and_missing_cells():
    frame = normal_frame(60).assign(fixed=2.5)
    frame.loc[[1, 5], "b"] = np.nan
    masked = Rescale(mask=UncorrelatedNoise(p=0.5)).apply(frame, seed=1, missing="mask").frame
    assert (masked["fixed"] == 2.5).all()
    assert masked["b"].isna().sum() == 2
    assert masked["b"].var() == pytest.approx(frame["b"].var(), rel=1e-9)


@pytest.mark.parametrize("level", ["variance", "covariance"])
def test_equal_rows_on_blocks_survive_only_a_map_of_single_columns(level):
    frame = normal_frame(60, 4)
    blocks = Microaggregation(partition=MDAV(k=5), blocks=2)
    nested = Rescale(mask=blocks, level=level).apply(frame)
    assert any(isinstance(claim, EqualRowsAtLeast) for claim in nested.claims) is (level == "variance")
    if level == "variance":
        release = two_steps(frame, blocks, Rescale(level=level))
        assert any(isinstance(claim, EqualRowsAtLeast) for claim in release.claims)
    else:
        # a step of its own has promised equal rows by then, and the map that mixes columns breaks them
        with pytest.raises(BrokenPromise, match="at least 5 times"):
            two_steps(frame, blocks, Rescale(level=level))
