"""Codes of classifications, coarser with fewer digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule


@dataclass(frozen=True, kw_only=True)
class Prefixes(HierarchyRule, name="prefixes"):
    """The first digits of codes such as ISCO, NACE, ISIC, NUTS or ICD.

    Points, hyphens and blanks are not counted, and none is left at the end. A code that is shorter already stays as it
    is.

    >>> Prefixes(lengths=[3, 2, 1]).whole_path("2411"), Prefixes(lengths=[3, 2]).whole_path("10.71")
    (('241', '24', '2', '*'), ('10.7', '10', '*'))
    """

    lengths: Annotated[
        tuple[int, ...], Range(ge=1), Example([3, 2, 1]), "how many characters are left at each level, ever fewer"
    ]
    separators: Annotated[str, Example(".-"), "characters that are not counted"] = ".- /"

    takes = "codes"
    samples = ("2411", "2412", "24", "10.71", "111")
    example: ClassVar[Stated] = {"lengths": (3, 2, 1)}

    def validate(self) -> None:
        """Ever fewer characters are left."""
        if not self.lengths or list(self.lengths) != sorted(set(self.lengths), reverse=True):
            raise BadInput(f"lengths={list(self.lengths)} is not a list of falling whole numbers, such as [3, 2, 1]")

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The code with ever fewer characters."""
        code = value_text(value).strip()
        return tuple(self._beginning(code, length) for length in self.lengths) if code else None

    def _beginning(self, code: str, length: int) -> str:
        counted = 0
        for place, character in enumerate(code):
            counted += character not in self.separators
            if counted > length:
                return code[:place].rstrip(self.separators)
        return code
