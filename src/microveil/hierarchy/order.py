"""Ordered values joined with their neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Annotated, ClassVar, Self

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range
from microveil.core.ranges import levels_text
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule, check_multiples

_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Order(HierarchyRule, name="order"):
    """Neighbours of an ordered category joined, more of them at each level.

    The order is that of numbers and days, or of the column where its levels were stated, unless `levels` states it;
    texts have none of their own. Classes are named by their ends: `low..middle`.

    >>> Order(sizes=[2], levels=["none", "basic", "middle", "high"]).whole_path("middle")
    ('middle..high', '*')
    """

    sizes: Annotated[
        tuple[int, ...], Range(ge=2), Example([2, 4]), "how many values a class holds at each level, in multiples"
    ] = (2,)
    levels: Annotated[
        tuple[str | float, ...] | None,
        Range(),
        Example(["low", "middle", "high"]),
        "all values in order; left out, as numbers and days rise, or as stated for the column",
    ] = None

    takes = "values that are among its levels"
    samples = ("none", "basic", "middle", "high")
    example: ClassVar[Stated] = {"levels": ("none", "basic", "middle", "high")}

    def validate(self) -> None:
        """Sizes nest, and each level has one place."""
        check_multiples("sizes", self.sizes, "whole numbers")
        named = Counter(map(value_text, self.levels or ()))
        twice = [level for level, times in named.items() if times > 1]
        if twice:
            raise BadInput(f"levels names {twice[0]!r} twice; name each value once, in order")

    def with_order(self, values: Sequence[Cell]) -> Self:
        """With the levels of the column."""
        return self if self.levels is not None else replace(self, levels=tuple(map(_plain, values)))

    def bound(self, values: Sequence[Cell]) -> Self:
        """With the values as they rise; texts do not, as neither the alphabet nor the order of records is meant."""
        if self.levels is not None:
            return self
        if not any(all(isinstance(value, one) for value in values) for one in (int | float, date)):
            shown = ", ".join(repr(value_text(value)) for value in values[:_SHOWN])
            raise BadInput(
                f"order needs the order of {shown}{', ...' * (len(values) > _SHOWN)}; state the "
                "order in the levels of the rule, or in those of the column"
            )
        return self.with_order(sorted(values))  # type: ignore[type-var]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {value_text(level): place for place, level in enumerate(self.levels or ())}

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The class at each level."""
        place = self._place.get(value_text(value))
        return None if place is None else tuple(self._class(place, size) for size in self.sizes)

    def _class(self, place: int, size: int) -> str:
        levels = self.levels or ()
        first = place - place % size
        return levels_text(value_text(levels[first]), value_text(levels[min(first + size, len(levels)) - 1]))


def _plain(value: Cell) -> str | float:
    """A level as plans and logs can hold it."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else value_text(value)
