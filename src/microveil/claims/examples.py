"""Small evidence for the examples that claims state about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from microveil.claims.evidence import Evidence

GAP = float("nan")


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
