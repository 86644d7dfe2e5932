from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis, multivariate_t

from microveil.core.errors import NotEnoughRecords
from microveil.kernels.mixture.draw import redraw_clusters
from tests.streams import streams_of


def error(before: np.ndarray, after: np.ndarray) -> float:
    scale = np.where(before.std(axis=0) > 0, before.std(axis=0), 1.0)
    means = np.abs(after.mean(axis=0) - before.mean(axis=0)) / scale
    change = np.cov(after.T / scale[:, None]) - np.cov(before.T / scale[:, None])
    return float(max(means.max(), np.abs(change).max()))


@pytest.mark.parametrize("degrees", [np.inf, 3.0, None])
@pytest.mark.parametrize("kept", [0, 2])
def test_moments_are_exact_in_every_group(degrees: float | None, kept: int):
    draw = np.random.default_rng(1)
    T, S = draw.gamma(1.0, size=(90, 3)), draw.normal(size=(90, kept))
    T = np.column_stack([T, T[:, 0] + T[:, 1], np.full(90, 4.0)])
    labels = np.arange(90) % 3
    new, _ = redraw_clusters(T.copy(), S, labels, None if degrees is None else np.full(3, degrees), streams_of(1))
    for g in range(3):
        before, after = np.hstack([T, S])[labels == g], np.hstack([new, S])[labels == g]
        assert error(before, after) < 1e-12
    assert np.abs(new - T)[:, :4].min() > 0
    assert (new[:, 4] == 4.0).all()
    assert new[:, 3] == pytest.approx(new[:, 0] + new[:, 1])


def test_t_rows_have_heavy_tails():
    draw = np.random.default_rng(2)
    T, labels = draw.normal(size=(4000, 2)), np.zeros(4000, dtype=np.int64)
    normal, heavy = (
        redraw_clusters(T.copy(), np.zeros((4000, 0)), labels, np.array([nu]), streams_of(3))[0] for nu in (np.inf, 4.0)
    )
    assert abs(kurtosis(normal)).max() < 0.4
    assert kurtosis(heavy).min() > 1


def test_small_groups_are_exact_or_refused():
    draw = np.random.default_rng(4)
    T, S = draw.normal(size=(7, 3)), draw.normal(size=(7, 2))
    new, _ = redraw_clusters(T.copy(), S, np.zeros(7, dtype=np.int64), np.array([np.inf]), streams_of(4))
    assert error(np.hstack([T, S]), np.hstack([new, S])) < 1e-10
    with pytest.raises(NotEnoughRecords, match="group 0 has 4 records and 1 free dimensions; at least 2 are needed"):
        redraw_clusters(T[:4], S[:4], np.zeros(4, dtype=np.int64), np.array([np.inf]), streams_of(4))


def test_tails_are_found_in_every_group():
    draw = np.random.default_rng(5)
    T = np.vstack([draw.normal(size=(3000, 2)), multivariate_t(np.zeros(2), np.eye(2), df=5, seed=2).rvs(3000)])
    labels = np.repeat([0, 1], 3000)
    _, used = redraw_clusters(T.copy(), draw.normal(size=(6000, 1)), labels, None, streams_of(5))
    assert used[0] > 30
    assert used[1] == pytest.approx(5, abs=1)


def test_most_records_equal():
    draw = np.random.default_rng(6)
    T = np.where(draw.random((300, 2)) < 0.9, 0.0, draw.gamma(1.0, size=(300, 2)))
    new, used = redraw_clusters(T.copy(), np.zeros((300, 0)), np.zeros(300, dtype=np.int64), None, streams_of(6))
    assert used[0] == 3
    assert error(T, new) < 1e-12
