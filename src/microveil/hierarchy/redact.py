"""Characters replaced from one side: postcodes and other codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule


@dataclass(frozen=True, kw_only=True)
class Redact(HierarchyRule, name="redact"):
    """Characters of a code replaced by `*`, more of them at each level.

    Codes of different lengths are padded to the longest, or to `length`. Characters of `kept` (blanks and hyphens)
    stay where they are and are not counted among those replaced. They are part of the length: write all codes alike,
    since `SW12AA` beside `SW1 2AA` is a code that lacks its last character.

    >>> Redact(length=4).whole_path("1010")
    ('101*', '10**', '1***', '*')
    >>> Redact(replaced=[3], length=7).whole_path("SW1 2AA")
    ('SW1 ***', '*')
    """

    replaced: Annotated[
        tuple[int, ...] | None,
        Range(ge=1),
        Example([1, 2, 4]),
        "how many characters are replaced at each level; left out, one more at each",
    ] = None
    side: Annotated[Literal["right", "left"], "from where characters are replaced"] = "right"
    length: Annotated[int | None, Range(ge=1), "length of a whole code; left out, that of the longest"] = None
    pad: Annotated[str, Example("0"), "character that fills short codes; left out, they count as replaced there"] = ""
    pad_side: Annotated[
        Literal["right", "left"] | None, "where short codes are filled; left out, where characters are replaced"
    ] = None
    mark: Annotated[str, Example("x"), "what stands for a character that is replaced"] = "*"
    kept: Annotated[str, Example(" -"), "characters that stay"] = " -"

    takes = "codes that are not longer than its length"
    samples = ("10100", "10205", "8010", "SW-1A")
    example: ClassVar[Stated] = {"length": 5}

    def validate(self) -> None:
        """Marks are single characters, and more are replaced at each level."""
        if len(self.mark) != 1 or len(self.pad) > 1:
            raise BadInput(f"mark={self.mark!r} and pad={self.pad!r} must be one character; pad may be left out")
        if self.replaced is not None and (not self.replaced or list(self.replaced) != sorted(set(self.replaced))):
            raise BadInput(f"replaced={list(self.replaced)} is not a list of rising whole numbers")
        if self.replaced is not None and self.length is not None and self.replaced[-1] > self.length:
            raise BadInput(f"replaced={list(self.replaced)} goes beyond length={self.length}; leave the last out")

    def bound(self, values: Sequence[Cell]) -> Self:
        """With the length of the longest code."""
        if self.length is not None:
            return self
        longest = max(len(value_text(value)) for value in values)
        return replace(self, length=max(longest, self.replaced[-1] if self.replaced else 1))

    @property
    def _counts(self) -> Sequence[int]:
        return self.replaced if self.replaced is not None else range(1, max(self.length or 1, 2))

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The code with ever fewer characters."""
        code, length = value_text(value), self.length or 0
        if len(code) > length:
            return None
        filled = (self.pad or self.mark) * (length - len(code))
        whole = filled + code if (self.pad_side or self.side) == "left" else code + filled
        places = [place for place, character in enumerate(whole) if character not in self.kept]
        if self.side == "right":
            places.reverse()
        return tuple(self._without(whole, places[:count]) for count in self._counts)

    def _without(self, code: str, places: Sequence[int]) -> str:
        gone = set(places)
        return "".join(self.mark if place in gone else character for place, character in enumerate(code))
