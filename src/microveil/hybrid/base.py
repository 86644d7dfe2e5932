"""Base of hybrid methods: records between the original's and synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.run.method import Method


@dataclass(frozen=True, kw_only=True)
class Hybrid(Method, family="hybrid"):
    """Base of all hybrid methods."""
