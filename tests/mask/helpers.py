"""Small frames for tests of masks, and disclosure by intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def normal_frame(n: int = 200, p: int = 3, seed: int = 0) -> pd.DataFrame:
    """Correlated columns a, b, c, ... far from mean 0."""
    generator = np.random.default_rng(seed)
    mixing = np.eye(p) + 0.6 * np.tri(p, k=-1)
    X = generator.normal(size=(n, p)) @ mixing.T * 10.0 ** np.arange(p) + 100.0
    return pd.DataFrame(X, columns=list("abcdefgh"[:p]))


def covariance(frame: pd.DataFrame) -> np.ndarray:
    return np.cov(frame.to_numpy(dtype=float).T, ddof=0)


def rank_interval(original: np.ndarray, masked: np.ndarray) -> float:
    """Rank interval disclosure in per cent, half-widths 1..10 %, ties at the lowest rank."""
    n, p = original.shape
    hits = []
    for j in range(p):
        ordered = np.sort(masked[:, j])
        rank = np.searchsorted(ordered, masked[:, j], "left")
        for percent in range(1, 11):
            w = int(n * percent / 100)
            low, high = ordered[np.maximum(rank - w, 0)], ordered[np.minimum(rank + w, n - 1)]
            hits.append(((low <= original[:, j]) & (original[:, j] <= high)).mean())
    return 100 * float(np.mean(hits))


def sd_interval(original: np.ndarray, masked: np.ndarray) -> float:
    """Standard-deviation interval disclosure in per cent, half-widths 1..10 %."""
    sd = original.std(axis=0, ddof=1)
    change = np.abs(original - masked)
    return 100 * float(np.mean([(change <= percent / 100 * sd).mean() for percent in range(1, 11)]))
