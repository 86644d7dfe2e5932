"""How large the released classes of equal records are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.loss.base import Loss
from microveil.loss.class_sizes import class_sizes_of
from microveil.loss.coarser_loss import DropPrice
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class AverageClassSize(Loss, name="average-class-size"):
    """By how many records the average class of equal records on these columns grew.

    Part `class size` is the number of original records for each released class, which
    `mask.Lattice(loss="class-size")` minimises. Name the keys with `columns=[...]`. It looks at which records are
    equal, not at their values: noise on a file may make records differ, so it does not follow noise.
    Reference: LeFevre, DeWitt & Ramakrishnan 2006, Mondrian multidimensional k-anonymity.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    paired: ClassVar[bool] = True
    follows_noise: ClassVar[bool] = False
    for_users: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    unit: ClassVar[str] = "records"
    title = "Growth of classes of equal records"
    reference = "LeFevre, DeWitt & Ramakrishnan 2006"

    drop_price: DropPrice = 1.0

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """All columns: amounts that became classes too."""
        return pair.columns

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after, n, dropped = class_sizes_of(pair)
        first = n / len(before)
        value = float(after.sum() + self.drop_price * dropped) / len(after)
        return self.measured(
            max(value - first, 0.0),
            parts={"class size": value, "in the original": first, "left out": float(dropped)},
            reading=f"A class of equal records stands for {format_number(value)} records on average; in the original "
            f"for {format_number(first)}.",
        )
