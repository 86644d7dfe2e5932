from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microveil.core.errors import BadInput, MissingValues
from microveil.kernels.ranks.scores import normal_scores, ordinal_ranks, reverse_map
from tests.streams import streams_of

with_ties = arrays(np.float64, st.integers(1, 30), elements=st.integers(-4, 4).map(float))


@given(with_ties, st.none() | st.integers(0, 5))
def test_ranks_are_a_permutation_consistent_with_the_values(x, seed):
    ranks = ordinal_ranks(x, None if seed is None else streams_of(seed))
    assert sorted(ranks) == list(range(1, len(x) + 1))
    assert (np.diff(x[np.argsort(ranks)]) >= 0).all()


def test_ties_by_row_or_at_random():
    x = np.array([2.0, 1.0, 2.0, 1.0])
    assert ordinal_ranks(x).tolist() == [3, 1, 4, 2]
    draws = np.array([ordinal_ranks(x, streams_of(number)) for number in range(2000)])
    # each order of a tied pair has probability one half, independently
    assert abs((draws[:, 0] == 3).mean() - 0.5) < 4 * 0.5 / np.sqrt(2000)
    assert abs(((draws[:, 0] == 3) & (draws[:, 1] == 1)).mean() - 0.25) < 4 * np.sqrt(0.1875 / 2000)


def test_normal_scores_by_hand():
    from scipy.stats import norm

    assert np.allclose(normal_scores(np.array([5.0, 1.0, 3.0])), norm.ppf([2.5 / 3, 0.5 / 3, 1.5 / 3]))
    tied = normal_scores(np.array([1.0, 1.0, 7.0, 9.0]))
    assert np.allclose(tied, norm.ppf([1 / 4, 1 / 4, 2.5 / 4, 3.5 / 4]))


@given(arrays(np.float64, st.integers(1, 50), elements=st.floats(-1e12, 1e12), unique=True))
def test_normal_scores_have_mean_0_and_are_monotone(x):
    z = normal_scores(x)
    assert abs(z.mean()) < 1e-12
    assert (np.diff(z[np.argsort(x)]) > 0).all()
    # only the order of the values counts
    assert np.array_equal(z, normal_scores(ordinal_ranks(x) * 1e9 + 1e12))


@given(with_ties, st.data())
def test_reverse_map_permutes_x_in_the_order_of_y(x, data):
    y = data.draw(arrays(np.float64, len(x), elements=st.floats(-5, 5)))
    z = reverse_map(x, y)
    assert np.array_equal(np.sort(z), np.sort(x))
    assert (np.diff(z[np.argsort(y, kind="stable")]) >= 0).all()
    assert np.array_equal(reverse_map(x, x), x)


def test_reverse_map_breaks_ties_of_y_at_random_only_with_streams():
    x, y = np.arange(6.0), np.zeros(6)
    assert reverse_map(x, y).tolist() == x.tolist()
    assert len({tuple(reverse_map(x, y, streams_of(number))) for number in range(20)}) > 10


def test_errors_say_what_is_wrong():
    holes = np.array([1.0, np.nan])
    for call in (
        ordinal_ranks,
        normal_scores,
        lambda x: reverse_map(x, np.ones(2)),
        lambda x: reverse_map(np.ones(2), x),
    ):
        with pytest.raises(MissingValues, match="1 of 2 are missing"):
            call(holes)
    with pytest.raises(BadInput, match="different lengths: 2 and 3"):
        reverse_map(np.ones(2), np.ones(3))
