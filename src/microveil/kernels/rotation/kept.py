"""The walk over feasible files where covariances with kept columns stay too.

As many records as there are kept columns, and three more, are turned at a time, in a plane that is orthogonal to the
ones and to the kept columns of these records: sums of products with the kept columns stay as they were.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.compiling import compiled, inlined
from microveil.core.philox import fill_block
from microveil.core.streams import Streams
from microveil.kernels.draws.frames import are_constant, remove_span, span_columns, standardise_columns
from microveil.kernels.fixed.angles import angle_of, arc_with, point_at
from microveil.kernels.rotation.arcs import add_arc, draw_free
from microveil.kernels.rotation.triples import DRAWS, UNIT, mark_turned

_CIRCLE = 2.0 * np.pi
_NEGLIGIBLE = 1e-10  # of the length 1 of a vector: what is left of it then is rounding


def walk_beside_kept(
    Z: Floats,
    p: int,
    margins: Floats,
    kept: Floats,
    starts: Ints,
    source: Ints,
    streams: Streams,
    sweeps: int,
    first: int = 0,
) -> Floats:
    """As `walk_in_groups`, and sums of products with the columns `kept` (centred in each group) stay in every group.

    Rows do not change places: others would have other kept values beside them.
    """
    key = streams.at("moves").philox_key
    low, high = np.uint64(key & (2**64 - 1)), np.uint64(key >> 64)
    return _walk(Z, p, margins, kept, starts, source, streams.places(len(Z)), low, high, first, first + sweeps)


@compiled
def residuals_in_groups(X: Floats, kept: Floats, starts: Ints) -> Floats:
    """The columns in every group, less their mean and what the kept columns explain of them."""
    left = np.empty_like(X)
    for g in range(len(starts) - 1):
        first, last = starts[g], starts[g + 1]
        own, beside = X[first:last].T.copy(), kept[first:last].T.copy()
        remove_span(own, span_columns(standardise_columns(beside, are_constant(beside))[0]))
        left[first:last] = own.T
    return left


@compiled
def _walk(
    Z: Floats,
    p: int,
    margins: Floats,
    kept: Floats,
    starts: Ints,
    source: Ints,
    places: Ints,
    low: np.uint64,
    high: np.uint64,
    first_sweep: int,
    end: int,
) -> Floats:
    most, groups = kept.shape[1] + 3, len(starts) - 1
    arcs = 2 * most * (Z.shape[1] - p)
    ends, order = np.empty((arcs + 2, 2)), np.empty(arcs + 2, np.int64)
    room, words = np.zeros(groups), np.empty(4 * (most // 4 + 1), np.uint64)
    for g in range(groups):
        first, size = starts[g], starts[g + 1] - starts[g]
        if size < 3:
            continue
        # fewer are enough where kept columns are constant or depend on one another
        together = min(most, size)
        rows, plane = np.empty(together, np.int64), np.empty((together, 2))
        basis = np.empty((min(kept.shape[1] + 1, together) + 1, together))
        for sweep in range(first_sweep, end):
            for i in range(first, first + size):
                _fill_words(words, np.uint64(sweep), np.uint64(places[i]), low, high)
                _choose_rows(rows, words, i, first, size)
                if not _free_plane(kept, rows, basis, plane):
                    continue
                blocked = _blocked_arcs(Z, p, margins[g], rows, plane, ends)
                share = np.float64(words[len(words) - 1] >> np.uint64(11)) * UNIT
                angle, free = draw_free(ends, order, blocked, _CIRCLE, share)
                room[g] += free / _CIRCLE
                if free > 0.0:
                    _turn(Z, rows, plane, angle)
                    for row in rows:
                        mark_turned(source, row)
        room[g] /= (end - first_sweep) * size
    return room


@inlined
def _fill_words(words: Words, sweep: np.uint64, place: np.uint64, low: np.uint64, high: np.uint64) -> None:
    blocks = np.uint64(len(words) // 4)
    for b in range(blocks):
        counter = ((sweep * blocks + np.uint64(b)) << DRAWS) + place + np.uint64(1)
        fill_block(words[4 * b : 4 * b + 4], counter, low, high)


@inlined
def _choose_rows(rows: Ints, words: Words, i: int, first: int, size: int) -> None:
    """Row i and others of its group, all different (Floyd's way: the last is taken where one was there already)."""
    half = np.uint64(32)
    rows[0] = i
    for r in range(1, len(rows)):
        # of the size - 1 others, numbered without row i
        top = size - len(rows) + r
        drawn = int(((words[r - 1] >> half) * np.uint64(top)) >> half)
        if _is_among(rows, r, _numbered(drawn, i, first)):
            drawn = top - 1
        rows[r] = _numbered(drawn, i, first)


@inlined
def _numbered(other: int, i: int, first: int) -> int:
    row = first + other
    return row + 1 if row >= i else row


@inlined
def _is_among(rows: Ints, count: int, row: int) -> bool:
    found = False
    for r in range(1, count):
        found |= rows[r] == row
    return found


@compiled
def _free_plane(kept: Floats, rows: Ints, basis: Floats, plane: Floats) -> bool:
    """Two orthonormal directions that the ones and the kept columns of these rows leave free; whether there are two."""
    size, held = len(rows), 0
    for c in range(kept.shape[1] + 1):
        for r in range(size):
            basis[held, r] = 1.0 if c == 0 else kept[rows[r], c - 1]
        before = _length(basis[held])
        for _ in range(2):
            for h in range(held):
                _remove(basis[held], basis[h])
        after = _length(basis[held])
        if after > _NEGLIGIBLE * before:
            for r in range(size):
                basis[held, r] /= after
            held += 1
            if held > size - 2:
                return False
    for found in range(2):
        # the unit vector of which the most is left
        best, most = 0, -1.0
        for r in range(size):
            left = 1.0
            for h in range(held):
                left -= basis[h, r] * basis[h, r]
            for f in range(found):
                left -= plane[r, f] * plane[r, f]
            if left > most:
                best, most = r, left
        if most <= _NEGLIGIBLE:
            return False
        direction = plane[:, found]
        for r in range(size):
            direction[r] = 1.0 if r == best else 0.0
        for _ in range(2):
            for h in range(held):
                _remove(direction, basis[h])
            for f in range(found):
                _remove(direction, plane[:, f])
        length = _length(direction)
        for r in range(size):
            direction[r] /= length
    return True


@inlined
def _length(x: Floats) -> float:
    total = 0.0
    for r in range(len(x)):
        total += x[r] * x[r]
    return float(np.sqrt(total))


@inlined
def _remove(x: Floats, unit: Floats) -> None:
    part = 0.0
    for r in range(len(x)):
        part += x[r] * unit[r]
    for r in range(len(x)):
        x[r] -= part * unit[r]


@compiled
def _blocked_arcs(Z: Floats, p: int, margins: Floats, rows: Ints, plane: Floats, ends: Floats) -> int:
    """Arcs of the circle that some bound of some row forbids; -1 if nothing is free."""
    count, reaches, places = 0, np.empty(len(rows)), np.empty(len(rows))
    for r in range(len(rows)):
        reaches[r] = np.sqrt(plane[r, 0] * plane[r, 0] + plane[r, 1] * plane[r, 1])
        places[r] = angle_of(plane[r, 1], plane[r, 0])
    for c in range(p, Z.shape[1]):
        x, y = 0.0, 0.0
        for r in range(len(rows)):
            x += plane[r, 0] * Z[rows[r], c]
            y += plane[r, 1] * Z[rows[r], c]
        length = np.sqrt(x * x + y * y)
        if length == 0.0:
            continue
        at = angle_of(y, x)
        for r in range(len(rows)):
            reach = reaches[r] * length
            middle = Z[rows[r], c] - plane[r, 0] * x - plane[r, 1] * y - margins[c - p]
            if middle >= reach:
                continue
            if middle <= -reach:
                return -1
            count = add_arc(ends, count, np.pi - at + places[r], arc_with(middle / reach), _CIRCLE)
    return count


@inlined
def _turn(Z: Floats, rows: Ints, plane: Floats, angle: float) -> None:
    cosine, sine = point_at(angle)
    cosine -= 1.0
    for c in range(Z.shape[1]):
        x, y = 0.0, 0.0
        for r in range(len(rows)):
            x += plane[r, 0] * Z[rows[r], c]
            y += plane[r, 1] * Z[rows[r], c]
        u, v = x * cosine - y * sine, y * cosine + x * sine
        for r in range(len(rows)):
            Z[rows[r], c] += plane[r, 0] * u + plane[r, 1] * v
