"""Groups of values by name, and groups of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range, nearest
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule

_EXAMPLE = [{"East": ["Vienna", "Eisenstadt"], "West": ["Bregenz"]}, {"Austria": ["East", "West"]}]


@dataclass(frozen=True, kw_only=True)
class Groups(HierarchyRule, name="groups"):
    """Values in groups that are listed, and these in groups again.

    The first level lists values, each further one the groups of the level below. What no group lists stays as it is;
    then every name that is listed must be one of the column, so that no slip of the pen leaves a value as it was.

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
        """Every level has groups, every group members, and nothing is a member twice."""
        if not self.levels:
            raise BadInput("levels is empty; list groups and their members for at least one level")
        for number, groups in enumerate(self.levels, start=1):
            if not groups:
                raise BadInput(f"levels: level {number} lists no group; list groups and their members, or leave it out")
            seen: dict[str, str] = {}
            for group, members in groups.items():
                if not members:
                    raise BadInput(f"levels: the group {group!r} of level {number} has no member; list some")
                for member in map(value_text, members):
                    if seen.setdefault(member, str(group)) != str(group):
                        raise BadInput(
                            f"levels: {member!r} is in the groups {seen[member]!r} and {str(group)!r} of level "
                            f"{number}; list it in one"
                        )

    def check_column(self, values: Sequence[Cell]) -> None:
        """Members are values of the column or groups of the level below: a slip of the pen would hide nothing.

        Groups of a whole classification list values that a file lacks; they may as long as each value has a group.
        """
        below = {value_text(value) for value in values}
        alone = [name for name in below if name not in self._above[0]]
        absent = [name for name in self._above[0] if name not in below]
        if alone and absent:
            raise BadInput(
                f"levels: {absent[0]!r} in the group {self._above[0][absent[0]]!r} is no value of the column, and "
                f"{min(alone)!r} is in no group; list every value in a group, if need be alone"
                f"{nearest(absent[0], alone)}"
            )
        below.update(self._above[0])
        for number, above in enumerate(self._above, start=1):
            for member in above:
                if member not in below:
                    raise BadInput(
                        f"levels: {member!r} in the group {above[member]!r} of level {number} is nothing that level "
                        f"{number - 1} shows; name a group of it, or a value that no group lists"
                        f"{nearest(member, below)}"
                    )
            below = {above.get(name, name) for name in below} | set(above.values())

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
