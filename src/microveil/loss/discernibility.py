"""How many records a record can no longer be told from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.loss.base import Loss
from microveil.loss.class_sizes import class_sizes_of
from microveil.loss.coarser_loss import DropPrice
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class Discernibility(Loss, name="discernibility"):
    """By how much the mean share of records grew that a record cannot be told from on these columns.

    A record that was left out cannot be told from any. Part `discernibility` is the share itself, of all pairs of
    records, which `mask.Lattice(loss="discernibility")` minimises; times the number of records squared it is the metric
    of the reference. Name the keys with `columns=[...]`. It looks at which records are equal, not at their values:
    noise on a file may make records differ, so it does not follow noise.
    Reference: Bayardo & Agrawal 2005, Data privacy through optimal k-anonymization.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    paired: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = False
    for_users: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    title = "Discernibility"
    reference = "Bayardo & Agrawal 2005"

    drop_price: DropPrice = 1.0

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """All columns: amounts that became classes too."""
        return pair.columns

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after, n, dropped = class_sizes_of(pair)
        first = float((before.astype(float) ** 2).sum()) / n**2
        value = float((after.astype(float) ** 2).sum() + self.drop_price * n * dropped) / n**2
        return self.measured(
            max(value - first, 0.0),
            parts={"discernibility": value, "in the original": first, "left out": float(dropped)},
            reading=f"A record cannot be told from {format_number(value * n)} of {n} records on average; in the "
            f"original from {format_number(first * n)}.{self._of_left_out(dropped, n)}",
        )

    def _of_left_out(self, dropped: int, n: int) -> str:
        """How much of the figure comes from records that are in no file; they count as the worst there is."""
        if not dropped:
            return ""
        are, each = ("was", "it counts") if dropped == 1 else ("were", "each counts")
        return (
            f" {format_number(self.drop_price * dropped)} of these come from {counted(int(dropped), 'record')} that "
            f"{are} left out: {each} as one that cannot be told from {format_number(self.drop_price * n)} records."
        )
