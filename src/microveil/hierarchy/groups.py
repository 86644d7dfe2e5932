"""Groups of values by name, and groups of groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule

_EXAMPLE = [{"East": ["Vienna", "Eisenstadt"], "West": ["Bregenz"]}, {"Austria": ["East", "West"]}]


@dataclass(frozen=True, kw_only=True)
class Groups(HierarchyRule, name="groups"):
    """Values in groups that are listed, and these in groups again.

    The first level lists values, each further one the groups of the level below. What no group lists stays as it is.

    >>> cities = Groups(levels=[{"East": ["Vienna", "Eisenstadt"]}, {"Austria": ["East", "Graz"]}])
    >>> cities.whole_path("Vienna"), cities.whole_path("Graz")
    (('East', 'Austria', '*'), ('Graz', 'Austria', '*'))
    """

    levels: Annotated[
        tuple[Mapping[str, tuple[str | float, ...]], ...],
        Range(),
        Example(_EXAMPLE),
        "for each level: name of a group to its members on the level below",
    ]

    samples = ("Vienna", "Eisenstadt", "Bregenz", "Graz")
    example: ClassVar[Stated] = {"levels": _EXAMPLE}

    def validate(self) -> None:
        """Nothing is a member twice."""
        if not self.levels:
            raise BadInput("levels is empty; list groups and their members for at least one level")
        for number, groups in enumerate(self.levels, start=1):
            seen: dict[str, str] = {}
            for group, members in groups.items():
                for member in map(value_text, members):
                    if seen.setdefault(member, str(group)) != str(group):
                        raise BadInput(
                            f"levels: {member!r} is in the groups {seen[member]!r} and {str(group)!r} of level "
                            f"{number}; list it in one"
                        )

    @cached_property
    def _above(self) -> tuple[dict[str, str], ...]:
        return tuple(
            {value_text(member): str(group) for group, members in groups.items() for member in members}
            for groups in self.levels
        )

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The group at each level."""
        path = [value_text(value)]
        for above in self._above:
            path.append(above.get(path[-1], path[-1]))
        return tuple(path[1:])
