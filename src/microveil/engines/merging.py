"""Merging what was seen of blocks, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def merged(one: Mapping[K, V], other: Mapping[K, V], join: Callable[[V, V], V]) -> dict[K, V]:
    """What both say, joined where both say something."""
    both = {key: join(value, other[key]) if key in other else value for key, value in one.items()}
    return {**both, **{key: value for key, value in other.items() if key not in both}}


def added(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    """Counts added up."""
    return merged(one, other, lambda a, b: a + b)
