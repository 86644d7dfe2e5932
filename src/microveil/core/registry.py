"""Methods, partitions and measures by name: defining a class registers it.

Nothing here or above knows a method by name: command line, catalogue, schema, search and the
common suite all read this registry.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar, Self, TypeVar, overload

from microveil import _rooms
from microveil.core.errors import BadInput, MicroveilError, UnknownName, UnknownParameter
from microveil.core.families import Family
from microveil.core.open_types import Json, Spec, Stated
from microveil.core.parameters import Parameter, parameters_of, suggest, to_json
from microveil.core.words import with_article

ENTRY_POINT = "microveil.methods"  # by which outside packages announce theirs

_REGISTERED: dict[str, type[Value]] = {}

V = TypeVar("V", bound="Value")


class Value:
    """Base of everything registered: a frozen dataclass whose fields are checked parameters.

    A base of a family is declared with `family=`, a member with `name=`:
    `class Mask(Method, family="mask")`, `class Round(Mask, name="round")`. A `Family` in place of the name says more
    about it.
    """

    family: ClassVar[str] = ""
    family_type: ClassVar[type[Family]] = Family
    described: ClassVar[Family] = Family("")  # what the family is to people
    called: ClassVar[str] = "method or measure"  # what members are called where no family is meant
    name: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    # settings with which it is shown and tested where the defaults alone do not make a working member
    example: ClassVar[Stated] = {}
    # settings worth trying where a choice makes sense only together with another parameter
    also_try: ClassVar[tuple[Stated, ...]] = ()
    _parameters: ClassVar[tuple[Parameter, ...]]

    def __init_subclass__(cls, *, name: str = "", family: str | Family = "", **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if family:
            described = cls.family_type(family) if isinstance(family, str) else family
            if not isinstance(described, cls.family_type):
                raise BadInput(
                    f"{cls.__name__} describes its family by a {type(described).__name__}; give a "
                    f"{cls.family_type.__name__}, or the name alone"
                )
            cls.family, cls.described = described.name, described
        cls.name = name
        if name:
            _register(cls)

    def __new__(cls, *values: object, **settings: object) -> Self:
        """Refuse what is no parameter in words, before Python does."""
        if values and cls is not Value:
            first = next((parameter.name for parameter in cls.parameters()), "")
            form = f"{cls.__name__}({first}=...)" if first else f"{cls.__name__}()"
            raise UnknownParameter(
                f"{cls.__name__} takes its parameters by name: {form}; {values[0]!r} came without one"
            )
        cls._refuse_stray(settings, cls.__name__)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            try:
                value = parameter.convert(getattr(self, parameter.name))
            except MicroveilError as problem:
                problem.place = (self.name, parameter.name, *problem.place)
                raise
            object.__setattr__(self, parameter.name, value)
        self._check_conditions()
        self.validate()

    def _check_conditions(self) -> None:
        settings = {parameter.name: getattr(self, parameter.name) for parameter in self.parameters()}
        for parameter in self.parameters():
            try:
                parameter.check_conditions(settings)
            except BadInput as problem:
                problem.place = (self.name, parameter.name)
                raise

    def validate(self) -> None:
        """Check what concerns several parameters at once and no `When` can state; raise BadInput."""

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The parameters with type, range, grid and help text."""
        if "_parameters" not in cls.__dict__:
            cls._parameters = parameters_of(cls)
        return cls._parameters

    def named_columns(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The columns that its settings name, those of methods inside too: the way to each setting, and the names."""
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            way = (self.name, parameter.name)
            if isinstance(value, Value):
                yield from (((*way, *inside), names) for inside, names in value.named_columns())
            elif parameter.columns is not None and (names := tuple(dict.fromkeys(parameter.columns.names(value)))):
                yield way, names

    @classmethod
    def needs_nothing(cls) -> bool:
        """Whether it can be made without stating a parameter."""
        return not any(parameter.required for parameter in cls.parameters())

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the docstring."""
        lines = (cls.__doc__ or "").strip().split("\n\n")[0].split("\n")
        return " ".join(line.strip() for line in lines)  # Python 3.13 takes the indentation away itself

    @classmethod
    def member_names(cls) -> list[str]:
        """The names of everything registered of this class or family."""
        return [member.name for member in registered(cls)]

    def to_spec(self) -> Spec:
        """This value in JSON terms: `{name: {parameter: value}}` with what differs from the defaults."""
        changed = {
            parameter.name: to_json(getattr(self, parameter.name))
            for parameter in self.parameters()
            if parameter.required or getattr(self, parameter.name) != parameter.default
        }
        return {self.name: changed} if changed else self.name

    @classmethod
    def from_spec(cls, spec: object) -> Self:
        """The value of `name` or `{name: {parameter: value}}`, of this class or family."""
        if isinstance(spec, cls):
            return spec
        if isinstance(spec, str):
            name, settings = spec, dict[str, Any]()
        elif isinstance(spec, Mapping) and len(spec) == 1 and isinstance(next(iter(spec)), str):
            name, settings = next(iter(spec.items()))
        else:
            what = with_article(cls.family or "method")
            raise BadInput(f"{spec!r} is not {what}: give its name, or {{name: {{parameter: value}}}}")
        if not isinstance(settings, Mapping):
            raise BadInput(f"the parameters of {name} are {settings!r}; give a mapping of parameter to value")
        return find(name, cls).build(settings)

    @classmethod
    def _refuse_stray(cls, settings: Stated, shown: str) -> None:
        """An unknown parameter is an error that says where it belongs, or names the nearest."""
        known = [parameter.name for parameter in cls.parameters()]
        for given in settings:
            if given in known:
                continue
            nested = [p for p in cls.parameters() if isinstance(p.default, Value) and given in _names_of(p.default)]
            if len(nested) == 1:
                (inner,) = nested
                form = f"{inner.name}={type(inner.default).__name__}({given}={settings[given]!r})"
                raise UnknownParameter(
                    f"{shown} has no parameter {given!r}; {given} belongs to its {inner.name}: {cls.__name__}({form})"
                )
            unknown = UnknownParameter(f"{shown} has no parameter {given!r}{suggest(str(given), known)}")
            unknown.place = (cls.name, given)
            raise unknown

    @classmethod
    def build(cls, settings: Stated) -> Self:
        """The value with these parameters; an unknown parameter is an error that names the nearest."""
        cls._refuse_stray(settings, cls.name)
        needed = [
            parameter.name for parameter in cls.parameters() if parameter.required and parameter.name not in settings
        ]
        if needed:
            raise BadInput(f"{cls.name} needs {', '.join(needed)}")
        return cls(**settings)

    @classmethod
    def schema(cls) -> Json:
        """The JSON Schema of this member's parameters, with the conditions between them."""
        schema: Json = {
            "type": "object",
            "description": cls.summary(),
            "properties": {parameter.name: parameter.schema() for parameter in cls.parameters()},
            "required": [parameter.name for parameter in cls.parameters() if parameter.required],
            "additionalProperties": False,
        }
        defaults = {parameter.name: parameter.default for parameter in cls.parameters()}
        conditions = [
            condition.schema(parameter.name, to_json(parameter.default), defaults)
            for parameter in cls.parameters()
            for condition in parameter.conditions
        ]
        return {**schema, "allOf": conditions} if conditions else schema


def in_python(value: Value) -> str:
    """How a value is written in Python, without what it is by default."""
    spec = value.to_spec()
    settings = {} if isinstance(spec, str) else spec[value.name]
    given = {name: getattr(value, name) for name in settings}
    shown = (f"{name}={in_python(one) if isinstance(one, Value) else repr(one)}" for name, one in given.items())
    return f"{type(value).__name__}({', '.join(shown)})"


def _names_of(value: Value) -> list[str]:
    return [parameter.name for parameter in value.parameters()]


def _register(cls: type[Value]) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cls.name):
        raise BadInput(f"the name {cls.name!r} is not lower-case words joined by hyphens")
    known = _REGISTERED.get(cls.name)
    # a class defined again in the same place (a notebook cell run twice) replaces the former one
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise BadInput(f"the name {cls.name!r} is taken by {known.__module__}.{known.__qualname__}; choose another")
    _REGISTERED[cls.name] = cls


@cache
def _load_all() -> None:
    for room in _rooms.ROOMS:
        importlib.import_module(f"microveil.{room}")
    for point in entry_points(group=ENTRY_POINT):
        point.load()


@overload
def registered() -> tuple[type[Value], ...]: ...
@overload
def registered(family: type[V]) -> tuple[type[V], ...]: ...
def registered(family: type[V] | None = None) -> tuple[type[V], ...] | tuple[type[Value], ...]:
    """All registered classes (of one base), sorted by family and name."""
    _load_all()
    base: type[Any] = family or Value
    found: list[type[V]] = [cls for cls in _REGISTERED.values() if issubclass(cls, base)]  # type: ignore[misc]
    return tuple(sorted(found, key=lambda cls: (cls.family, cls.name)))


def find(name: str, family: type[V]) -> type[V]:
    """The class of that name; an unknown name is an error that offers the nearest."""
    wanted = name.strip().replace("_", "-").lower()
    members = {cls.name: cls for cls in registered(family)}
    if wanted in members:
        return members[wanted]
    by_class = {cls.__name__.lower(): cls for cls in members.values()}
    if wanted in by_class:
        return by_class[wanted]
    kind = family.family or family.called
    elsewhere = next((cls for cls in registered() if wanted in (cls.name, cls.__name__.lower())), None)
    if elsewhere is not None:
        raise UnknownName(f"{elsewhere.name} is {with_article(elsewhere.described.one)}, not {with_article(kind)}")
    raise UnknownName(f"no {kind} called {name!r}{suggest(wanted, sorted(members), most=len(members))}")


def definitions() -> Json:
    """JSON Schema definitions: each family as the choice among its members, open to what is registered."""
    families: dict[str, list[Json]] = {}
    for cls in registered():
        by_name: Json = {
            "type": "object",
            "properties": {cls.name: cls.schema()},
            "required": [cls.name],
            "additionalProperties": False,
        }
        families.setdefault(cls.family, []).append(by_name)
        if cls.needs_nothing():
            families[cls.family].append({"const": cls.name})
    return {family: {"anyOf": options} for family, options in families.items()}
