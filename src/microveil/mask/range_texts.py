"""How released ranges are written: the notation says what kind of range it is (docs/decisions.md)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

EVERYTHING = "*"


def amount_text(number: float) -> str:
    """An amount in as many digits as it has."""
    return f"{number + 0.0:.15g}"  # zero has one sign


def observed_range(low: float, high: float) -> str:
    """All amounts from the least to the largest observed, both included."""
    return amount_text(low) if low == high else f"[{amount_text(low)}, {amount_text(high)}]"


def range_of_levels(first: Any, last: Any) -> str:
    """All levels of an ordered category from one to another."""
    return str(first) if first == last else f"{first}..{last}"


def set_of_levels(levels: Iterable[Any]) -> str:
    """Levels without an order."""
    return "{" + ", ".join(map(str, levels)) + "}"


def between_cuts(cuts: Iterable[float]) -> tuple[str, ...]:
    """The intervals between cut points, open at both ends: extremes stay hidden."""
    texts = [amount_text(cut) for cut in cuts]
    if not texts:
        return (EVERYTHING,)
    inner = [f"[{low}, {high})" for low, high in itertools.pairwise(texts)]
    return (f"<{texts[0]}", *inner, f">={texts[-1]}")
