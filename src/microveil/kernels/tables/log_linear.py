"""Contingency tables: log-linear fits, smoothing, and random tables with fixed margins."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput

MOST_CELLS = 1 << 23
_MOST_CYCLES = 200
_FITTED = 1e-8  # largest deviation of a fitted margin, relative to the number of records


def check_cells(sizes: tuple[int, ...], names: tuple[str, ...]) -> None:
    """Refuse a table too large to hold."""
    cells = int(np.prod([float(size) for size in sizes])) if sizes else 1
    if cells > MOST_CELLS:
        raise BadInput(
            f"the table of {', '.join(names)} has {cells:.3g} cells; {MOST_CELLS} are allowed: name fewer columns"
        )


def fit_log_linear(counts: Floats, order: int) -> Floats:
    """Expected counts of the log-linear model with all interactions of up to `order` columns.

    Iterative proportional fitting (Deming & Stephan 1940): the margins of that order are the table's own; margins
    with a zero keep it.
    """
    d = counts.ndim
    if order >= d:
        return counts.copy()
    fitted = np.full(counts.shape, counts.sum() / counts.size)
    margins = [tuple(j for j in range(d) if j not in kept) for kept in combinations(range(d), order)]
    for _ in range(_MOST_CYCLES):
        worst = 0.0
        for summed in margins:
            wanted, found = counts.sum(axis=summed, keepdims=True), fitted.sum(axis=summed, keepdims=True)
            worst = max(worst, float(np.abs(wanted - found).max()))
            fitted *= np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
        if worst <= _FITTED * counts.sum() or order == 1:
            break
    return fitted


def smoothed_probabilities(fitted: Floats, share: float) -> Floats:
    """The fitted table mixed with the uniform one; cells whose fitted value is an exact zero stay zero."""
    possible = fitted > 0
    p = fitted / fitted.sum()
    return np.asarray((1 - share) * p + share * possible / possible.sum())


def draw_cells(probabilities: Floats, records: int, generator: np.random.Generator) -> Ints:
    """The cell of each of `records` independent records, as a number in the flattened table."""
    edges = np.cumsum(probabilities.ravel())
    u = generator.random(records) * edges[-1]
    return np.asarray(np.searchsorted(edges, u, side="right"), dtype=np.int64)


def walk_fixed_margins(counts: Ints, order: int, steps: int, generator: np.random.Generator) -> Ints:
    """A random table with the same margins of `order` columns and a multinomial law given these.

    Random walk by moves of +1 and -1 on the corners of a box in order + 1 columns, accepted by Metropolis
    (Fienberg, Makov & Steele 1998; Diaconis & Sturmfels 1998). Counts stay whole and not negative.
    """
    d = counts.ndim
    if order >= d:
        raise BadInput(f"fixed margins of {order} columns in a table of {d} columns leave nothing to change")
    table = np.ascontiguousarray(counts, dtype=np.int64).ravel().copy()
    shape = np.array(counts.shape, dtype=np.int64)
    strides = np.append(np.cumprod(shape[::-1])[::-1][1:], 1).astype(np.int64)
    if (shape > 1).sum() > order:
        _walk(table, shape, strides, np.flatnonzero(shape > 1), order + 1, steps, generator)
    return table.reshape(counts.shape)


@compiled
def _walk(
    table: Ints, shape: Ints, strides: Ints, columns: Ints, width: int, steps: int, generator: np.random.Generator
) -> None:
    d = len(columns)
    delta = np.zeros(width, dtype=np.int64)
    for _ in range(steps):
        # a box with a corner at a random cell and other levels in `width` random columns: as likely from any corner
        start = int(generator.random() * len(table))
        for j in range(width):
            k = j + int(generator.random() * (d - j))
            columns[j], columns[k] = columns[k], columns[j]
            c = columns[j]
            here = (start // strides[c]) % shape[c]
            there = int(generator.random() * (shape[c] - 1))
            if there >= here:
                there += 1
            delta[j] = (there - here) * strides[c]
        if table[start] > 0:
            _try_move(table, start, delta, generator)


@compiled
def _try_move(table: Ints, start: int, delta: Ints, generator: np.random.Generator) -> None:
    """Take one from each even corner of the box and add it to each odd one, if Metropolis accepts it."""
    width = len(delta)
    ratio = 1.0
    for corner in range(1 << width):
        cell, odd = start, False
        for j in range(width):
            if (corner >> j) & 1:
                cell += delta[j]
                odd = not odd
        ratio *= 1.0 / (table[cell] + 1) if odd else float(table[cell])
        if ratio == 0.0:
            return
    if generator.random() >= ratio:
        return
    for corner in range(1 << width):
        cell, odd = start, False
        for j in range(width):
            if (corner >> j) & 1:
                cell += delta[j]
                odd = not odd
        table[cell] += 1 if odd else -1
