"""The numbers that a parameter may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from microveil.core.open_types import Json


@dataclass(frozen=True)
class Range:
    """The numbers a parameter may take, the grid that is tried first, and the interval in which a search draws.

    `search` left out: from the smallest number of the grid to the largest. `log` draws evenly over orders of magnitude.

    >>> str(Range(ge=2)), 1 in Range(ge=2)
    ('[2, inf)', False)
    >>> Range(ge=0, grid=(None, 2, 7)).searched, Range(ge=0, search=(1, 20)).searched, Range(ge=0).searched
    ((2.0, 7.0), (1, 20), None)
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    grid: tuple[object, ...] = ()
    search: tuple[float, float] | None = None
    log: bool = False

    @property
    def searched(self) -> tuple[float, float] | None:
        """The interval in which a search draws; None: it keeps to the grid, or leaves the parameter as it is."""
        if self.search is not None:
            return self.search
        numbers = [float(one) for one in self.grid if isinstance(one, Real) and not isinstance(one, bool)]
        return (min(numbers), max(numbers)) if len(set(numbers)) > 1 else None

    def __contains__(self, number: float) -> bool:
        return (
            (self.ge is None or number >= self.ge)
            and (self.gt is None or number > self.gt)
            and (self.le is None or number <= self.le)
            and (self.lt is None or number < self.lt)
            and not math.isnan(number)
        )

    def __str__(self) -> str:
        low = f"[{self.ge:g}" if self.ge is not None else f"({self.gt:g}" if self.gt is not None else "(-inf"
        high = f"{self.le:g}]" if self.le is not None else f"{self.lt:g})" if self.lt is not None else "inf)"
        return f"{low}, {high}"

    @property
    def words(self) -> str:
        """The numbers in words.

        >>> Range(ge=2).words, Range(ge=0, lt=1).words
        ('2 or more', 'at least 0 and less than 1')
        """
        low = self.ge if self.ge is not None else self.gt
        high = self.le if self.le is not None else self.lt
        if low is None and high is None:
            return "any number"
        if high is None:
            return f"{low:g} or more" if self.ge is not None else f"more than {low:g}"
        if low is None:
            return f"{high:g} or less" if self.le is not None else f"less than {high:g}"
        if self.ge is not None and self.le is not None:
            return f"between {low:g} and {high:g}"
        below = "at most" if self.le is not None else "less than"
        return f"{'at least' if self.ge is not None else 'more than'} {low:g} and {below} {high:g}"

    def schema(self) -> Json:
        """The bounds in the words of JSON Schema."""
        words = {
            "minimum": self.ge,
            "exclusiveMinimum": self.gt,
            "maximum": self.le,
            "exclusiveMaximum": self.lt,
        }
        return {word: bound for word, bound in words.items() if bound is not None}
