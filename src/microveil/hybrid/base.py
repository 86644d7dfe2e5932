"""Base of hybrid methods: records between the original's and synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.families import Family
from microveil.run.method import Method

HYBRID = Family("hybrid", title="Hybrid data", order=40)


@dataclass(frozen=True, kw_only=True)
class Hybrid(Method, family=HYBRID):
    """Base of all hybrid methods."""
