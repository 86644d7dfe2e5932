"""Base of attacks that need more than an original and one release, and stand beside an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.attack.base import Attack, Scored
from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class AttackAside(Attack):
    """Base of attacks that are called by themselves, with what they need; of one release they say what that is."""

    paired: ClassVar[bool] = False
    for_any_release: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = False  # there is no figure of two files alone
    needs: ClassVar[str] = ""

    @classmethod
    def concerns(cls, pair: Pair) -> bool:  # noqa: ARG003 # never by an evaluation
        return False

    def on(self, pair: Pair) -> Measured | NotApplicable:  # it needs more than a pair
        return self.not_applicable(self.needs)

    def _scored(self, pair: Pair) -> Scored | str:  # it needs more than a pair
        return self.needs
