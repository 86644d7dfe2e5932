"""Intervals of numbers that become wider from level to level."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Annotated, ClassVar

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example, Range
from microveil.core.ranges import above_text, amount_text, below_text, between_text
from microveil.hierarchy.rule import HierarchyRule, check_multiples

_MOST_INTERVALS = 10**15  # between the origin and a number: ends are written in 15 digits


@dataclass(frozen=True, kw_only=True)
class Intervals(HierarchyRule, name="intervals"):
    """Numbers in intervals of equal width, wider at each level.

    An interval holds its lower end and not its upper one: `[20, 25)`. Numbers below `bottom` and from `top` on form
    classes of their own (`<20`, `>=90`) at every level, so that extremes stay hidden.

    >>> Intervals(widths=[5, 10], top=90).whole_path(23), Intervals(widths=[5, 10], top=90).whole_path(94)
    (('[20, 25)', '[20, 30)', '*'), ('>=90', '>=90', '*'))
    """

    widths: Annotated[
        tuple[float, ...], Range(gt=0), Example([5, 10, 20]), "width at each level, each a multiple of the last"
    ]
    origin: Annotated[float, Range(), "where an interval begins"] = 0.0
    bottom: Annotated[float | None, Range(), "numbers below this form one class"] = None
    top: Annotated[float | None, Range(), "numbers from this on form one class"] = None

    takes = "numbers"
    samples = (-3, 0, 4.9, 17, 17.5, 23, 64, 99)
    example: ClassVar[Stated] = {"widths": (5.0, 10.0, 20.0)}

    def validate(self) -> None:
        """Widths nest, and the classes at the ends do not meet."""
        check_multiples("widths", self.widths, "numbers")
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise BadInput(f"bottom={self.bottom:g} is not below top={self.top:g}")

    @cached_property
    def _exact(self) -> tuple[Decimal, Decimal, tuple[int, ...]]:
        """Origin and finest width as they are written, and how many of these each level joins."""
        joined = tuple(round(width / self.widths[0]) for width in self.widths)
        return _decimal(self.origin), _decimal(self.widths[0]), joined

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The interval at each level."""
        number = _number(value)
        if number is None:
            return None
        if self.bottom is not None and number < _decimal(self.bottom):
            return (below_text(self.bottom),) * len(self.widths)
        if self.top is not None and number >= _decimal(self.top):
            return (above_text(self.top),) * len(self.widths)
        origin, width, joined = self._exact
        # decimal: 0.3 lies at the third tenth, which binary numbers do not know
        if abs(number - origin) > width * _MOST_INTERVALS:
            self._refuse_far(value)
        finest = int((number - origin) // width)
        if origin + finest * width > number:
            finest -= 1  # decimals are cut towards zero
        if finest not in self._known:
            self._known[finest] = tuple(self._interval(finest // times, times) for times in joined)
        return self._known[finest]

    @cached_property
    def _known(self) -> dict[int, tuple[str, ...]]:
        """Paths of the finest intervals that were met: most numbers share theirs."""
        return {}

    def _interval(self, place: int, times: int) -> str:
        origin, width, _ = self._exact
        low, high = (float(origin + width * times * end) for end in (place, place + 1))
        low = low if self.bottom is None else max(low, self.bottom)
        high = high if self.top is None else min(high, self.top)
        if amount_text(low) == amount_text(high):
            self._refuse_far(low)
        return between_text(low, high)

    def _refuse_far(self, value: Cell) -> None:
        raise BadInput(
            f"intervals of width {self.widths[0]:g} around {value} have ends that cannot be told apart; give wider "
            "ones, or form a class of such numbers with bottom or top"
        )


def _decimal(number: float) -> Decimal:
    return Decimal(repr(float(number)))


def _number(value: Cell) -> Decimal | None:
    """A number, or the text of one; None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    try:
        number = Decimal(value.strip()) if isinstance(value, str) else _decimal(value)  # type: ignore[arg-type]
    except (InvalidOperation, TypeError, ValueError):
        return None
    return number if number.is_finite() else None
