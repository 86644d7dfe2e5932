"""IPSO over all groups: exact group means and file moments for groups of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import NotEnoughRecords
from microveil.kernels.draws.linear import ipso
from microveil.kernels.draws.pooled import group_sums, ipso_pooled
from tests.streams import streams_of


def small_groups(groups=80, q=3, seed=0):
    draw = np.random.default_rng(seed)
    labels = draw.permutation(np.repeat(np.arange(groups), draw.integers(1, 6, size=groups)))
    S = draw.normal(size=(len(labels), q)) + labels[:, None]
    x, y = draw.gamma(1.0, size=(2, len(labels)))
    T = np.column_stack([x, 1e6 + x + y, y - labels]) + S[:, :1].sum(axis=1, keepdims=True)
    return T, S, labels, draw


def means(X, labels):
    return group_sums(X, labels) / np.bincount(labels)[:, None]


@given(groups=st.integers(5, 60), q=st.integers(0, 3), rho=st.sampled_from([None, 0.0, 0.6]), seed=st.integers(0, 50))
def test_group_means_and_covariances_of_the_file_stay(groups, q, rho, seed):
    T, S, labels, _ = small_groups(groups, q, seed)
    try:
        new, free = ipso_pooled(T, S, labels, streams_of(1), rho)
    except NotEnoughRecords:
        assert len(T) - groups - q < 6
        return
    assert free == len(T) - groups - q
    scale = T.std(axis=0)
    assert np.abs((means(new, labels) - means(T, labels)) / scale).max() < 1e-9
    before, after = (np.cov(np.hstack([X / scale, S]).T) for X in (T, new))
    assert np.abs(before - after).max() < 1e-9 * max(1.0, np.abs(before).max())
    assert np.abs(new - T).max() > 1e-3


def test_it_is_ipso_with_an_indicator_of_each_group():
    T, S, labels, _ = small_groups()
    indicators = np.equal.outer(labels, np.arange(1, 80)).astype(float)
    W = np.column_stack([np.ones(len(T)), S, indicators])
    plain = ipso(T, np.hstack([S, indicators]), streams_of(1))
    pooled = ipso_pooled(T, S, labels, streams_of(1))[0]
    for new in (plain, pooled):
        assert np.abs(W.T @ (new - T)).max() < 1e-6
        assert np.abs(np.cov(new.T) - np.cov(T.T)).max() < 1e-6
    # inside groups covariances are not kept
    group = np.bincount(labels).argmax()
    assert np.abs(np.cov(pooled[labels == group].T) - np.cov(T[labels == group].T)).max() > 0.01


def test_jitter_moves_the_means_of_groups_as_far_as_it_says():
    draw = np.random.default_rng(1)
    one = draw.gamma(1.0, size=(6, 2))
    T, labels = np.tile(one, (20_000, 1)), np.repeat(np.arange(20_000), 6)
    new = ipso_pooled(T, np.zeros((len(T), 0)), labels, streams_of(1), jitter=0.4)[0]
    errors = 6 * (means(new, labels) - one.mean(axis=0)) / one.std(axis=0)
    assert errors.std(axis=0) == pytest.approx(0.4, rel=0.03)


def test_columns_constant_in_groups_come_back_and_lack_of_room_is_an_error():
    T, S, labels, draw = small_groups()
    T[:, 1] = labels
    new = ipso_pooled(T, np.column_stack([S, 2.0 * labels]), labels, streams_of(1))[0]
    assert (new[:, 1] == labels).all()
    assert np.abs(new[:, 0] - T[:, 0]).max() > 0.1
    alone = np.arange(9)
    with pytest.raises(NotEnoughRecords, match="9 records in 9 groups with 0 columns kept leave 0 free dim"):
        ipso_pooled(T[:9], S[:9], alone, streams_of(1))
    with pytest.raises(NotEnoughRecords, match=r"4 dimensions are free and rho=0\.5 needs 6, twice"):
        ipso_pooled(T[:9, [0, 2, 2]] + draw.normal(size=(9, 3)), S[:9, :0], np.arange(9) % 5, streams_of(1), rho=0.5)
    assert ipso_pooled(T, S, labels, streams_of(1), rho=1.0)[0] == pytest.approx(T)
