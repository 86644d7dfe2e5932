"""Methods changed by what they declare of their parameters, to protect more; or, the other way, to lose less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from microveil.core.errors import BadInput
from microveil.core.registry import Value
from microveil.run.contract import MethodContract, Step


@dataclass(frozen=True)
class SaferValue:
    """A value with one parameter changed, its own or that of a part of it: the name, before and after."""

    parameter: str
    before: Any
    after: Any
    value: Value

    @property
    def words(self) -> str:
        """The change for people."""
        return f"{self.parameter}={_told(self.after)} instead of {_told(self.before)}"


def safer_values(value: Value, milder: bool = False) -> Iterator[SaferValue]:
    """Every change that the parameters of a value, and of its parts, declare; `milder` ones go the other way.

    Where a part has a parameter of the same name (the k of a model and that of its partition), the first decides.
    """
    taken: set[str] = set()
    for parameter in value.parameters():
        own = getattr(value, parameter.name)
        found = _parts(value, parameter.name, own, milder)
        if parameter.safer is not None:
            change = parameter.safer.milder if milder else parameter.safer
            after = change.than(own, parameter.range)
            found = _own(value, parameter.name, own, after) if after is not None else iter(())
        for one in found:
            if one.parameter not in taken:
                taken.add(one.parameter)
                yield one


def _own(value: Value, name: str, before: Any, after: Any) -> Iterator[SaferValue]:
    spec = value.to_spec()
    stated = {} if isinstance(spec, str) else {one: getattr(value, one) for one in spec[value.name]}
    try:
        yield SaferValue(name, before, after, type(value).build({**stated, name: after}))
    except BadInput:
        return  # another parameter does not allow it


def _parts(value: Value, name: str, own: Any, milder: bool) -> Iterator[SaferValue]:
    if not isinstance(own, Value):
        return
    for inner in safer_values(own, milder):
        try:
            yield replace(inner, value=replace(value, **{name: inner.value}))  # type: ignore[type-var] # a dataclass
        except BadInput:
            continue


def with_method(step: Step, method: MethodContract) -> Step:
    """The same step with another method."""
    return Step(method, step.columns, step.given, step.by, step.missing)


def safer_plans(
    steps: Sequence[Step], concerned: Sequence[int], milder: bool = False
) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Plans in which one parameter is changed, in all of the steps concerned that use one method; with words."""
    changed: dict[tuple[str, str], dict[int, SaferValue]] = {}
    for place in concerned:
        for one in safer_values(steps[place].method, milder):
            changed.setdefault((steps[place].method.name, one.parameter), {})[place] = one
    several = len({step.method.name for step in steps}) > 1
    for (method, _), places in changed.items():
        words = "; ".join(dict.fromkeys(one.words for one in places.values()))
        new = [
            with_method(step, _method(places[place])) if place in places else step for place, step in enumerate(steps)
        ]
        yield (f"{words} ({method})" if several else words), tuple(new)


def _method(changed: SaferValue) -> MethodContract:
    assert isinstance(changed.value, MethodContract)
    return changed.value


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_told(one)}" for name, one in value.items())
    return f"{value:g}"
