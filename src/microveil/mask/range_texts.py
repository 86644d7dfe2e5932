"""Texts of released ranges, whose notation shows the kind of range (docs/decisions/027-notation-of-ranges.md)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from microveil.core.ranges import above_text, amount_text, below_text, between_text, levels_text

EVERYTHING = "*"


def observed_range(low: float, high: float) -> str:
    """All amounts from the least to the largest observed, both included."""
    return amount_text(low) if low == high else f"[{amount_text(low)}, {amount_text(high)}]"


def range_of_levels(first: Any, last: Any) -> str:
    """All levels of an ordered category from one to another."""
    return levels_text(first, last)


def set_of_levels(levels: Iterable[Any]) -> str:
    """Levels without an order."""
    return "{" + ", ".join(map(str, levels)) + "}"


def between_cuts(cuts: Iterable[float]) -> tuple[str, ...]:
    """The intervals between cut points, open at both ends: extremes stay hidden."""
    ends = list(cuts)
    if not ends:
        return (EVERYTHING,)
    inner = [between_text(low, high) for low, high in itertools.pairwise(ends)]
    return (below_text(ends[0]), *inner, above_text(ends[-1]))
