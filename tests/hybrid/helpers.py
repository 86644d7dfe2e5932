"""Moments and small files for tests of hybrid methods."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.mask.helpers import normal_frame
from tests.reference import census, eia_amounts

EXACT = 1e-9


def moment_error(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Largest change of a mean or covariance, in standard deviations of the original."""
    X, Y = before.to_numpy(dtype=float), after.to_numpy(dtype=float)
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    means = np.abs((Y.mean(axis=0) - X.mean(axis=0)) / scale).max()
    covariances = np.cov((Y / scale).T, ddof=0) - np.cov((X / scale).T, ddof=0)
    return float(max(means, np.abs(covariances).max()))


def singular_frame(n: int = 60) -> pd.DataFrame:
    """A sum, a multiple and a constant beside three free columns."""
    frame = normal_frame(n)
    return frame.assign(total=frame.a + frame.b, double=2 * frame.c, same=5.0)


FILES = {
    "normal": normal_frame,
    "singular": singular_frame,
    "tiny": lambda: normal_frame(5),
    "census": census,
    "eia": eia_amounts,
}
