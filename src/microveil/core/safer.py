"""What makes a parameter protect more: declared beside it, tried where somebody asks for advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from microveil.core.limits import Range

Way = Literal["twice", "half", "ten times", "a tenth", "one more", "one less"]
_FACTORS: Mapping[Way, float] = {"twice": 2.0, "half": 0.5, "ten times": 10.0, "a tenth": 0.1}
_STEPS: Mapping[Way, int] = {"one more": 1, "one less": -1}
_BACK: Mapping[Way, Way] = {
    "twice": "half",
    "half": "twice",
    "ten times": "a tenth",
    "a tenth": "ten times",
    "one more": "one less",
    "one less": "one more",
}


@dataclass(frozen=True)
class Safer:
    """The change of a number that should protect more; `start` is tried in place of 0, of which no multiple is more.

    It is a promise to be measured, not a proof: advice runs the method with it and says what came of it.

    >>> Safer("twice").than(3, Range(ge=2)), Safer("twice").than(60, Range(le=100)), Safer("half").than(0.8, None)
    (6, 100, 0.4)
    >>> Safer("twice", start=0.5).than(0.0, None), Safer("twice").than(100, Range(le=100)) is None
    (0.5, True)
    """

    way: Way
    start: float | None = None

    @property
    def milder(self) -> Safer:
        """The change the other way, which should protect less and lose less.

        >>> Safer("twice").milder.than(6, Range(ge=2)), Safer("one more").milder.than(3, None)
        (3, 2)
        """
        return Safer(_BACK[self.way])

    def than(self, value: Any, limits: Range | None) -> Any:
        """The safer value, inside the limits; None where there is none, or the value is no number."""
        if isinstance(value, Mapping):
            changed = {name: self.than(one, limits) for name, one in value.items()}
            return changed if changed and None not in changed.values() else None
        if isinstance(value, bool) or not isinstance(value, Real):
            return None
        new = self.start if value == 0 and self.way not in _STEPS else self._stepped(value)
        if new is None:
            return None
        new = _inside(new, limits)
        return None if new is None or new == value else new

    def _stepped(self, value: Any) -> Any:
        new = value + _STEPS[self.way] if self.way in _STEPS else value * _FACTORS[self.way]
        return max(int(new), 1) if isinstance(value, int) else new


def _inside(value: Any, limits: Range | None) -> Any:
    """The value, or the end of the range that it passes; None where that end is not allowed itself."""
    if limits is None or value in limits:
        return value
    if limits.le is not None and value > limits.le:
        return type(value)(limits.le)
    if limits.ge is not None and value < limits.ge:
        return type(value)(limits.ge)
    return None
