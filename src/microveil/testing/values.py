"""Checks of anything registered: parameters, texts, round trips."""

from __future__ import annotations

import importlib
import json
import math
import pickle
import types
import typing
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, Literal, Union, get_args, get_origin

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import Parameter, Range
from microveil.core.registry import Value, find
from microveil.plan.catalogue import example_settings
from microveil.plan.grid import grid_points as grid_points
from microveil.plan.grid import single_choices


def refusal(what: str, errors: type[Exception] | tuple[type[Exception], ...], call: Callable[[], Any]) -> str:
    """The message with which a call is refused; an AssertionError if it is not."""
    try:
        call()
    except errors as problem:
        return str(problem)
    raise AssertionError(f"{what} was accepted")


def run_checks(member: Any, checks: Iterable[Callable[[Any], None]], who: str = "") -> None:
    """Run checks one after the other; whatever goes wrong is an AssertionError that names the check."""
    for check in checks:
        try:
            check(member)
        except AssertionError as problem:
            raise AssertionError(f"{who}{check.__name__}: {problem}") from problem
        except Exception as problem:
            kind = type(problem).__name__
            raise AssertionError(f"{who}{check.__name__} ended in {kind}: {problem}") from problem


def check_choices_covered(value: Value) -> None:
    """Every choice of every parameter is tried, alone or together with what it needs."""
    cls = type(value)
    base = example_settings(cls) or {}
    for settings in cls.also_try:
        cls(**{**base, **settings})
    for single in single_choices(cls, value):
        ((name, choice),) = single.items()
        if any(settings.get(name) == choice for settings in cls.also_try):
            continue
        try:
            cls(**{**base, **single})
        except BadInput as problem:
            raise AssertionError(
                f"{cls.__name__}: {name}={choice!r} is never tried ({problem}); add it to also_try"
            ) from None


def check_texts(value: Value) -> None:
    """It says what it is, where it comes from, and what each parameter means."""
    cls = type(value)
    assert cls.summary().endswith("."), f"{cls.__name__}: the docstring needs a first sentence"
    assert cls.reference, f"{cls.__name__}: no reference"
    for parameter in cls.parameters():
        assert parameter.help, f"{cls.__name__}.{parameter.name}: no help text"


def check_samples(value: Value) -> None:
    """A parameter that is neither a word nor a number shows what a value looks like, and what it shows is accepted."""
    cls = type(value)
    for parameter in cls.parameters():
        if _is_plain(parameter.annotation):
            continue
        assert parameter.sample is not None, f"{cls.__name__}.{parameter.name}: state an Example"
        more = {} if parameter.example is None else dict(parameter.example.beside)
        built = cls.build({**(example_settings(cls) or {}), **more, parameter.name: parameter.sample})
        assert getattr(built, parameter.name) == parameter.convert(parameter.sample)


def _is_plain(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, types.UnionType):
        return all(map(_is_plain, get_args(annotation)))
    return get_origin(annotation) is Literal or annotation in (bool, int, float, str, type(None))


def check_exported(value: Value) -> None:
    """It can be imported from its room."""
    cls = type(value)
    if cls.__module__.startswith("microveil."):
        room = importlib.import_module(".".join(cls.__module__.split(".")[:2]))
        assert getattr(room, cls.__name__, None) is cls, f"{cls.__name__} is not exported by {room.__name__}"


def check_frozen(value: Value) -> None:
    """Nothing can be set after construction."""
    for parameter in value.parameters():
        try:
            setattr(value, parameter.name, None)
        except AttributeError:
            continue
        raise AssertionError(f"{value.name}.{parameter.name} can be changed")


def check_round_trips(value: Value) -> None:
    """JSON, pickle and repr give the same value back, and equal values have equal hashes."""
    spec = json.loads(json.dumps(value.to_spec()))
    again = type(value).from_spec(spec)
    assert again == value, f"{value.name}: {spec} gives {again}"
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(again) == hash(value)
    assert find(value.name, type(value)) is type(value)


def check_ranges(value: Value) -> None:
    """Numbers outside their range, wrong types and unknown parameters are refused."""
    cls = type(value)
    for parameter in cls.parameters():
        if _takes_numbers(parameter):
            assert parameter.range is not None, f"{cls.__name__}.{parameter.name}: a number without a range"
            for outside in _outside(parameter):
                _refused(cls, value, parameter.name, outside)
            _check_searched(f"{cls.__name__}.{parameter.name}", parameter.range)
        _refused(cls, value, parameter.name, object())
    message = refusal("an unknown parameter", UnknownName, lambda: cls.build({"no_such_parameter": 1}))
    assert "no_such_parameter" in message


def _check_searched(who: str, limits: Range) -> None:
    """The interval in which a search draws lies in the range, and above 0 where it is one of orders of magnitude."""
    if limits.searched is not None:
        low, high = limits.searched
        inside = low in limits and high in limits and low < high
        assert inside, f"{who}: a search from {low:g} to {high:g} leaves {limits}"
        assert low > 0 or not limits.log, f"{who}: there are no orders of magnitude from {low:g} on"


def _takes_numbers(parameter: Parameter) -> bool:
    kinds = (parameter.annotation, *get_args(parameter.annotation))
    return int in kinds or float in kinds


def _outside(parameter: Parameter) -> list[Any]:
    limits = parameter.range
    assert limits is not None
    below = limits.ge if limits.ge is not None else limits.gt
    above = limits.le if limits.le is not None else limits.lt
    found: list[Any] = [math.nan] if float in (parameter.annotation, *get_args(parameter.annotation)) else []
    found += [math.floor(below) - 1] if below is not None else []
    found += [math.ceil(above) + 1] if above is not None else []
    return found


def _refused(cls: type[Value], value: Value, name: str, wrong: Any) -> None:
    settings = {parameter.name: getattr(value, parameter.name) for parameter in cls.parameters()}
    refused = (BadInput, UnknownName)
    message = refusal(f"{cls.__name__}({name}={wrong!r})", refused, lambda: cls(**{**settings, name: wrong}))
    if isinstance(wrong, Real):
        assert name in message, f"{cls.__name__}: the message does not name {name}: {message}"


def check_schema(value: Value) -> None:
    """Its JSON Schema names every parameter and can be written as JSON."""
    schema = type(value).schema()
    json.dumps(schema)
    assert set(schema["properties"]) == {parameter.name for parameter in type(value).parameters()}
    typing.get_type_hints(type(value))


VALUE_CHECKS = (
    check_texts,
    check_samples,
    check_choices_covered,
    check_exported,
    check_frozen,
    check_ranges,
    check_schema,
)
