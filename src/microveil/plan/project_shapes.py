"""Shapes of the fields of a project: what may stand there, in words, as a test, and as JSON Schema for editors.

A table of shapes says all three at once, so that what is checked and what an editor offers cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from numbers import Real
from pathlib import Path, PureWindowsPath
from typing import Any

from microveil.core.errors import BadInput, UnknownName
from microveil.core.open_types import Json
from microveil.core.parameters import nearest, suggest
from microveil.core.printable import has_halves, is_plain
from microveil.core.words import kind_of

Place = Callable[..., str]


@dataclass(frozen=True)
class Shape:
    """What one field takes: the test, what to write in words, and the JSON Schema."""

    fits: Callable[[Any], bool]
    wanted: str
    schema: Json
    words: tuple[str, ...] = ()  # where only these may stand
    each: Callable[[Any], bool] | None = None  # of a list: the test of one entry, so that a wrong one is named


def check_fields(
    given: Any, shapes: Mapping[str, Shape], required: Sequence[str], what: str, place: Place, *path: Any
) -> Json:
    """The fields of one part, each known and of its shape; what is wrong is told with its line."""
    if not isinstance(given, dict):
        raise BadInput(f"{what} is a mapping with {list(shapes)}; this is {kind_of(given)}{place(*path)}")
    for name, value in given.items():
        if name not in shapes:
            raise UnknownName(f"{what} has no field {name!r}{suggest(str(name), shapes)}{place(*path, name)}")
        shape = shapes[name]
        if not shape.fits(value):
            _refuse_entry(value, shape, f"{name} of {what}", place, *path, name)
            hint = nearest(str(value), shape.words)
            raise BadInput(f"{name} of {what} is {value!r}; {shape.wanted}{hint}{place(*path, name)}")
    for name in required:
        if name not in given:
            raise BadInput(f"{what} has no {name}; {shapes[name].wanted}{place(*path)}")
    return dict(given)


def _refuse_entry(value: Any, shape: Shape, what: str, place: Place, *path: Any) -> None:
    """The entry of a list that is wrong by itself, with its own line."""
    for number, one in enumerate(value if isinstance(value, list) and shape.each is not None else ()):
        if shape.each is not None and not shape.each(one):
            raise BadInput(f"entry {number + 1} of {what} is {one!r}; {shape.wanted}{place(*path, number)}")


def fields_schema(shapes: Mapping[str, Shape], required: Sequence[str] = ()) -> Json:
    """The JSON Schema of a part with these fields."""
    said: Json = {
        "type": "object",
        "properties": {name: {"description": shape.wanted, **shape.schema} for name, shape in shapes.items()},
        "additionalProperties": False,
    }
    return {**said, "required": list(required)} if required else said


def is_relative(path: Any) -> bool:
    """Whether this names a file by its way from the project, on every system."""
    if not isinstance(path, str) or not path:
        return False
    return not Path(path).is_absolute() and not PureWindowsPath(path).drive and not path.startswith(("/", "\\"))


RELATIVE: Json = {"type": "string", "pattern": r"^(?![/\\])(?![A-Za-z]:)."}
PLAIN: Json = {"type": ["string", "number", "boolean"]}


def text(wanted: str) -> Shape:
    """A text that is not empty, of whole characters."""
    return Shape(
        lambda given: isinstance(given, str) and bool(given.strip()) and not has_halves(given),
        wanted,
        {"type": "string", "pattern": r"\S"},
    )


def line(wanted: str) -> Shape:
    """A text of one line, in which every sign is shown."""
    return Shape(
        lambda given: isinstance(given, str) and bool(given.strip()) and is_plain(given),
        f"{wanted}, in one line of signs that are shown",
        {"type": "string", "pattern": r"^[^\x00-\x1f]*[^\s\x00-\x1f][^\x00-\x1f]*$"},
    )


def names(wanted: str) -> Shape:
    """A list of texts, each once and at least one."""

    def fits(given: Any) -> bool:
        return _is_list(given, _is_name) and len(set(given)) == len(given) > 0

    schema: Json = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "uniqueItems": True}
    return Shape(fits, wanted, schema, each=_is_name)


def paths(wanted: str) -> Shape:
    """A list of relative paths."""
    schema: Json = {"type": "array", "items": dict(RELATIVE)}
    return Shape(lambda given: _is_list(given, is_relative), wanted, schema, each=is_relative)


def path(wanted: str) -> Shape:
    """A relative path."""
    return Shape(is_relative, wanted, dict(RELATIVE))


def one_of(words: Sequence[str], wanted: str) -> Shape:
    """One of some words."""
    known = tuple(words)
    return Shape(lambda given: isinstance(given, str) and given in known, wanted, {"enum": list(known)}, known)


def number(wanted: str, least: float | None = None, most: float | None = None) -> Shape:
    """A number within limits; infinite ones and those that are none are not numbers here."""
    low, high = (-float("inf") if least is None else least), (float("inf") if most is None else most)

    def fits(given: Any) -> bool:
        real = isinstance(given, Real) and not isinstance(given, bool)
        return real and low <= float(given) <= high and abs(float(given)) < float("inf")

    limits = {"minimum": least, "maximum": most}
    return Shape(fits, wanted, {"type": "number", **{name: end for name, end in limits.items() if end is not None}})


def day(wanted: str) -> Shape:
    """A day of the calendar; YAML reads one that is not in quotes as such."""

    def fits(given: Any) -> bool:
        if isinstance(given, date):
            return not isinstance(given, datetime)
        try:
            return isinstance(given, str) and len(given) == len("2028-06-30") and bool(date.fromisoformat(given))
        except ValueError:
            return False

    return Shape(fits, wanted, {"type": "string", "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"})


def values(wanted: str) -> Shape:
    """A plain value for each of some columns."""

    def fits(given: Any) -> bool:
        plain = (str, int, float, bool)
        return isinstance(given, dict) and all(
            isinstance(name, str) and isinstance(value, plain) for name, value in given.items()
        )

    return Shape(fits, wanted, {"type": "object", "additionalProperties": dict(PLAIN)})


def _is_name(given: Any) -> bool:
    return isinstance(given, str) and bool(given)


def _is_list(given: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(given, list) and all(fits(one) for one in given)
