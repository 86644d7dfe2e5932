"""Sums of squares and sums of single columns as whole numbers, without the products of two columns."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled, inlined

SLICES = 3
BITS = 20  # of a slice
GRID = SLICES * BITS
SLICE = float(1 << BITS)
_CELLS = 1 << 18  # that are turned at a time
_ROWS = 4096


def squares_and_totals(X: Floats, first: Floats, second: Floats) -> tuple[list[int], list[int]]:
    """Sums of squares and sums of the columns of X, in units of the grids to which these powers of two lead."""
    squares, totals = [0] * X.shape[1], [0] * X.shape[1]
    rows = max(_ROWS, _CELLS // max(1, X.shape[1]))
    for start in range(0, len(X), rows):
        held = _squares_and_totals(np.ascontiguousarray(X[start : start + rows].T, dtype=np.float64), first, second)
        for j, parts in enumerate(held.tolist()):
            square, total = join_slices(parts)
            squares[j] += square
            totals[j] += total
    return squares, totals


def round_variance(n: int, squares: int, total: int, exponent: int) -> float:
    """The variance of n values from their sums in units of 2^(exponent - 60), rounded once."""
    return ratio(n * squares - total * total, n * n, 2 * (exponent - GRID))


def ratio(total: int, divisor: int, exponent: int) -> float:
    """total / divisor times 2^exponent: Python's division of whole numbers rounds once."""
    if exponent >= 0:
        return (total << exponent) / divisor
    return total / (divisor << -exponent)


def join_slices(held: list[int]) -> tuple[int, int]:
    """A sum of squares and a sum, in units of the grid, from sums over slices: five of products, three of slices."""
    a, b, c, d, e, high, middle, low = held
    # leading ones first: each is worth 2^20 of the next
    square = (a << 4 * BITS) + (b << 3 * BITS) + (c << 2 * BITS) + (d << BITS) + e
    return square, (high << 2 * BITS) + (middle << BITS) + low


@inlined
def slices_of(x: float, first: float, second: float) -> tuple[int, int, int]:
    """The three slices of a number, which two powers of two bring below 1: leading one first."""
    rest = x * first * second * SLICE
    high = np.rint(rest)
    rest = (rest - high) * SLICE
    middle = np.rint(rest)
    return int(high), int(middle), int(np.rint((rest - middle) * SLICE))


@compiled
def _squares_and_totals(T: Floats, first: Floats, second: Floats) -> Ints:
    """For each row of T: sums of products of slices, by the power of 2^20 they belong to, and of the three slices."""
    held = np.zeros((T.shape[0], 8), dtype=np.int64)
    for j in range(T.shape[0]):
        a, b, c, d, e, f, g, h = 0, 0, 0, 0, 0, 0, 0, 0
        for i in range(T.shape[1]):
            high, middle, low = slices_of(T[j, i], first[j], second[j])
            a += high * high
            b += 2 * high * middle
            c += 2 * high * low + middle * middle
            d += 2 * middle * low
            e += low * low
            f += high
            g += middle
            h += low
        held[j, 0], held[j, 1], held[j, 2], held[j, 3], held[j, 4] = a, b, c, d, e
        held[j, 5], held[j, 6], held[j, 7] = f, g, h
    return held
