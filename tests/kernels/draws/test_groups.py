"""IPSO in many groups at a time: turned at random, exact in each group whatever its size and rank."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import NotEnoughRecords
from microveil.kernels.draws import groups as ipso_groups
from microveil.kernels.draws.groups import determined_columns, free_dimensions, ipso_in_groups
from tests.streams import streams_of


def test_turned_residuals_have_no_preferred_direction():
    draw = np.random.default_rng(7)
    T = np.tile(draw.gamma(1.0, size=(6, 2)), (20_000, 1))
    S = np.tile(draw.normal(size=(6, 1)), (20_000, 1))
    new, free = ipso_in_groups(T, S, np.repeat(np.arange(20_000), 6), streams_of(1))
    assert (free == 4).all()
    W = np.column_stack([np.ones(6), S[:6]])
    fitted = W @ np.linalg.lstsq(W, T[:6], rcond=None)[0]
    # on average over turns only the regression is left, and residuals spread over the free space evenly
    assert np.abs(new.reshape(-1, 6, 2).mean(axis=0) - fitted).max() < 0.03
    off = np.eye(6) - W @ np.linalg.pinv(W)
    residual = (new.reshape(-1, 6, 2) - fitted)[:, :, 0]
    share = residual.T @ residual / len(residual) / np.sum((T[:6] - fitted)[:, 0] ** 2)
    assert np.abs(share - off / 4).max() < 0.01


def scattered(seed=0):
    """Groups of 5 to 12 records in no order, with a sum, a far column, zeros, and kept columns that repeat."""
    draw = np.random.default_rng(seed)
    labels = draw.permutation(np.repeat(np.arange(60), draw.integers(5, 13, size=60)))
    n = len(labels)
    x, y, s = draw.normal(size=n), draw.gamma(1.0, size=n), draw.normal(size=n)
    T = np.column_stack([x, x + y, y, 1e7 + x, np.where(draw.random(n) < 0.8, 0.0, y)])
    return T, np.column_stack([s, 3 - 2 * s, np.full(n, 4.0)]), labels


def test_every_group_is_exact_whatever_its_rank():
    T, S, labels = scattered()
    new, free = ipso_in_groups(T, S, labels, streams_of(1))
    assert (free == np.bincount(labels) - 2).all()  # of the kept columns one is new
    for group in range(60):
        rows = labels == group
        before, after = (np.hstack([X[rows], S[rows]]) for X in (T, new))
        assert np.abs(before.mean(axis=0) - after.mean(axis=0)).max() < 1e-8
        # eight digits of the far column leave 1e-9 of its deviations
        assert np.abs(np.cov(before.T) - np.cov(after.T)).max() < 1e-7
    assert np.abs(new[:, 1] - new[:, 0] - new[:, 2]).max() < 1e-9
    assert (np.abs(new[:, 0] - T[:, 0]) > 1e-9).all()


def test_how_groups_are_stacked_does_not_matter(monkeypatch):
    T, S, labels = scattered()
    whole = ipso_in_groups(T, S, labels, streams_of(1))[0]
    monkeypatch.setattr(ipso_groups, "_RECORDS", 1)
    one_by_one = ipso_in_groups(T, S, labels, streams_of(1))[0]
    assert (whole == one_by_one).all()


def test_a_group_without_room_is_named_unless_it_is_constant():
    draw = np.random.default_rng(0)
    T, S, labels = draw.normal(size=(12, 1)), draw.normal(size=(12, 2)), np.repeat([0, 1], [8, 4])
    with pytest.raises(NotEnoughRecords, match=r"group 1 has 4 records and 1 free dimensions \(4 - 1 - 2 for the"):
        ipso_in_groups(T, S, labels, streams_of(1))
    T[8:] = 5.0
    new, free = ipso_in_groups(T, S, labels, streams_of(1))
    assert (new[8:] == 5.0).all()
    assert free.tolist() == [5, 1]


def test_groups_of_one_record_are_the_original():
    draw = np.random.default_rng(3)
    T, S = draw.normal(size=(9, 2)), draw.normal(size=(9, 3))
    new, free = ipso_in_groups(T, S, np.arange(9), streams_of(1))
    assert (new == T).all()
    assert (free == 0).all()


def test_free_dimensions_and_determined_columns():
    draw = np.random.default_rng(4)
    labels = np.repeat([0, 1, 2], [6, 5, 4])
    s = draw.normal(size=15)
    S = np.column_stack([s, 2 * s + 1, np.where(labels == 1, draw.normal(size=15), 3.0)])
    assert free_dimensions(S, labels).tolist() == [4, 2, 2]
    assert free_dimensions(S[:, :0], labels).tolist() == [5, 4, 3]
    t = draw.normal(size=15)
    T = np.column_stack([np.where(labels == 0, 4 * s - 1, t), np.where(labels == 2, 1e9, t)])
    assert determined_columns(T, S, labels).tolist() == [[True, False], [False, False], [False, True]]
    assert determined_columns(T, S[:, :0], labels).tolist() == [[False, False], [False, False], [False, True]]


def repeated(n, q, times=20_000, seed=5):
    """One group many times over, with a column that is the sum of the two others."""
    draw = np.random.default_rng(seed)
    one, S = draw.gamma(1.0, size=(n, 2)), draw.normal(size=(n, q))
    one = np.column_stack([one, one.sum(axis=1)])
    return one, S, np.tile(one, (times, 1)), np.tile(S, (times, 1)), np.repeat(np.arange(times), n)


@pytest.mark.parametrize(("q", "rho"), [(0, None), (2, None), (2, 1.0)])
def test_differencing_fails_by_the_jitter_at_least(q, rho):
    n, tau = 9, 0.3
    one, S, T, kept, labels = repeated(n, q)
    new = ipso_in_groups(T, kept, labels, streams_of(1), rho=rho, jitter=tau)[0].reshape(-1, n, 3)
    assert np.abs(new[:, :, 2] - new[:, :, 0] - new[:, :, 1]).max() < 1e-9
    spread = one.std(axis=0)
    # the last record from the mean, where all others are known: n (new mean - mean)
    from_mean = n * (new.mean(axis=1) - one.mean(axis=0)) / spread
    assert np.abs(from_mean.mean(axis=0)).max() < 0.03
    basis = np.linalg.qr(np.column_stack([np.ones(n), S]))[0]
    leverage = np.sum(basis**2, axis=1)
    assert from_mean.std(axis=0) == pytest.approx(tau * np.sqrt(n * leverage.max()), rel=0.03)
    # from all coefficients together, weighted best: the record with the largest leverage is known up to tau
    moved = np.einsum("nb,gnj->gbj", basis, new - one)
    errors = np.einsum("nb,gbj->gnj", basis, moved) / leverage[:, None] / spread
    assert (errors.std(axis=0) > 0.97 * tau).all()
    assert errors.std(axis=0)[leverage.argmax()] == pytest.approx(tau, rel=0.03)


def test_sums_of_squares_fail_by_the_jitter_at_least():
    n, tau = 9, 0.02
    one, _, T, kept, labels = repeated(n, 0)
    new = ipso_in_groups(T, kept, labels, streams_of(1), jitter=tau)[0].reshape(-1, n, 3)
    squares = n * new.var(axis=1) - n * one.var(axis=0)
    # (x - mean)^2 is a part of the sum: to first order its error is 2 (x - mean) times that of x
    errors = squares[:, None, :] / (2 * (one - one.mean(axis=0))) / one.std(axis=0)
    assert (errors.std(axis=0) > 0.97 * tau).all()


def test_without_jitter_differencing_gives_the_last_record():
    one, _, T, kept, labels = repeated(9, 0, times=10)
    new = ipso_in_groups(T, kept, labels, streams_of(1))[0].reshape(-1, 9, 3)
    assert np.abs(9 * new.mean(axis=1) - one[:-1].sum(axis=0) - one[-1]).max() < 1e-12
