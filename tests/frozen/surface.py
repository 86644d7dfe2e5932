"""Public names, signatures, and the parameters of everything registered; no docstrings, no modules, no sentences.

What a class shares with its nearest public base is recorded there only.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.parameters import to_json
from microveil.core.registry import registered
from microveil.testing import grid_points

_OPERATORS = ("call", "len", "iter", "getitem", "contains", "add", "sub", "and", "or", "enter", "exit", "str", "repr")
SPECIAL = ("__init__", *(f"__{name}__" for name in _OPERATORS), "_repr_html_")


def entries() -> Iterator[tuple[str, Any]]:
    """Yield every public name with its signature, then every registered class with its parameters."""
    public = list(_public())
    paths: dict[int, str] = {}
    for path, value in public:
        paths.setdefault(id(value), path)
    for path, value in public:
        if isinstance(value, types.ModuleType):
            yield path, "module"
        elif not callable(value):
            yield path, _constant(value)
        elif paths[id(value)] != path:
            yield path, f"is {paths[id(value)]}"
        elif inspect.isclass(value):
            yield from _class(path, value, paths)
        else:
            yield path, _signature(value)
    for cls in registered():
        if cls.__module__.startswith("microveil."):
            here = f"registered {cls.family} {cls.name}"
            yield here, {"class": cls.__name__, "example": to_json(cls.example), "also_try": to_json(cls.also_try)}
            for parameter in cls.parameters():
                yield f"{here}({parameter.name})", _parameter(parameter)
            if issubclass(cls, mv.data.Method):
                yield f"{here}: claims", _claims(cls)


def _claims(cls: Any) -> list[str]:
    """Name what the first setting of a method claims of two columns."""
    try:
        return sorted(type(claim).__name__ for claim in next(grid_points(cls)).claims(("a", "b")))
    except BadInput:
        return ["refused"]


def _public() -> Iterator[tuple[str, Any]]:
    """Yield what `dir` shows of the package and of its parts, except modules of parts and the features of Python."""
    parts = {name: part for name in dir(mv) if isinstance(part := getattr(mv, name), types.ModuleType)}
    parts["claims"] = importlib.import_module("microveil.claims")
    for at, module in (("mv", mv), *((f"mv.{name}", part) for name, part in sorted(parts.items()))):
        for name in dir(module):
            value = getattr(module, name)
            inner = module is not mv and isinstance(value, types.ModuleType)
            if not (name.startswith("_") or name == "annotations" or inner):
                yield f"{at}.{name}", value


def _class(path: str, cls: type, paths: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Yield what a class has that its nearest public base does not have, or has differently."""
    base = next((one for one in cls.__mro__[1:] if one is not object and id(one) in paths), None)
    yield path, f"class({paths[id(base)]})" if base else "class"
    inherited = _members(base) if base else {}
    own = _members(cls)
    if cls in registered():
        for name in ("__init__", *(one.name for one in cls.parameters())):  # recorded by themselves
            own.pop(name, None)
            inherited.pop(name, None)
        yield f"{path}: registered", f"{cls.family} {cls.name}"
    for name in sorted({*own, *inherited}):
        if own.get(name) != inherited.get(name):
            yield f"{path}.{name}", own.get(name, "absent")


def _members(cls: type) -> dict[str, str]:
    """Return what the classes of microveil give a class: public attributes, each with its kind or signature."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("microveil"):
            continue
        for name, value in vars(base).items():
            if name in SPECIAL or not name.startswith("_"):
                found[name] = _member(value)
        for name in getattr(base, "__annotations__", {}):
            if not name.startswith("_"):
                found.setdefault(name, "attribute")
    return found


def _member(value: object) -> str:
    if isinstance(value, property | functools.cached_property | types.MemberDescriptorType):
        return "attribute"
    if isinstance(value, classmethod | staticmethod):
        return f"{type(value).__name__} {_signature(value.__func__)}"
    return _signature(value) if inspect.isroutine(value) else "class" if inspect.isclass(value) else "attribute"


def _signature(function: Any) -> str:
    """Return names, kinds and defaults of parameters."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a type in place of a function
        return type(function).__name__
    plain = [
        one.replace(annotation=one.empty, default=one.default if one.default is one.empty else _Shown(one.default))
        for one in signature.parameters.values()
    ]
    return str(inspect.Signature(plain))


class _Shown:
    """A default in a signature."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        value = self.value
        if dataclasses.is_dataclass(value) and hasattr(value, "to_spec"):
            return repr(value.to_spec())
        if inspect.isclass(value) or inspect.isroutine(value):
            return value.__name__
        plain = value is None or isinstance(value, str | int | float | tuple | list | dict | frozenset)
        return repr(value) if plain else type(value).__name__


def _constant(value: object) -> Any:
    if isinstance(value, bool | int | float) or (isinstance(value, str) and " " not in value):
        return value
    simple = isinstance(value, tuple | list) and all(isinstance(one, str | int | float) for one in value)
    return list(value) if simple else type(value).__name__  # type: ignore[call-overload]


def _parameter(parameter: Any) -> dict[str, Any]:
    limits = parameter.range
    bounds = {one.name: getattr(limits, one.name) for one in dataclasses.fields(limits)} if limits else {}
    return {
        "type": type_text(parameter.annotation),
        **({} if parameter.required else {"default": to_json(parameter.default)}),
        **({"grid": [to_json(one) for one in parameter.grid]} if parameter.grid else {}),
        **({"safer": [parameter.safer.way, parameter.safer.start]} if parameter.safer else {}),
        **{name: value for name, value in bounds.items() if name != "grid" and value not in (None, False)},
    }


def type_text(annotation: Any) -> str:
    """Return a type without the modules of what it names."""
    if inspect.isclass(annotation) and not isinstance(annotation, types.GenericAlias):
        return annotation.__name__
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", repr(annotation))
