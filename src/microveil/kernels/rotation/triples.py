"""Rotations of three records that keep sums and sums of products, inside linear bounds: a walk over feasible files.

Three records are turned in the plane orthogonal to (1, 1, 1) by one angle for all columns. Every linear form of the
record moves as m + r cos(f + t), so that a bound forbids an arc of angles that is known in closed form; arcs of the
three records lie a third of a turn apart. An angle is drawn uniformly from what is free, which is the distribution of
the angle given all else under the uniform distribution over feasible rotations: this is where the walk goes (Kac's walk
if there are no bounds, whose limit is the rotation of Haar's measure).
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.compiling import compiled, inlined
from microveil.core.philox import fill_block
from microveil.core.streams import Streams
from microveil.kernels.fixed.angles import angle_of, arc_with, point_at
from microveil.kernels.rotation.arcs import add_arc, draw_free

THIRD = 2.0 * np.pi / 3.0
ROOT_3 = np.sqrt(3.0)
UNIT = 2.0**-53
DRAWS = np.uint64(40)  # records of a file are fewer than 2^40; what is above counts draws


def walk_in_groups(
    Z: Floats, p: int, margins: Floats, starts: Ints, source: Ints, streams: Streams, sweeps: int, first: int = 0
) -> Floats:
    """Turn rows three at a time inside their groups, in place, every row `sweeps` times first of three.

    The first p columns of Z are values, the others slacks: linear forms of them plus a constant, 0 at a bound. Rows of
    group g are those from starts[g] to starts[g + 1]. No slack that moves falls below its margin of the group
    (`margins`: groups x bounds). `source` moves with rows that change places; where a row was turned it is below 0, and
    ~source is the row that it was before by the nearest change of places of each turn.
    The positions of `streams` are those of the rows; `first` counts the sweeps that were made before. Returns the mean
    share of the circle that was free in the moves of each group (0 where records are equal: there is nothing to turn).
    """
    key = streams.at("moves").philox_key
    low, high = np.uint64(key & (2**64 - 1)), np.uint64(key >> 64)
    return _walk(Z, p, margins, starts, source, streams.places(len(Z)), low, high, first, first + sweeps)


@compiled
def _walk(
    Z: Floats,
    p: int,
    margins: Floats,
    starts: Ints,
    source: Ints,
    places: Ints,
    low: np.uint64,
    high: np.uint64,
    first_sweep: int,
    end: int,
) -> Floats:
    m = Z.shape[1] - p
    groups = len(starts) - 1
    room = np.zeros(groups)
    ends, order, block = np.empty((2 * m + 2, 2)), np.empty(2 * m + 2, np.int64), np.empty(4, np.uint64)
    for g in range(groups):
        first, size = starts[g], starts[g + 1] - starts[g]
        if size < 3:
            continue
        for sweep in range(first_sweep, end):
            for i in range(first, first + size):
                fill_block(block, (np.uint64(sweep) << DRAWS) + np.uint64(places[i]) + np.uint64(1), low, high)
                j, k = two_others(block, i, first, size)
                blocked = blocked_arcs(Z, p, margins[g], i, j, k, ends)
                share = np.float64(block[2] >> np.uint64(11)) * UNIT
                angle, free = draw_free(ends, order, blocked, THIRD, share)
                if free > 0.0 and turn_three(Z, i, j, k, angle):
                    room[g] += free / THIRD
                    mark_turned(source, i)
                    mark_turned(source, j)
                    mark_turned(source, k)
                    if angle > 0.5 * THIRD:  # nearer to the next change of places
                        source[i], source[j], source[k] = source[k], source[i], source[j]
                pass_on(Z, source, i, j, k, block[3] % np.uint64(3))
        room[g] /= (end - first_sweep) * size
    return room


@inlined
def two_others(block: Words, i: int, first: int, size: int) -> tuple[int, int]:
    """Two rows of the group that are not row i, by multiplying 32 bits with their number."""
    half = np.uint64(32)
    j = first + int(((block[0] >> half) * np.uint64(size - 1)) >> half)
    if j >= i:
        j += 1
    k = first + int(((block[1] >> half) * np.uint64(size - 2)) >> half)
    if k >= min(i, j):
        k += 1
    if k >= max(i, j):
        k += 1
    return j, k


@compiled
def blocked_arcs(Z: Floats, p: int, margins: Floats, i: int, j: int, k: int, ends: Floats) -> int:
    """Arcs of a third of the circle (the next thirds repeat it) that some bound forbids; -1 if nothing is free."""
    count = 0
    for c in range(p, Z.shape[1]):
        a, b, e = Z[i, c], Z[j, c], Z[k, c]
        middle = (a + b + e) / 3.0 - margins[c - p]
        x, y = (2.0 * a - b - e) / 3.0, (b - e) / ROOT_3
        squared = x * x + y * y
        if squared == 0.0 or (middle >= 0.0 and middle * middle >= squared):
            continue
        ratio = middle / np.sqrt(squared)
        if ratio <= 0.5:
            return -1
        count = add_arc(ends, count, np.pi - angle_of(y, x), arc_with(ratio), THIRD)
    return count


@inlined
def turn_three(Z: Floats, i: int, j: int, k: int, angle: float) -> bool:
    """Turn three rows by an angle in the plane orthogonal to (1, 1, 1); whether they were not all equal."""
    differ = False
    cosine, sine = point_at(angle)
    for c in range(Z.shape[1]):
        a, b, e = Z[i, c], Z[j, c], Z[k, c]
        x, y = (2.0 * a - b - e) / 3.0, (b - e) / ROOT_3
        if x == 0.0 and y == 0.0:
            continue  # equal values stay as they are to the last bit
        differ, middle = True, (a + b + e) / 3.0
        u, v = x * cosine - y * sine, y * cosine + x * sine
        Z[i, c] = middle + u
        Z[j, c] = middle - 0.5 * u + 0.5 * ROOT_3 * v
        Z[k, c] = middle - 0.5 * u - 0.5 * ROOT_3 * v
    return differ


@inlined
def mark_turned(source: Ints, i: int) -> None:
    """A row is no longer as it was; which one it was stays known, as ~source."""
    if source[i] >= 0:
        source[i] = ~source[i]


@inlined
def pass_on(Z: Floats, source: Ints, i: int, j: int, k: int, steps: np.uint64) -> None:
    """The three rows change places in a circle: the thirds of a turn, of which the arcs know nothing."""
    for _ in range(steps):
        source[i], source[j], source[k] = source[k], source[i], source[j]
        for c in range(Z.shape[1]):
            Z[i, c], Z[j, c], Z[k, c] = Z[k, c], Z[i, c], Z[j, c]
