"""The rule that judges a cell: its borders from both sides, and that it tells different figures apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.errors import BadInput
from microveil.reproduce.status import PASSING, STATUSES, Range, status_of


@pytest.mark.parametrize(
    ("published", "ours", "decimals", "status"),
    [
        # to the digits printed: half a unit of the last one
        (6.6, (6.5501, 6.5501, 6.5501), 1, "reproduced"),
        (6.6, (6.5499, 6.5499, 6.5499), 1, "near"),
        (6.6, (6.6499, 6.6499, 6.6499), 1, "reproduced"),
        (6.6, (6.6501, 6.6501, 6.6501), 1, "near"),
        # the range 38.9 to 39.2 with a quarter of it and half a unit at either end: 38.775 to 39.325
        (39.32, (39.0, 38.9, 39.2), 1, "within range"),
        (39.33, (39.0, 38.9, 39.2), 1, "near"),
        (38.78, (39.0, 38.9, 39.2), 1, "within range"),
        (38.77, (39.0, 38.9, 39.2), 1, "near"),
        # a tenth of the published figure off our mean
        (9.10, (10.0, 10.0, 10.0), 2, "near"),
        (9.09, (10.0, 10.0, 10.0), 2, "unresolved"),
        (11.11, (10.0, 10.0, 10.0), 2, "near"),
        (11.12, (10.0, 10.0, 10.0), 2, "unresolved"),
        # nearness is to the mean: the end of a wide range is no help, nor are coarse digits
        (41.1, (55.2, 46.9, 66.7), 1, "unresolved"),
        (0.1, (0.3, 0.3, 0.3), 1, "unresolved"),
        # 1.25 times 100 is just outside, just inside what our range would accept
        (100.0, (100.0, 95.0, 118.5), 0, "reproduced"),
        (100.0, (100.0, 95.0, 118.7), 0, "too wide to tell"),
        (100.0, (101.0, 95.0, 118.5), 0, "within range"),
        (100.0, (101.0, 95.0, 118.7), 0, "too wide to tell"),
        # and so is 100 / 1.25
        (100.0, (100.0, 85.5, 105.0), 0, "reproduced"),
        (100.0, (100.0, 85.3, 105.0), 0, "too wide to tell"),
        # a figure of one coarse digit is no evidence, however exact ours is
        (0.3, (0.3, 0.3, 0.3), 1, "reproduced"),
        (0.2, (0.2, 0.2, 0.2), 1, "too wide to tell"),
        # negative figures
        (-0.50, (-0.50, -0.52, -0.47), 2, "reproduced"),
        (-0.50, (-0.50, -0.65, -0.47), 2, "too wide to tell"),
        (-0.50, (-0.53, -0.53, -0.53), 2, "near"),
        (0.50, (-0.50, -0.52, -0.47), 2, "unresolved"),
        # a published zero is told from one unit of its last digit
        (0.0, (0.02, 0.0, 0.03), 1, "reproduced"),
        (0.0, (0.02, 0.0, 0.05), 1, "too wide to tell"),
        (0.0, (0.06, 0.06, 0.06), 1, "unresolved"),
        (None, (1.0, 1.0, 1.0), 1, "ours only"),
        (1.0, (np.nan, np.nan, np.nan), 1, "not available"),
        (1.0, (np.inf, 1.0, np.inf), 1, "not available"),
    ],
)
def test_status_follows_from_the_numbers(published, ours, decimals, status):
    assert status_of(published, Range(*ours), decimals) == status


@pytest.mark.parametrize(
    ("published", "ours", "status"),
    [
        (0.0, (0.0, 0.0, 0.0), "zero by construction"),
        (0.0, (0.0, -9e-10, 9e-10), "zero by construction"),
        # what is declared never hides what is measured
        (0.0, (0.01, 0.0, 0.02), "reproduced"),
        (0.0, (0.3, 0.3, 0.3), "unresolved"),
        (0.6, (0.0, 0.0, 0.0), "unresolved"),
        (0.6, (0.6, 0.6, 0.6), "reproduced"),
    ],
)
def test_a_zero_by_construction_must_be_one(published, ours, status):
    assert status_of(published, Range(*ours), 1, exact_zero=True) == status


def test_a_zero_that_nobody_declared_is_compared_like_any_figure():
    assert status_of(0.0, Range(0.0, 0.0, 0.0), 1) == "reproduced"


figures = st.floats(-1e4, 1e4, allow_nan=False)


@given(st.tuples(figures, figures, figures), figures, st.integers(0, 4))
def test_no_other_figure_passes_where_one_does(drawn, published, decimals):
    ours = Range.of(drawn)
    for shown in (published, ours.mean, ours.low, ours.high):
        if shown and status_of(shown, ours, decimals) in PASSING:
            others = {status_of(shown * factor, ours, decimals) for factor in (1.25, 1 / 1.25, 2, 0.5)}
            assert not others & PASSING


def test_every_status_is_explained_and_only_agreement_passes():
    assert {"reproduced", "within range"} == PASSING
    assert set(STATUSES) > PASSING


def test_range_is_mean_and_ends_of_the_draws():
    assert Range.of([1.0, 2.0, 6.0]) == Range(3.0, 1.0, 6.0)
    with pytest.raises(BadInput, match="a cell needs at least one value of ours"):
        Range.of([])
