"""Agreement patterns of pairs of records and the Fellegi-Sunter model fitted to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.kernels.linkage.cells import Cells, difference

_SMALLEST = 1e-6  # probabilities stay away from 0 and 1
_STEPS = 2000
_TOLERANCE = 1e-10


class Agreement(NamedTuple):
    """Probability of each level of agreement of each attribute, in true pairs (m) and in others (u).

    Level 0 is full agreement; `likelihood` has the log-likelihood after every step.
    """

    m: Floats
    u: Floats
    share: float
    likelihood: Floats

    def weights(self, levels: Ints) -> Floats:
        """log2(m/u) of each level; levels an attribute lacks repeat its last one."""
        out = np.log2(self.m / self.u)
        for j, count in enumerate(levels):
            out[j, count:] = out[j, count - 1]
        return np.asarray(out)


@compiled
def count_patterns(
    queries: Cells, query_counts: Ints, points: Cells, point_counts: Ints, block: Ints, point_block: Ints, levels: Ints
) -> Floats:
    """How many pairs (in the same block) show each pattern; a pattern is a number in mixed radix `levels`.

    The level of an attribute is the difference of the two codes, at most its number of levels - 1; the first columns
    are compared, as many as there are levels.
    """
    size = 1
    for j in range(len(levels)):
        size *= levels[j]
    out = np.zeros(size)
    # side by side, so that nobody looks through the other blocks
    order = np.argsort(point_block, kind="mergesort")
    ordered = point_block[order]
    for i in range(len(queries.low)):
        first, end = np.searchsorted(ordered, block[i]), np.searchsorted(ordered, block[i], side="right")
        for k in order[first:end]:
            pattern = 0
            for j in range(len(levels)):
                pattern = pattern * levels[j] + min(int(difference(queries, i, points, k, j)), levels[j] - 1)
            out[pattern] += query_counts[i] * point_counts[k]
    return out


def fit_agreement(counts: Floats, levels: Ints, share: float | None) -> Agreement:
    """Maximum likelihood by EM under conditional independence (Fellegi & Sunter 1969; Winkler 1993).

    `share` is the known share of true pairs; None estimates it too.
    """
    patterns = np.flatnonzero(counts)
    c = np.asarray(counts[patterns], dtype=np.float64)
    seen = _decoded(patterns, levels)
    widest = int(levels.max())
    u = np.array([np.bincount(column, weights=c, minlength=widest) for column in seen.T]) / c.sum()
    m = np.array([[0.9 if level == 0 else 0.1 / max(k - 1, 1) for level in range(widest)] for k in levels])
    m, u = _clamped(m, levels), _clamped(u, levels)
    p = 0.1 / np.sqrt(c.sum()) if share is None else share
    history: list[float] = []
    for _ in range(_STEPS):
        of_match, of_other, matches, likelihood = _expectation(seen, c, m, u, p)
        history.append(likelihood)
        if len(history) > 1 and history[-1] - history[-2] <= _TOLERANCE * abs(history[-1]):
            break
        m, u = _clamped(of_match / matches, levels), _clamped(of_other / (c.sum() - matches), levels)
        if share is None:
            p = float(np.clip(matches / c.sum(), 1e-12, 0.5))
    return Agreement(m, u, p, np.array(history))


@compiled
def _expectation(seen: Ints, c: Floats, m: Floats, u: Floats, p: float) -> tuple[Floats, Floats, float, float]:
    """Expected numbers of true and other pairs at each level, of true pairs in all, and the log-likelihood."""
    of_match, of_other = np.zeros(m.shape), np.zeros(u.shape)
    matches = likelihood = 0.0
    for i in range(len(c)):
        match, other = p, 1.0 - p
        for j in range(seen.shape[1]):
            match *= m[j, seen[i, j]]
            other *= u[j, seen[i, j]]
        likelihood += c[i] * np.log(match + other)
        true = c[i] * match / (match + other)
        matches += true
        for j in range(seen.shape[1]):
            of_match[j, seen[i, j]] += true
            of_other[j, seen[i, j]] += c[i] - true
    return of_match, of_other, matches, likelihood


def _decoded(patterns: Ints, levels: Ints) -> Ints:
    out = np.empty((len(patterns), len(levels)), dtype=np.int64)
    rest = patterns.copy()
    for j in range(len(levels) - 1, -1, -1):
        rest, out[:, j] = np.divmod(rest, levels[j])
    return out


def _clamped(probability: Floats, levels: Ints) -> Floats:
    out = np.clip(probability, _SMALLEST, 1.0 - _SMALLEST)
    for j, count in enumerate(levels):
        out[j, count:] = _SMALLEST
        out[j, :count] /= out[j, :count].sum()
    return out
