"""Controlled rounding of a table: whole numbers, the same row and column sums, right on average."""

from __future__ import annotations

import itertools

import numpy as np

from microveil.core.arrays import Ints, Matrix

_WHOLE = 1e-8  # sums of counts times probabilities are whole up to this


def controlled_rounding(table: Matrix, generator: np.random.Generator) -> Ints:
    """A whole-number table with the row and column sums of `table`, each cell rounded up or down.

    The sums must be whole. Cells are right on average (Cox 1987): along a cycle of fractional cells the
    table is moved up and down alternately by random amounts until one of them is whole.
    """
    base = np.floor(table + _WHOLE)
    part = np.clip(table - base, 0.0, 1.0)
    part[part < 2 * _WHOLE] = 0.0
    while True:
        cycle = _fractional_cycle(part)
        if not cycle:
            return np.asarray(np.rint(base + part), dtype=np.int64)
        if len(cycle) == 1:  # alone in its row or column: the sum was whole up to rounding only
            part[cycle[0]] = np.rint(part[cycle[0]])
        else:
            _move_along(part, cycle, generator)


def _fractional_cycle(part: Matrix) -> list[tuple[int, int]]:
    """Fractional cells on a closed path that changes row and column in turn; one cell at a dead end; or none."""
    fractional = (part > _WHOLE) & (part < 1 - _WHOLE)
    rows = np.flatnonzero(fractional.any(axis=1))
    if not len(rows):
        return []
    # rows are nodes 0, 1, ..., columns -1, -2, ...
    path, place = [int(rows[0])], {int(rows[0]): 0}
    while True:
        node = path[-1]
        previous = path[-2] if len(path) > 1 else None
        near = (-1 - np.flatnonzero(fractional[node])) if node >= 0 else np.flatnonzero(fractional[:, -1 - node])
        onward = [int(other) for other in near[:2] if other != previous]
        if not onward:
            return [_cell(node, previous)] if previous is not None else []
        if onward[0] in place:
            nodes = [*path[place[onward[0]] :], onward[0]]
            return [_cell(a, b) for a, b in itertools.pairwise(nodes)]
        place[onward[0]] = len(path)
        path.append(onward[0])


def _cell(a: int, b: int) -> tuple[int, int]:
    return (a, -1 - b) if a >= 0 else (b, -1 - a)


def _move_along(part: Matrix, cycle: list[tuple[int, int]], generator: np.random.Generator) -> None:
    sign = np.where(np.arange(len(cycle)) % 2 == 0, 1.0, -1.0)
    cells = tuple(np.array(cycle).T)
    values = part[cells]
    up = np.where(sign > 0, 1 - values, values).min()
    down = np.where(sign > 0, values, 1 - values).min()
    # chances inverse to the steps keep every cell right on average
    step = up if generator.random() < down / (up + down) else -down
    moved = np.clip(values + sign * step, 0.0, 1.0)
    moved[moved < _WHOLE] = 0.0
    moved[moved > 1 - _WHOLE] = 1.0
    part[cells] = moved
