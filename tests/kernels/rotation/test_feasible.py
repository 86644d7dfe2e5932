"""Files drawn among those with the same moments that keep bounds."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.draws.groups import ipso_in_groups
from microveil.kernels.rotation import feasible
from microveil.kernels.rotation.feasible import Bounds, draw_feasible
from tests.streams import streams_of


def lognormal(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    return np.exp(streams_of(seed).normals(0, rows, columns))


def at_least_zero(columns: int) -> Bounds:
    return Bounds(np.eye(columns), np.zeros((1, columns)))


def draw(X, bounds=None, kept=None, labels=None, seed=3, sweeps=10):
    labels = np.zeros(len(X), dtype=np.int64) if labels is None else labels
    kept = np.zeros((len(X), 0)) if kept is None else kept
    bounds = Bounds.none(X.shape[1]) if bounds is None else bounds
    return draw_feasible(X, bounds, kept, labels, streams_of(seed), sweeps)


def assert_moments_stay(new, X, labels):
    for g in range(labels.max() + 1):
        one, other = new[labels == g], X[labels == g]
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), rtol=1e-12)
        scale = np.sqrt(np.outer(other.var(axis=0), other.var(axis=0)))
        assert (np.abs(np.cov(one.T, ddof=0) - np.cov(other.T, ddof=0)) <= 1e-12 * scale).all()


def test_moments_of_groups_stay_bounds_hold_and_nothing_is_left_of_the_old_rows():
    X = lognormal(600, 4)
    labels = np.arange(600) % 40
    forms = np.vstack([np.eye(4), [[3.0, 1.0, 1.0, -0.01]]])
    X = np.where((X @ forms.T < 0).any(axis=1)[:, None], 1.0, X)
    drawn = draw(X, Bounds(forms, np.zeros((1, 5))), labels=labels)
    assert_moments_stay(drawn.values, X, labels)
    assert (drawn.values @ forms.T).min() >= 0
    assert (drawn.source < 0).all()
    assert ((drawn.room > 0) & (drawn.room < 1)).all()
    assert drawn.forgotten


@pytest.mark.parametrize("size", [5, 10, 40])
@pytest.mark.parametrize("bounded", [True, False])
def test_a_walk_stopped_too_early_is_noticed_and_goes_on(size, bounded, monkeypatch):
    X, labels = lognormal(2_000, 4) ** 0.5, np.arange(2_000) % (2_000 // size)
    bounds = at_least_zero(4) if bounded else None
    for stopped in (1, 2):
        monkeypatch.setattr(feasible, "_MOST", 1)
        short = draw(X, bounds, labels=labels, sweeps=stopped)
        assert short.likeness > 10 * short.error
        assert not short.forgotten
        monkeypatch.undo()
        long = draw(X, bounds, labels=labels, sweeps=stopped)
        assert long.sweeps > 2 * stopped
        assert long.forgotten


def test_rows_that_do_little_but_change_places_are_not_forgotten():
    X = np.tile([[90.0], [0.01], [0.02]], (200, 1))
    drawn = draw(X, at_least_zero(1), labels=np.repeat(np.arange(200), 3))
    assert (drawn.source < 0).all()
    assert drawn.likeness > 0.99
    assert not drawn.forgotten


def test_where_chance_hides_everything_ten_sweeps_are_made_all_the_same():
    assert draw(lognormal(10, 2), at_least_zero(2), sweeps=1).sweeps >= 10


def test_every_member_of_a_group_is_as_likely_in_every_place():
    files, size = 2_000, 5
    X = np.tile(lognormal(size, 2), (files, 1))
    labels = np.repeat(np.arange(files), size)
    for sweeps in (1, 10):
        new = draw(X, at_least_zero(2), labels=labels, sweeps=sweeps).values.reshape(files, size, 2)
        error = new.std(axis=0) / np.sqrt(files)
        assert (np.abs(new.mean(axis=0) - X[:size].mean(axis=0)) < 5 * error).all()


def test_without_bounds_the_distribution_is_that_of_ipso():
    from scipy.stats import ks_2samp

    files, size = 1_500, 6
    X, labels = np.tile(lognormal(size, 2), (files, 1)), np.repeat(np.arange(files), size)
    walked = draw(X, labels=labels).values
    turned = ipso_in_groups(X, np.zeros((len(X), 0)), labels, streams_of(8))[0]
    for statistic in (lambda new: new[:, :, 0].max(axis=1), lambda new: (new**3).sum(axis=(1, 2))):
        one, other = (statistic(new.reshape(files, size, 2)) for new in (walked, turned))
        assert ks_2samp(one, other).pvalue > 1e-4


def test_with_bounds_the_distribution_is_that_of_ipsos_files_that_keep_them():
    from scipy.stats import ks_2samp

    files, size = 1_500, 5
    X = 0.2 + lognormal(size, 2, seed=2)
    many = np.tile(X, (6 * files, 1))
    turned = ipso_in_groups(many, np.zeros((len(many), 0)), np.repeat(np.arange(6 * files), size), streams_of(8))[0]
    turned = turned.reshape(-1, size, 2)
    feasible_ones = turned[(turned >= 0).all(axis=(1, 2))]
    assert 1_000 < len(feasible_ones) < 2_000
    labels = np.repeat(np.arange(files), size)
    walked = draw(np.tile(X, (files, 1)), at_least_zero(2), labels=labels, sweeps=30).values.reshape(files, size, 2)
    for statistic in (
        lambda new: new[:, :, 0].max(axis=1),
        lambda new: new.min(axis=(1, 2)),
        lambda new: (new**3).sum(axis=(1, 2)),
    ):
        assert ks_2samp(statistic(walked), statistic(feasible_ones)).pvalue > 1e-4


def test_rows_of_groups_of_one_and_two_and_constant_columns_come_back_to_the_last_bit():
    X = np.column_stack([lognormal(9, 1), np.full(9, 0.1)])
    labels = np.array([0, 1, 1, 2, 2, 2, 2, 2, 2])
    drawn = draw(X, at_least_zero(2), labels=labels)
    assert (drawn.values[:, 1] == 0.1).all()
    assert (drawn.source[:3] >= 0).all()
    assert (drawn.values[:3] == X[drawn.source[:3]]).all()
    assert (drawn.values[3:, 0] != X[3:, 0]).all()


def test_amounts_of_all_sizes_keep_a_bound_of_zero():
    X = lognormal(200, 1) * 10.0 ** (np.arange(200) % 14 - 3)[:, None]
    X[::17] = 0.0
    drawn = draw(X, at_least_zero(1), labels=np.arange(200) % 10)
    assert drawn.values.min() >= 0


def test_a_large_constant_in_a_rule_leaves_room():
    years = 1_900.0 + lognormal(60, 1)
    drawn = draw(years, Bounds(np.ones((1, 1)), np.array([[-1_900.0]])), labels=np.arange(60) % 6)
    assert drawn.values.min() >= 1_900
    assert (drawn.source < 0).all()


def test_constants_of_rows_go_with_their_rows():
    X, least = lognormal(120, 1), np.zeros((120, 1))
    kept = 0.9 * X * streams_of(2).uniforms(0, 120, 1)
    drawn = draw(X, Bounds(np.ones((1, 1)), least - kept), kept, np.arange(120) % 4)
    assert (drawn.values >= kept).all()
    assert (drawn.values != X).all()


def test_likeness_is_told_of_what_kept_columns_leave_free():
    kept = streams_of(4).normals(0, 400, 1)
    X = np.hstack([5 * kept, np.zeros_like(kept)]) + streams_of(5).normals(0, 400, 2)
    X[:, 1] = 2 * kept[:, 0] + 3  # determined: nothing of it may move
    drawn = draw(X, kept=kept, labels=np.arange(400) % 20)
    assert abs(drawn.likeness) < 0.1
    assert (drawn.values[:, 1] == X[:, 1]).all()
    assert np.corrcoef(drawn.values[:, 0], X[:, 0])[0, 1] > 0.9


def test_kept_columns_that_are_constant_in_a_group_take_no_room():
    X, labels = lognormal(20, 2), np.repeat([0, 1, 2, 3], 5)
    kept = (labels[:, None] == np.arange(1, 4)).astype(float)
    drawn = draw(X, kept=kept, labels=labels)
    assert (drawn.source < 0).all()
    assert_moments_stay(drawn.values, X, labels)


def test_kept_columns_far_from_zero_keep_their_covariances():
    X, kept = lognormal(60, 2), 1e9 + streams_of(6).normals(0, 60, 1)
    drawn = draw(X, kept=kept, labels=np.zeros(60, dtype=np.int64))
    before, after = (((V - V.mean(axis=0)) * (kept - kept.mean())).mean(axis=0) for V in (X, drawn.values))
    np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_part_of_the_groups_gets_the_same_rows(kept):
    X, K, labels = lognormal(60, 2), streams_of(9).normals(0, 60, kept), np.repeat(np.arange(6), 10)
    whole = draw(X, at_least_zero(2), K, labels).values
    rows = np.arange(20, 60)
    streams = streams_of(3).of_rows(rows)
    part = draw_feasible(X[rows], at_least_zero(2), K[rows], labels[rows] - 2, streams)
    assert (part.values == whole[rows]).all()
