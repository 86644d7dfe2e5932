"""A method from its name and `name=value` settings, where a setting may belong to a nested method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import suggest
from microveil.core.registry import Value, find, registered
from microveil.measure import Measure
from microveil.run.method import Method


def configure(name: str, given: Mapping[str, Any]) -> Method:
    """The method with these settings.

    `k=10` sets the method's own parameter, or the only nested one of that name (the k of its partition);
    `partition=mdav` chooses a nested method, `partition.k=10` sets its parameter.
    """
    cls = _method(name)
    settings: dict[str, Any] = {}
    for key, value in given.items():
        path = _path(cls, key)
        _put(cls, settings, path, value)
    return cls.build(settings)


def _method(name: str) -> type[Method]:
    """The method of that name; what is a part of methods, or a measure, is said with where it belongs."""
    try:
        return find(name, Method)
    except UnknownName:
        other = next((cls for cls in registered() if name.strip().lower() in (cls.name, cls.__name__.lower())), None)
        if other is None:
            raise
        if issubclass(other, Measure):
            raise UnknownName(f"{other.name} is a measure: microveil evaluate ORIGINAL PROTECTED tells it") from None
        hosts = [
            (method.name, outer)
            for method in registered(Method)
            for outer, member in _nested(method)
            if issubclass(other, _base_of(member))
        ]
        if not hosts:
            raise
        host, outer = min(hosts, key=lambda found: (found[0] != "microaggregation", found))
        raise UnknownName(f"{other.name} is a {other.family}: --method {host} --set {outer}={other.name}") from None


def _base_of(member: type[Value]) -> type[Value]:
    """The base of the family that a nested method belongs to."""
    return [cls for cls in member.__mro__ if issubclass(cls, Value) and cls.family == member.family][-1]


def _path(cls: type[Value], key: str) -> list[str]:
    parts = key.split(".")
    own = [parameter.name for parameter in cls.parameters()]
    if parts[0] in own:
        return parts
    nested = [[outer, key] for outer, member in _nested(cls) if key in [p.name for p in member.parameters()]]
    if len(nested) == 1:
        return nested[0]
    if nested:
        ways = " or ".join(".".join(path) for path in nested)
        raise BadInput(f"{key!r} could mean {ways}; say which")
    below = [f"{outer}.{p.name}" for outer, member in _nested(cls) for p in member.parameters()]
    raise UnknownName(f"{cls.name} has no parameter {key!r}{suggest(key, own + below)}")


def _nested(cls: type[Value]) -> list[tuple[str, type[Value]]]:
    return [(p.name, type(p.default)) for p in cls.parameters() if isinstance(p.default, Value)]


def _put(cls: type[Value], settings: dict[str, Any], path: list[str], value: Any) -> None:
    if len(path) == 1:
        settings[path[0]] = value
        return
    outer, rest = path[0], path[1:]
    default = next(parameter.default for parameter in cls.parameters() if parameter.name == outer)
    chosen = settings.get(outer, default.to_spec() if isinstance(default, Value) else None)
    if chosen is None:
        raise BadInput(f"choose {outer} first, for example --set {outer}=NAME")
    name, inner = (chosen, {}) if isinstance(chosen, str) else next(iter(chosen.items()))
    below = dict(inner)
    _put(find(name, Value), below, rest, value)
    settings[outer] = {name: below}
