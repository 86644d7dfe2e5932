"""The rule that compares a published figure with ours over the draws; nothing else gives a cell its status.

A cell passes only where the rule tells figures apart: where the published figure agrees with ours and one a quarter
larger or smaller, twice as large or half as large would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.errors import BadInput

Status = Literal[
    "reproduced",
    "within range",
    "near",
    "unresolved",
    "too wide to tell",
    "zero by construction",
    "ours only",
    "not comparable",
    "not available",
]

STATUSES: dict[Status, str] = {
    "reproduced": "the mean of our draws equals the published figure to the digits printed, and a figure a quarter "
    "larger or smaller would lie outside our range",
    "within range": "the published figure lies in our range over draws, widened by a quarter of it at either end, and "
    "a figure a quarter larger or smaller would not",
    "near": "outside that range; the mean of our draws is off by at most a tenth of the published figure",
    "unresolved": "further off under the reading stated; printed as it is",
    "too wide to tell": "the published figure lies in our range, and so would one a quarter larger or smaller: our "
    "draws differ too much, or too few digits are printed, for this to be evidence",
    "zero by construction": "a published 0 that the method keeps exactly by proof, and ours is 0: no evidence about "
    "the reading",
    "ours only": "nothing is published to compare with",
    "not comparable": "published for something else than ours, for the reason given with the table",
    "not available": "we have no figure to compare",
}
PASSING: frozenset[Status] = frozenset({"reproduced", "within range"})

WIDENED = 0.25
NEAR_SHARE = 0.1
TOLD_APART = (1.25, 1 / 1.25, 2.0, 0.5)
EXACT = 1e-9


@dataclass(frozen=True)
class Range:
    """Our figure over the draws; for a method that draws nothing the three are one."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Range:
        """Mean, smallest and largest of the draws."""
        if not len(values):
            raise BadInput("a cell needs at least one value of ours")
        return cls(float(np.mean(values)), float(np.min(values)), float(np.max(values)))


def status_of(published: float | None, ours: Range | None, decimals: int, *, exact_zero: bool = False) -> Status:
    """How a figure printed with so many decimals compares with ours.

    `exact_zero` declares that the method keeps this figure at 0 by proof; the numbers must bear it out.
    """
    if ours is None or not np.isfinite([ours.mean, ours.low, ours.high]).all():
        return "not available"
    if published is None:
        return "ours only"
    if exact_zero and published == 0 and max(abs(ours.low), abs(ours.high)) <= EXACT:
        return "zero by construction"
    if not _agrees(published, ours, decimals):
        return "near" if abs(ours.mean - published) <= NEAR_SHARE * abs(published) else "unresolved"
    if any(_agrees(other, ours, decimals) for other in _other_figures(published, decimals)):
        return "too wide to tell"
    return "reproduced" if abs(ours.mean - published) <= _half_unit(decimals) else "within range"


def _agrees(published: float, ours: Range, decimals: int) -> bool:
    """Whether a figure lies in our range, widened: a range over few draws is too narrow to hold the next one."""
    slack = _half_unit(decimals) + WIDENED * (ours.high - ours.low)
    return ours.low - slack <= published <= ours.high + slack


def _other_figures(published: float, decimals: int) -> list[float]:
    """Figures that must not agree where the published one does; a share of zero is zero, so its neighbours in print."""
    if published == 0:
        return [10.0**-decimals, -(10.0**-decimals)]
    return [published * factor for factor in TOLD_APART]


def _half_unit(decimals: int) -> float:
    return 10.0**-decimals * (0.5 + 1e-6)  # 1e-6: halves are not exact in binary
