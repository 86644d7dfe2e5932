"""Among the files with the same moments that keep bounds, one that is near another file: sweeps of best rotations.

The squared distance of three turned records to their targets is a constant less A cos t + B sin t, so that the best
angle is known; where a bound forbids it, the nearest free angle is best.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.philox import fill_block
from microveil.core.streams import Streams
from microveil.kernels.fixed.angles import angle_of, point_at
from microveil.kernels.rotation.arcs import nearest_free
from microveil.kernels.rotation.feasible import Bounds
from microveil.kernels.rotation.triples import DRAWS, ROOT_3, THIRD, blocked_arcs, turn_three, two_others

_SWEEPS = 50  # towards the targets at a time
_ROUNDS = (8, 20)  # of so many sweeps, at most: for large files, and for those of which all moves are below
_MOVES = 40_000_000
_GAIN = 0.002  # of the distance: what another round has to bring


def draw_near(
    X: Floats, targets: Floats, scale: Floats, bounds: Bounds, classes: Ints, streams: Streams
) -> tuple[Floats, int]:
    """Rows that begin at X, keep its moments and bounds, and come near their targets; and the sweeps that were made.

    Rows are turned with others of their class, numbered from 0. Distances are in units of `scale`. Sweeps end when
    another 50 would bring them less than 0.2 % nearer, or after 1,000 (in files of 100,000 rows after 400).
    """
    done = 0
    rows = np.argsort(classes, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(classes)))
    X, centre, own = X[rows], X.mean(axis=0), streams.of_rows(rows)
    margins = bounds.margins(X, rows, starts)
    new, slacks, wanted = (X - centre) / scale, bounds.slacks(X, rows), (targets[rows] - centre) / scale
    far, began = _squared(new, wanted), new
    for _ in range(int(np.clip(_MOVES // (_SWEEPS * max(len(X), 1)), *_ROUNDS))):
        new, slacks = sweep_towards(new, slacks, margins, wanted, starts, own.at(done), _SWEEPS)
        done += _SWEEPS
        now = _squared(new, wanted)
        if now >= (1.0 - _GAIN) ** 2 * far:
            break
        far = now
    found = np.empty_like(X)
    # what never moved is as it was to the last bit: a row may lie on a bound, and zeros of a class are zeros
    found[rows] = np.where(new == began, X, new * scale + centre)
    return found, done


def _squared(X: Floats, Y: Floats) -> float:
    return float(((X - Y) ** 2).sum())


def sweep_towards(
    X: Floats,
    slacks: Floats,
    margins: Floats,
    targets: Floats,
    starts: Ints,
    streams: Streams,
    sweeps: int,
) -> tuple[Floats, Floats]:
    """Rows turned three at a time inside their groups, each time as near to their targets as bounds allow.

    X and targets are in units in which a distance of 1 counts the same in every column. Returns the rows and their
    slacks; the distance never grows.
    """
    state = np.hstack([X, slacks])
    key = streams.at("moves").philox_key
    low, high = np.uint64(key & (2**64 - 1)), np.uint64(key >> 64)
    _sweep(state, X.shape[1], margins, targets, starts, streams.places(len(X)), low, high, sweeps)
    return state[:, : X.shape[1]], state[:, X.shape[1] :]


@compiled
def _sweep(
    Z: Floats,
    p: int,
    margins: Floats,
    Y: Floats,
    starts: Ints,
    places: Ints,
    low: np.uint64,
    high: np.uint64,
    sweeps: int,
) -> None:
    m = Z.shape[1] - p
    ends, order, block = np.empty((2 * m + 2, 2)), np.empty(2 * m + 2, np.int64), np.empty(4, np.uint64)
    for sweep in range(sweeps):
        for g in range(len(starts) - 1):
            first, size = starts[g], starts[g + 1] - starts[g]
            if size < 3:
                continue
            for i in range(first, first + size):
                fill_block(block, (np.uint64(sweep) << DRAWS) + np.uint64(places[i]) + np.uint64(1), low, high)
                j, k = two_others(block, i, first, size)
                wanted = _best_angle(Z, p, Y, i, j, k)
                blocked = blocked_arcs(Z, p, margins[g], i, j, k, ends)
                angle = nearest_free(ends, order, blocked, THIRD, wanted)
                if np.isnan(angle):
                    angle = THIRD * np.rint(wanted / THIRD)  # only changing places is left
                if point_at(angle - wanted)[0] > point_at(wanted)[0]:
                    turn_three(Z, i, j, k, angle)


@compiled
def _best_angle(Z: Floats, p: int, Y: Floats, i: int, j: int, k: int) -> float:
    along, across = 0.0, 0.0
    for c in range(p):
        a, b, e = Z[i, c], Z[j, c], Z[k, c]
        x, y = (2.0 * a - b - e) / 3.0, (b - e) / ROOT_3
        s, t = Y[i, c] - 0.5 * (Y[j, c] + Y[k, c]), 0.5 * ROOT_3 * (Y[j, c] - Y[k, c])
        along += x * s + y * t
        across += x * t - y * s
    return angle_of(across, along)
