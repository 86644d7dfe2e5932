"""How hybrid data behave in random subsets of the records, and how many of them are linked to their originals.

Reference: Domingo-Ferrer & Gonzalez-Nicolas 2010, Hybrid microdata using microaggregation, section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.streams import Key, Streams
from microveil.reproduce.base import draw_keys
from microveil.run.method import Method

SAMPLES = 100
SHARE = 0.1
STATISTICS = (
    "mean X1",
    "mean X2",
    "variance X1",
    "variance X2",
    "covariance Y1 X1",
    "covariance Y1 X2",
    "covariance Y2 X1",
    "covariance Y2 X2",
    "third moment X1",
    "fourth moment X1",
    "third moment X2",
    "fourth moment X2",
)


@dataclass(frozen=True)
class Study:
    """A reference file with the attributes replaced (X1, X2) and those kept (Y1, Y2)."""

    file: str
    replaced: tuple[str, str]
    kept: tuple[str, str]

    def values(self) -> tuple[Floats, Floats]:
        """X and Y of all records."""
        from microveil import datasets

        frame = datasets.load(self.file)
        return _matrix(frame, self.replaced), _matrix(frame, self.kept)


@dataclass(frozen=True)
class Trial:
    """What one hybrid file shows."""

    variation: dict[str, float]  # mean over the samples of |changed - original| / |original|
    median: dict[str, float]  # the same with the median: some statistics come near zero in some samples
    correct: float  # per cent of the records linked to a record with their Y
    mutual: float  # the same, where links count only between records nearest to one another
    off: float  # largest change of a mean, variance or covariance on the whole file, in standard deviations
    notes: tuple[str, ...]


@lru_cache(maxsize=64)
def trials(
    study: Study, setting: str, method: Method, draws: int, key: Key, *, given: bool = True
) -> tuple[Trial, ...]:
    """One trial per draw; without `given` the method is not told Y.

    Kept, because the paper's tables share settings; `setting` names the random numbers.
    """
    import pyarrow as pa

    X, Y = study.values()
    columns = zip((*study.replaced, *study.kept), np.hstack([X, Y]).T, strict=True)
    frame = pa.table(dict(columns))
    kept: dict[str, Any] = {"given": study.kept if given else ()} if method.conditions else {}
    found = []
    for one in draw_keys(key, draws, "subdomains", study.file, setting):
        release = method.apply(frame, columns=study.replaced, seed=one, **kept)
        found.append(_trial(X, _matrix(release.frame, study.replaced), Y, one, release.steps[-1].notes))
    return tuple(found)


def _trial(X: Floats, new: Floats, Y: Floats, key: Key, notes: tuple[str, ...]) -> Trial:
    generator = Streams(key).at("samples").generator()
    size = int(SHARE * len(X))
    rows = np.array([generator.choice(len(X), size, replace=False) for _ in range(SAMPLES)])
    change = variation(X[rows], new[rows], Y[rows])
    return Trial(
        dict(zip(STATISTICS, change.mean(axis=0).tolist(), strict=True)),
        dict(zip(STATISTICS, np.median(change, axis=0).tolist(), strict=True)),
        correct_matches(X, new, Y),
        correct_matches(X, new, Y, mutual=True),
        _off(X, new, Y),
        notes,
    )


def variation(X: Floats, new: Floats, Y: Floats) -> Floats:
    """|changed - original| / |original| of every statistic (columns) in every sample (rows)."""
    before, after = _statistics(X, Y), _statistics(new, Y)
    return np.asarray(np.abs(after - before) / np.abs(before))


def _statistics(X: Floats, Y: Floats) -> Floats:
    """The statistics of stacked samples (sample, record, attribute), in the order of `STATISTICS`."""
    mean = X.mean(axis=1)
    x, y = X - mean[:, None], Y - Y.mean(axis=1, keepdims=True)
    covariance = np.einsum("sra,srb->sab", y, x).reshape(len(x), -1) / x.shape[1]
    squares = x * x
    higher = np.stack([np.mean(squares * x, axis=1), np.mean(squares * squares, axis=1)], axis=2).reshape(len(x), -1)
    return np.hstack([mean, np.mean(squares, axis=1), covariance, higher])


def correct_matches(X: Floats, new: Floats, Y: Floats, *, mutual: bool = False) -> float:
    """Per cent of new records whose nearest original on X has their Y; originals that tie share the link.

    Distances are Euclidean on attributes divided by the standard deviation of the original. With `mutual` a link counts
    only if nothing new is nearer to that original.
    """
    from scipy.spatial import cKDTree

    scale = X.std(axis=0)
    points, place, together = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    code = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    nearest = np.asarray(cKDTree(points / scale).query(new / scale)[1])
    # records by place and Y: how many of those tied at the nearest place have the Y looked for
    width = int(code.max()) + 1
    seen, counts = np.unique(place.ravel() * width + code, return_counts=True)
    wanted = nearest * width + code
    at = np.minimum(np.searchsorted(seen, wanted), len(seen) - 1)
    agreeing = np.where(seen[at] == wanted, counts[at], 0)
    if mutual:
        agreeing = np.where(_nearest_to_one_another(points / scale, new / scale, nearest), agreeing, 0)
    return float(100 * np.mean(agreeing / together[nearest]))


def _nearest_to_one_another(points: Floats, new: Floats, nearest: Ints) -> Bools:
    """Which new records lie where the point nearest to them has its own nearest new record."""
    from scipy.spatial import cKDTree

    places, place = np.unique(new, axis=0, return_inverse=True)
    back = np.asarray(cKDTree(places).query(points)[1])
    return np.asarray(back[nearest] == place.ravel())


def _off(X: Floats, new: Floats, Y: Floats) -> float:
    scale = np.hstack([X, Y]).std(axis=0)
    before, after = np.hstack([X, Y]) / scale, np.hstack([new, Y]) / scale
    means = np.abs(after.mean(axis=0) - before.mean(axis=0)).max()
    covariances = np.abs(np.cov(after.T, ddof=0) - np.cov(before.T, ddof=0)).max()
    return float(max(means, covariances))


def _matrix(frame: Any, names: Sequence[str]) -> Floats:
    return np.column_stack([frame.column(name).to_numpy().astype(np.float64) for name in names])
