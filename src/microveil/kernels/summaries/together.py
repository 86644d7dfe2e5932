"""Several summaries gathered in one pass."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from microveil.kernels.summaries.summary import Summary

K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=Summary)


@dataclass(frozen=True)
class Together(Generic[K, S]):
    """Summaries by name, each merged with its like; one that only one side has stays as it is."""

    parts: Mapping[K, S]

    def merge(self, other: Together[K, S]) -> Together[K, S]:
        """The summaries of the records of both."""
        both = {name: one.merge(other.parts[name]) if name in other.parts else one for name, one in self.parts.items()}
        return Together({**both, **{name: one for name, one in other.parts.items() if name not in both}})
