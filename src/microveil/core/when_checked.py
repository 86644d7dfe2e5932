"""Conditions between parameters that could not work: told to whoever wrote the class, when its parameters are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from microveil.core.errors import BadInput, MicroveilError
from microveil.core.limits import Range
from microveil.core.when import GIVEN, When

if TYPE_CHECKING:
    from microveil.core.parameters import Parameter


def refuse_what_cannot_be(cls: str, parameters: Sequence[Parameter]) -> None:
    """Refuse conditions about what is no parameter, that can never be met, or that defaults do not meet."""
    known = {one.name: one for one in parameters}
    for parameter in parameters:
        for fault in _faults(parameter, known):
            raise TypeError(f"{cls}.{parameter.name} has a condition that cannot work: {fault}; correct its When(...)")
    if not any(one.required for one in parameters):
        settings = {one.name: one.default for one in parameters}
        for parameter in parameters:
            try:
                parameter.check_conditions(settings)
            except BadInput as problem:
                raise TypeError(f"the defaults of {cls} do not meet a condition of its own: {problem}") from None


def _faults(parameter: Parameter, known: Mapping[str, Parameter]) -> Iterator[str]:
    for condition in parameter.conditions:
        if not condition.others:
            yield "it names no other parameter"
        for name, wanted in condition.others:
            if name not in known:
                yield f"there is no parameter {name}, only {', '.join(one for one in known if one != parameter.name)}"
            elif name == parameter.name:
                yield "it is about the parameter itself"
            else:
                yield from (f"{name} is never {one!r}" for one in _values(wanted) if not _can_be(known[name], one))
    yield from _contradictions(parameter.conditions)
    if parameter.name in _needed(parameter, known, set()):
        yield "what it needs needs it in turn, so that neither can be decided first"


def _values(wanted: object) -> tuple[object, ...]:
    """The values that a condition names one by one."""
    if wanted is GIVEN or wanted is None or isinstance(wanted, Range):
        return ()
    return wanted if isinstance(wanted, tuple) else (wanted,)


def _can_be(parameter: Parameter, value: object) -> bool:
    try:
        return bool(parameter.convert(value) == value)
    except MicroveilError:
        return False


def _contradictions(conditions: Sequence[When]) -> Iterator[str]:
    """Two conditions about the same values of which no setting meets both."""
    for one, other in combinations(conditions, 2):
        if one.values and other.values and not set(map(repr, one.values)) & set(map(repr, other.values)):
            continue  # they are about different values
        first, second = dict(one.others), dict(other.others)
        for name in first:
            if name in second and not _go_together(first[name], second[name]):
                yield f"{one.words} and {other.words} exclude one another"


def _go_together(one: object, other: object) -> bool:
    """Whether some value is as both want it; of two ranges that is taken for granted."""
    if one is None or other is None:
        return one is other
    if one is GIVEN or other is GIVEN:
        return True
    if isinstance(one, Range) and isinstance(other, Range):
        return True
    if isinstance(one, Range) or isinstance(other, Range):
        limits, named = (one, other) if isinstance(one, Range) else (other, one)
        assert isinstance(limits, Range)
        return any(isinstance(value, int | float) and float(value) in limits for value in _values(named))
    return any(value in _values(other) for value in _values(one))


def _needed(parameter: Parameter, known: Mapping[str, Parameter], seen: set[str]) -> set[str]:
    """The parameters that must be known before this one can be judged."""
    for name in (name for condition in parameter.conditions for name, _ in condition.others):
        if name in known and name not in seen:
            seen.add(name)
            _needed(known[name], known, seen)
    return seen
