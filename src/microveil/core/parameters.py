"""Parameters of methods and measures: described once, in the fields of the class.

An annotated field such as `k: Annotated[int, Range(ge=2, grid=(3, 5, 10)), "smallest group"] = 3`
is the only place where a parameter is described. Validation, JSON and YAML, JSON Schema, command
line, search grid and catalogue are all read from it here.
"""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, NoReturn, Union, get_args, get_origin

from microveil.core.errors import BadInput, UnknownName
from microveil.core.limits import Range as Range
from microveil.core.of_columns import OfColumns as OfColumns
from microveil.core.open_types import Json
from microveil.core.safer import Safer as Safer
from microveil.core.when import GIVEN as GIVEN
from microveil.core.when import When as When
from microveil.core.when_checked import refuse_what_cannot_be
from microveil.core.words import with_article


@dataclass(frozen=True)
class Grid:
    """The values a search tries for a parameter that has no numeric range.

    `within`: where these are methods, the intervals in which a search draws numbers of theirs that here must be others
    than those which they state themselves.
    """

    grid: tuple[object, ...]
    within: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Example:
    """A value that shows the form of a parameter that is no plain word or number, as a plan file would give it.

    `beside`: other parameters without which it would be refused.
    """

    value: Any
    beside: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class FrozenDict(dict[Any, Any]):
    """A mapping inside a frozen value: hashable, and refuses changes."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("parameters of a method cannot be changed; make a new one")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))


@dataclass(frozen=True)
class Parameter:
    """One parameter: everything that is known about it."""

    name: str
    annotation: object
    default: object
    required: bool
    help: str
    range: Range | None
    grid: tuple[object, ...]
    example: Example | None = None
    conditions: tuple[When, ...] = ()
    within: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    safer: Safer | None = None
    columns: OfColumns | None = None  # which columns its value names, if it names any

    def convert(self, value: object) -> object:
        """The value in its proper type, or one clear error."""
        converted = convert(value, self.annotation, self.name)
        if self.range is not None:
            for number in _numbers(converted):
                if number not in self.range:
                    raise BadInput(f"{self.name} must be {self.range.words}; {value!r} was given")
        return converted

    @property
    def allowed(self) -> str:
        """What may be given, in words for people."""
        text = describe(self.annotation)
        text = f"{text}, {self.range.words}" if self.range is not None else text
        return "; ".join([text, *(condition.words for condition in self.conditions)])

    def check_conditions(self, settings: Mapping[str, object]) -> None:
        """Refuse a value that another parameter does not allow; `settings` are the values of all."""
        value = settings[self.name]
        for condition in self.conditions:
            other = condition.unmet(settings) if condition.concerns(value, self.default) else None
            if other is not None:
                raise BadInput(f"{self.name}={value!r} {condition.needs(other, settings[other])}")

    @property
    def sample(self) -> object:
        """A value that shows the form of one that is not a plain word or number, else None.

        The example stated, else what a search tries or the default, where that is a list, a mapping or a method.
        """
        if self.example is not None:
            return self.example.value
        shown = (to_json(value) for value in (*self.grid, self.default) if not _is_plain(value))
        return next(shown, None)

    def schema(self) -> Json:
        """The JSON Schema of this parameter."""
        schema = annotation_schema(self.annotation, self.range)
        if self.help:
            schema = {"description": self.help, **schema}
        if not self.required:
            schema["default"] = to_json(self.default)
        return schema


def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """The parameters of a dataclass, in the order of its fields."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = tuple(_parameter(field, hints[field.name]) for field in dataclasses.fields(cls) if field.init)
    refuse_what_cannot_be(cls.__name__, found)
    return found


def _parameter(field: dataclasses.Field[Any], hint: Any) -> Parameter:
    annotation: Any = hint
    extras: tuple[Any, ...] = ()
    if get_origin(hint) is typing.Annotated:
        annotation, *rest = get_args(hint)
        extras = tuple(rest)
    limits = next((extra for extra in extras if isinstance(extra, Range)), None)
    grid = next((extra.grid for extra in extras if isinstance(extra, Range | Grid)), ())
    within = next((extra.within for extra in extras if isinstance(extra, Grid)), {})
    conditions = tuple(extra for extra in extras if isinstance(extra, When))
    text = next((extra for extra in extras if isinstance(extra, str)), "")
    if field.default_factory is not dataclasses.MISSING:
        default, required = field.default_factory(), False
    else:
        required = field.default is dataclasses.MISSING
        default = None if required else field.default
    example = next((extra for extra in extras if isinstance(extra, Example)), None)
    safer = next((extra for extra in extras if isinstance(extra, Safer)), None)
    of = next((extra for extra in extras if isinstance(extra, OfColumns)), None)
    stated = (field.name, annotation, default, required, text, limits, grid, example, conditions, within, safer, of)
    return Parameter(*stated)


def _is_plain(value: Any) -> bool:
    """Whether a value has no form to show: a word, a number, nothing, or no entries."""
    return (
        value is None or isinstance(value, str | bool | Real) or (isinstance(value, Sequence | Mapping) and not value)
    )


def _numbers(value: Any) -> Iterable[float]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, Real):
        yield float(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _numbers(item)


# -- conversion ---------------------------------------------------------------------------------


def convert(value: Any, annotation: Any, where: str) -> Any:
    """`value` as the annotation asks for it; BadInput with what came and what is allowed otherwise."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return _convert_union(value, annotation, where)
    if origin is Literal:
        return _convert_choice(value, get_args(annotation), where)
    if origin in (tuple, list, Sequence):
        return _convert_sequence(value, annotation, where)
    if origin in (dict, Mapping):
        return _convert_mapping(value, annotation, where)
    if annotation is Any:
        return value
    return _convert_plain(value, annotation, where)


def _convert_plain(value: Any, annotation: Any, where: str) -> Any:
    from_spec = getattr(annotation, "from_spec", None)
    if from_spec is not None:
        return value if isinstance(value, annotation) else from_spec(value)
    fits = {
        bool: isinstance(value, bool),
        int: isinstance(value, Integral) and not isinstance(value, bool),
        float: isinstance(value, Real) and not isinstance(value, bool),
        str: isinstance(value, str),
        type(None): value is None,
    }
    if annotation not in fits:
        raise TypeError(f"{where}: parameters of type {annotation!r} are not supported")
    if not fits[annotation]:
        raise BadInput(f"{where}={value!r} is not {describe(annotation)}")
    return None if annotation is type(None) else annotation(value)


def _convert_union(value: Any, annotation: Any, where: str) -> Any:
    problems: list[Exception] = []
    for option in get_args(annotation):
        try:
            return convert(value, option, where)
        except (BadInput, UnknownName) as problem:
            problems.append(problem)
    words = _words_allowed(annotation)
    if isinstance(value, str) and words:
        raise BadInput(f"{where}={value!r} is not one of {words}{nearest(value, words)}")
    nested = [p for p in problems if not str(p).startswith(f"{where}=")]
    if nested:  # the value had the right shape and was wrong further inside: that message says more
        raise nested[0]
    raise BadInput(f"{where}={value!r} is not {describe(annotation)}")


def _words_allowed(annotation: Any) -> list[str]:
    """The words that a type takes where it takes some by themselves: these, and the names of members beside them."""
    options = get_args(annotation)
    own = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
    members = [name for option in options if hasattr(option, "member_names") for name in option.member_names()]
    return [word for word in own if isinstance(word, str)] + members if own else []


def _convert_choice(value: Any, choices: tuple[Any, ...], where: str) -> Any:
    for choice in choices:
        if value == choice and type(value) is type(choice):
            return choice
    hint = nearest(str(value), [str(choice) for choice in choices])
    raise BadInput(f"{where}={value!r} is not one of {list(choices)}{hint}")


def _convert_sequence(value: Any, annotation: Any, where: str) -> tuple[Any, ...]:
    value = _plain_list(value)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise BadInput(f"{where}={value!r} is not {describe(annotation)}")
    args = get_args(annotation)
    if get_origin(annotation) is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        items = list(value)
        if len(items) != len(args):
            raise BadInput(f"{where} has {len(items)} entries; {len(args)} are needed")
        return tuple(
            convert(item, kind, f"{where}[{i}]") for i, (item, kind) in enumerate(zip(items, args, strict=True))
        )
    return tuple(convert(item, args[0], f"{where}[{i}]") for i, item in enumerate(value))


def _convert_mapping(value: Any, annotation: Any, where: str) -> FrozenDict:
    if not isinstance(value, Mapping):
        raise BadInput(f"{where}={value!r} is not {describe(annotation)}")
    key_type, item_type = get_args(annotation)
    return FrozenDict(
        {
            convert(key, key_type, f"{where} key"): convert(item, item_type, f"{where}[{key!r}]")
            for key, item in value.items()
        }
    )


def _plain_list(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


_NEAR = 0.6  # share of letters in common, in their order: below it a name that is offered only surprises


def nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' for the known name nearest to the one given, or nothing."""
    # by letters, not by capitals: INCOME is near income
    lowered = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), lowered, cutoff=_NEAR)
    return f"; did you mean {lowered[close[0]]!r}?" if close else ""


def suggest(name: str, known: Iterable[Any], most: int = 30) -> str:
    """'; did you mean ...?' where a known name is near the one given, else '; there are ...' with those known.

    >>> suggest("colour", ["color", "size"]), suggest("xyz", ["color", "size"])
    ("; did you mean 'color'?", "; there are ['color', 'size']")
    """
    names = list(known)
    near = nearest(name, [str(one) for one in names])
    if near:
        return near
    if len(names) > most:
        return f"; there are {len(names)}: {str(names[:most])[:-1]}, ...]"
    return f"; there are {names}"


# -- words, JSON and JSON Schema ----------------------------------------------------------------

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", type(None): "nothing"}
_SEVERAL = {bool: "true or false", int: "whole numbers", float: "numbers", str: "texts"}
_SCHEMA_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def describe(annotation: Any) -> str:
    """A type in words for people."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return " or ".join(describe(option) for option in get_args(annotation))
    if origin is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(annotation))
    if origin in (tuple, list, Sequence):
        inner = [option for option in get_args(annotation) if option is not Ellipsis]
        if len(inner) == 1:
            if inner[0] in _SEVERAL:
                return f"a list of {_SEVERAL[inner[0]]}"
            lists = get_origin(inner[0]) in (tuple, list, Sequence)
            return f"a list{' of lists, each ' if lists else ', each part '}{describe(inner[0])}"
        return f"a list of {len(inner)}: {', '.join(map(describe, inner))}"
    if origin in (dict, Mapping):
        return f"{describe(get_args(annotation)[1])} for each name"
    family = getattr(annotation, "family", None) or getattr(annotation, "called", None)
    if family:
        return with_article(family)
    return _WORDS.get(annotation, "a value")


def annotation_schema(annotation: Any, limits: Range | None = None) -> Json:
    """The JSON Schema of a type; a family of methods is a reference to all of its members."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return {"anyOf": [annotation_schema(option, limits) for option in get_args(annotation)]}
    if origin is Literal:
        return {"enum": list(get_args(annotation))}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": annotation_schema(get_args(annotation)[0], limits)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": annotation_schema(get_args(annotation)[1], limits)}
    family = getattr(annotation, "family", None)
    if family:
        return {"$ref": f"#/$defs/{family}"}
    schema: Json = {"type": _SCHEMA_TYPES[annotation]} if annotation in _SCHEMA_TYPES else {}
    if limits is not None and annotation in (int, float):
        schema.update(limits.schema())
    return schema


def to_json(value: Any) -> Any:
    """A parameter's value in plain JSON terms."""
    if hasattr(value, "to_spec"):
        return value.to_spec()
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    return value
