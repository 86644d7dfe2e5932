"""One change of a plan that was tried: what attacks find before and after, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.core.open_types import Json


@dataclass(frozen=True)
class Draws:
    """A plan under some keys: per cent of records found in the worst case under each, and mean losses in per cent.

    `loss` is that of amounts (PIL), `loss_of_categories` that of tables; None where there is nothing to lose.
    """

    each: tuple[float, ...]
    loss: float | None = None
    loss_of_categories: float | None = None

    @property
    def found(self) -> float:
        """The per cent found, on average over the draws."""
        return sum(self.each) / len(self.each)

    @property
    def words(self) -> str:
        """The mean, with the lowest and the highest of several draws."""
        if min(self.each) == max(self.each):
            return f"{format_number(self.found)} %"
        return f"{format_number(self.found)} % ({format_number(min(self.each))} to {format_number(max(self.each))})"


@dataclass(frozen=True)
class TriedChange:
    """A change of the plan with what comes of it, beside the plan as it was."""

    change: str
    before: Draws
    after: Draws

    @property
    def helps(self) -> bool:
        """Whether every draw of the changed plan gives fewer records away than every draw of the other."""
        return max(self.after.each) < min(self.before.each)

    def __str__(self) -> str:
        told = f"{self.change}: found {self.before.words} -> {self.after.words} of the records"
        cost = "".join(f", {one}" for one in self._losses())
        return f"{told}{cost}{'' if self.helps else '; this does not help beyond chance'}"

    def _losses(self) -> Iterator[str]:
        for name, before, after in (
            ("loss of amounts (PIL)", self.before.loss, self.after.loss),
            (
                "loss of categories (tables, classes spread)",
                self.before.loss_of_categories,
                self.after.loss_of_categories,
            ),
        ):
            if before is not None or after is not None:
                yield f"{name} {format_number(before or 0.0)} -> {format_number(after or 0.0)} %"

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {
            "change": self.change,
            "helps": self.helps,
            "found": [self.before.found, self.after.found],
            "draws": [list(self.before.each), list(self.after.each)],
            "loss": [self.before.loss, self.after.loss],
            "loss_of_categories": [self.before.loss_of_categories, self.after.loss_of_categories],
        }
