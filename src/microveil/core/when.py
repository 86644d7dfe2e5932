"""Conditions between parameters, stated as data: what one may be depends on what another is.

Validation, JSON Schema, catalogue and search read the same statement, so that none of them can say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from enum import Enum
from numbers import Real

from microveil.core.limits import Range
from microveil.core.open_types import Json


class _Given(Enum):
    """Any value but none, and but an empty list or mapping."""

    GIVEN = "given"

    def __repr__(self) -> str:
        return "GIVEN"


GIVEN = _Given.GIVEN


@dataclass(frozen=True, init=False)
class When:
    """A parameter differs from its default only when others are as stated here.

    Values before the names confine the condition to these: `When("block", joint=False)` is about `"block"` alone.
    What another must be is a value, several of them in a tuple, a `Range` of numbers, `GIVEN` (neither left out nor
    empty), or None (left out or empty).

    >>> When(core="paper").words
    "changed only with core='paper'"
    >>> When("block", joint=False).words
    "'block' only with joint=False"
    >>> When(kind=("hoehne", "balanced"), rescale=False).words
    "changed only with kind='hoehne' or 'balanced', and rescale=False"
    """

    values: tuple[object, ...]
    others: tuple[tuple[str, object], ...]

    def __init__(self, *values: object, **others: object) -> None:
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "others", tuple(others.items()))

    def concerns(self, value: object, default: object) -> bool:
        """Whether the condition is about this value of the parameter."""
        return value in self.values if self.values else value != default

    def unmet(self, settings: Mapping[str, object]) -> str | None:
        """The first of the others that is not as it must be, None if all are."""
        return next((name for name, wanted in self.others if not _is_as(settings[name], wanted)), None)

    def needs(self, name: str, now: object) -> str:
        """What another parameter must be, and what it is now."""
        wanted = dict(self.others)[name]
        if wanted is None:
            return f"goes without {name}, and {name} is {now!r}; leave one of them out (None)"
        if wanted is GIVEN:
            return f"needs {name}, which is left out; give it too"
        return f"needs {_in_words(name, wanted)}; {name} is {now!r}"

    @property
    def words(self) -> str:
        """The condition in words, for the catalogue."""
        which = f"{' or '.join(map(repr, self.values))} only" if self.values else "changed only"
        told = ", and ".join(_in_words(name, wanted) for name, wanted in self.others)
        return f"{which} {told if told.startswith('without') else f'with {told}'}"

    def schema(self, name: str, default: object, defaults: Mapping[str, object]) -> Json:
        """The condition in the words of JSON Schema: `if` the parameter is given so, `then` the others are as stated.

        `defaults` are those of all parameters: what is left out may meet the condition, or not.
        """
        about: Json = {"enum": list(self.values)} if self.values else {"not": {"const": default}}
        required = [other for other, wanted in self.others if not _is_as(defaults[other], wanted)]
        then: Json = {"properties": {other: _schema(wanted) for other, wanted in self.others}}
        return {
            "if": {"properties": {name: about}, "required": [name]},
            "then": {**then, "required": required} if required else then,
        }


def _is_as(value: object, wanted: object) -> bool:
    if wanted is GIVEN or wanted is None:
        return (value is None or (isinstance(value, Sized) and not len(value))) is (wanted is None)
    if isinstance(wanted, Range):
        return isinstance(value, Real) and not isinstance(value, bool) and float(value) in wanted
    if isinstance(wanted, tuple):
        return value in wanted
    return value == wanted


def _in_words(name: str, wanted: object) -> str:
    if wanted is None:
        return f"without {name}"
    if wanted is GIVEN:
        return f"{name} given"
    if isinstance(wanted, Range):
        return f"{name} {wanted.words}"
    return f"{name}={' or '.join(map(repr, wanted)) if isinstance(wanted, tuple) else repr(wanted)}"


def _schema(wanted: object) -> Json:
    if wanted is GIVEN or wanted is None:
        empty: Json = {"enum": [None, [], {}]}
        return empty if wanted is None else {"not": empty}
    if isinstance(wanted, Range):
        return {"type": "number", **wanted.schema()}
    return {"enum": list(wanted)} if isinstance(wanted, tuple) else {"const": wanted}
