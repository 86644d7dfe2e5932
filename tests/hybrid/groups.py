"""Files with kept columns, and moments in groups, for tests of methods that redraw inside groups."""

from __future__ import annotations

import numpy as np
import pandas as pd


def amounts(n=300, p=3, q=2, seed=0):
    draw = np.random.default_rng(seed)
    S = draw.normal(size=(n, q))
    T = S @ draw.normal(size=(q, p)) + draw.gamma(1.0, size=(n, p))
    return pd.DataFrame(np.hstack([T, S]), columns=[*(f"t{j}" for j in range(p)), *(f"s{j}" for j in range(q))])


def moment_change(before, after):
    """Largest change of a mean or covariance in standard deviations of the original."""
    scale = np.where(before.std(axis=0) > 0, before.std(axis=0), 1.0)
    covariances = (np.cov((after / scale).T) - np.cov((before / scale).T)).reshape(-1)
    return max(np.abs((after.mean(axis=0) - before.mean(axis=0)) / scale).max(), np.abs(covariances).max())


def assert_moments(frame, release, names, tolerance=1e-9):
    """Overall and in every group, relative to the deviations of the whole file."""
    before, after = frame[names].to_numpy(float), release.frame[names].to_numpy(float)
    assert moment_change(before, after) < tolerance
    scale = before.std(axis=0)
    for group in range(release.groups.max() + 1):
        rows = release.groups == group
        x, y = before[rows] / scale, after[rows] / scale
        assert np.abs(x.mean(axis=0) - y.mean(axis=0)).max() < tolerance
        assert np.abs(np.cov(x.T) - np.cov(y.T)).max() < tolerance * max(1.0, np.abs(np.cov(x.T)).max())
