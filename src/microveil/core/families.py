"""What a family of registered classes is to people: data that its base states, and that all rooms above read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

UNPLACED = 1000  # behind all families that say where they stand


@dataclass(frozen=True)
class Family:
    """A family by its name: `title` heads it in the catalogue, `meaning` says what that is where it needs saying.

    `one` is what a member is called, `home` where it is found in the package. Families stand by `order`, then by name.
    What is left out follows from the name.

    >>> Family("attack").title
    'Attack'
    """

    name: str
    title: str = ""
    meaning: str = ""
    one: str = ""
    home: str = ""
    order: int = UNPLACED

    def __post_init__(self) -> None:
        self._set_by_default(title=self.name.capitalize(), one=self.name, home=self.name)

    def _set_by_default(self, **words: str) -> None:
        for what, word in words.items():
            object.__setattr__(self, what, getattr(self, what) or word)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among families."""
        return self.order, self.name


F = TypeVar("F", bound=Family)


def sort_families(families: Iterable[F]) -> tuple[F, ...]:
    """The families, each once, in the order in which they say they stand."""
    return tuple(sorted({family.name: family for family in families}.values(), key=lambda family: family.place))
