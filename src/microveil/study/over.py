"""A limit that a plan does not keep: what was found, what is allowed, and how far beyond it is."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.plan.utility_plan import Goal
from microveil.study.tried import Survived


@dataclass(frozen=True)
class Over:
    """A limit that a trial does not keep: what was found, and what is allowed; None where it was not measured.

    `said` has it in other words than those of a limit, and `beyond` another distance than that of a largest value.
    """

    limit: str
    found: float | None
    allowed: float
    said: str = ""
    beyond: float | None = None

    @classmethod
    def of_goal(cls, goal: Goal, survived: Survived | None) -> Over:
        """A figure that must survive and does not, or of which nothing is known; in per cent."""
        name = f"the figure {goal.name!r} ({goal.text})"
        asked = goal.overlap if goal.overlap is not None else goal.tolerance or 0.0
        if survived is None:
            return cls(name, None, 100 * asked, f"{name} must survive, and it was not measured")
        said = f"{name} must survive: {survived.told}"
        if survived.found is None:
            return cls(name, None, 100 * asked, said)
        short = asked - survived.found if goal.overlap is not None else survived.found - asked
        return cls(name, 100 * survived.found, 100 * asked, said, 100 * short / max(100 * abs(asked), 1.0))

    @property
    def excess(self) -> float:
        """How far beyond, in parts of what is allowed (of 1 where less is allowed)."""
        if self.found is None:
            return float("inf")
        return (self.found - self.allowed) / max(abs(self.allowed), 1.0) if self.beyond is None else self.beyond

    @property
    def words(self) -> str:
        """The limit and what was found."""
        if self.said:
            return self.said
        found = "it was not measured" if self.found is None else f"{self.found:.4g} was found"
        return f"{self.limit} may be {self.allowed:.4g} at most, and {found}"
