"""Changes that a later step may make to released columns, for checking which claims withstand them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from microveil.claims import AFFINE, BLANK, COARSEN, DROP, LINEAR, PERMUTE, Evidence
from microveil.core.arrays import Vector


def changed(evidence: Evidence, change: str, columns: frozenset[str], draws: Generator) -> Evidence | None:
    """The evidence after such a change of these columns; None where it cannot be made."""
    where = [evidence.columns.index(name) for name in sorted(columns)]
    released = [column.copy() for column in evidence.released]
    if change == DROP:
        return _without_rows(evidence, draws)
    if change == LINEAR:
        rows = np.column_stack([released[j] for j in where])
        if np.isnan(rows).any():
            return None
        mixed = rows @ draws.integers(-3, 4, size=(len(where), len(where))) + draws.integers(-9, 10, size=len(where))
        for place, j in enumerate(where):
            released[j] = mixed[:, place]
    else:
        for j in where:
            released[j] = _OF_COLUMNS[change](released[j], draws)
    return replace(evidence, released=released)


def ways(
    evidence: Evidence, change: str, draws: Generator, tries: int = 12
) -> Iterator[tuple[frozenset[str], Evidence]]:
    """Several draws of such a change of all columns, and of each column alone."""
    every = [frozenset(evidence.columns), *(frozenset({name}) for name in evidence.columns)]
    for columns in dict.fromkeys(every):
        for _ in range(tries):
            after = changed(evidence, change, columns, draws)
            if after is not None:
                yield columns, after


def _without_rows(evidence: Evidence, draws: Generator) -> Evidence:
    left = draws.random(len(evidence.origin)) < draws.choice([0.3, 0.6, 0.9])
    left[draws.integers(len(left))] = True
    return replace(
        evidence,
        released=[column[left] for column in evidence.released],
        origin=evidence.origin[left],
        groups=None if evidence.groups is None else evidence.groups[left],
    )


def _mapped(column: Vector, draws: Generator) -> Vector:
    # powers of two and whole numbers: the map is exact in doubles
    return np.asarray(column * 2.0 ** draws.integers(-3, 4) + float(draws.integers(-50, 51)), dtype=np.float64)


def _blanked(column: Vector, draws: Generator) -> Vector:
    return np.where(draws.random(len(column)) < draws.choice([0.2, 0.5, 0.8]), np.nan, column)


def _merged(column: Vector, draws: Generator) -> Vector:
    """Every value is given one of a few labels, which have nothing to do with its size."""
    values = np.unique(column[~np.isnan(column)])
    labels = draws.integers(-100, 101, size=max(1, int(draws.integers(1, len(values) + 2)))).astype(np.float64)
    lookup = dict(zip(values.tolist(), draws.choice(labels, size=len(values)), strict=True))
    return np.array([lookup.get(value, np.nan) for value in column.tolist()])


def _reordered(column: Vector, draws: Generator) -> Vector:
    return draws.permutation(column)


_OF_COLUMNS: dict[str, Callable[[Vector, Generator], Vector]] = {
    AFFINE: _mapped,
    BLANK: _blanked,
    COARSEN: _merged,
    PERMUTE: _reordered,
}
