"""Small evidence for the examples that claims state about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from microveil.core.evidence import Evidence

GAP = float("nan")
NEAR: list[list[float]] = [[1, 2, 3], [7, 8, 9]]
TIED: list[list[float]] = [[1, 2, 3], [8, 9, 8]]
RISE: list[list[float]] = [[1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]]
FALL: list[list[float]] = [[6, 5, 4, 3, 2, 1], [60, 50, 40, 30, 20, 10]]
ACROSS = np.array([1.0, 1, -1, -1]), np.array([1.0, -1, 1, -1])
RAMP = np.arange(200.0) / 2


def evidence_of(before: Sequence[Any], after: Sequence[Any], **more: Any) -> Evidence:
    """Evidence of the columns a, b, c ...; each is a list of numbers, a gap is NaN.

    Released row i comes from original row i unless `origin` says otherwise; `half_unit` is one number for all columns.
    """
    original, released = ([np.asarray(column, dtype=np.float64) for column in side] for side in (before, after))
    names = tuple("abcdefghij"[: len(original)])
    half_unit = np.full(len(names), float(more.pop("half_unit", 0.0)))
    origin = np.asarray(more.pop("origin", np.arange(len(released[0]))), dtype=np.int64)
    groups = more.pop("groups", None)
    given = more.pop("given", None)
    return Evidence(
        names,
        original,
        released,
        half_unit,
        origin,
        None if groups is None else np.asarray(groups, dtype=np.int64),
        None if given is None else np.asarray(given, dtype=np.float64),
        **more,
    )


def with_cell(columns: Sequence[Any], column: int, row: int, value: float) -> list[list[float]]:
    """The columns with one cell changed."""
    changed = [list(np.asarray(one, dtype=np.float64)) for one in columns]
    changed[column][row] = value
    return changed
