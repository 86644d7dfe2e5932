"""Rules that give the path of any value: the base of the builders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Self

from microveil.core.errors import BadInput
from microveil.core.families import Family
from microveil.core.open_types import Cell
from microveil.core.registry import Value
from microveil.hierarchy.checking import TOP
from microveil.hierarchy.hierarchy import Hierarchy

RULES = Family(
    "hierarchy",
    title="Hierarchies",
    meaning="rules that give every value of a column its coarser ones",
    one="rule of a hierarchy",
    order=5,
)
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class HierarchyRule(Value, family=RULES):
    """Base of all rules: `steps` gives the coarser values of one value; `of` the hierarchy of some values.

    Every path ends in `*`, so that all of them meet.
    """

    reference = "Samarati 2001; Sweeney 2002"
    takes: ClassVar[str] = "values"  # what it can be asked about, in words
    samples: ClassVar[tuple[Cell, ...]]  # values that the example of the rule takes, for tests

    def steps(self, value: Cell) -> Sequence[str] | None:
        """The coarser values of a value, the nearest first, without the last one; None if it is none of those taken."""
        raise TypeError(f"{type(self).__name__} must implement steps()")

    def with_order(self, values: Sequence[Cell]) -> Self:
        """The rule for a column whose values have this order, because somebody stated it; most rules need none."""
        return self

    def bound(self, values: Sequence[Cell]) -> Self:
        """The rule with what it takes from the column stated; `values` are its different ones in their order."""
        return self

    def whole_path(self, value: Cell) -> tuple[str, ...] | None:
        """The path of a value up to the top; None if the rule does not say."""
        found = self.steps(value)
        return None if found is None else (*found, TOP)

    def of(self, values: Iterable[Cell]) -> Hierarchy:
        """The hierarchy of these values; numbers rise, others keep their order, gaps are left out."""
        different = [value for value in dict.fromkeys(_plain(values)) if value is not None and value == value]
        if not different:
            raise BadInput(f"{self.name} is given no value; a hierarchy needs at least one")
        if all(isinstance(value, int | float) for value in different):
            different.sort()
        rule = self.bound(different)
        rule.check_column(different)
        return rule.paths_of(different)

    def check_column(self, values: Sequence[Cell]) -> None:
        """Refuse what cannot be meant, now that the different values of the column are known; most rules take all."""

    def paths_of(self, values: Sequence[Cell]) -> Hierarchy:
        """The paths of different values by the rule as it stands, such as those that only a register has."""
        paths: dict[Cell, tuple[str, ...]] = {}
        refused: list[Cell] = []
        for value in values:
            path = self.whole_path(value)
            if path is None:
                refused.append(value)
            else:
                paths[value] = path
        if refused:
            more = len(refused) - _SHOWN
            shown = ", ".join(map(repr, refused[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
            raise BadInput(f"{self.name} takes {self.takes}; the column holds {shown}")
        return Hierarchy(paths, rule=self)


def _plain(values: Iterable[Any]) -> Iterable[Any]:
    to_list = getattr(values, "tolist", None) or getattr(values, "to_list", None) or getattr(values, "to_pylist", None)
    return to_list() if to_list is not None else values


def check_multiples(what: str, sizes: Sequence[float], takes: str) -> None:
    """Every size is a finite multiple of the one before; otherwise classes would not nest."""
    if not sizes or not all(0 < size < inf for size in sizes):
        raise BadInput(f"{what}={list(sizes)} needs {takes} above 0, from fine to coarse")
    for small, large in pairwise(sizes):
        times = large / small
        if times <= 1 or abs(times - round(times)) > 1e-9:
            raise BadInput(
                f"{what}={list(sizes)}: {large:g} is not a multiple of {small:g}, so that classes would not nest; "
                "give each as a multiple of the one before"
            )
