"""Forms from parameters: what a method takes is described once, in its class, and a form is read from that.

A word of several is a choice, a number has its limits, another method is a choice with fields of its own inside, and
whatever else there is is written as in a project file. What may stand there is checked by the class alone.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Union, get_args, get_origin

import yaml
from starlette.datastructures import FormData

from microveil.core.errors import BadInput, MicroveilError
from microveil.core.open_types import Json
from microveil.core.parameters import Parameter, to_json
from microveil.core.registry import Value, find
from microveil.io import read_value, write_yaml

Shape = Literal["choice", "number", "family", "text"]
_LONGEST = 10  # digits of a number that a page sends
_NONE = ""  # an input that is left empty: as the default says
_LEAVE_OUT = "none"


@dataclass(frozen=True)
class Field:
    """One input: where its value stands (`path`), what it takes, and the fields inside where it is a method."""

    path: str
    name: str
    shape: Shape
    value: str
    help: str
    allowed: str
    default: str
    options: tuple[str, ...] = ()
    inner: tuple[Field, ...] = ()
    low: float | None = None
    high: float | None = None
    step: str = "any"
    example: str = ""
    hidden: str = ""  # why it does not matter as things stand
    decides: bool = False  # whether others matter is a question of its value
    wrong: bool = False


def fields_of(cls: type[Value], settings: Mapping[str, Any], path: str, wrong: tuple[str, ...] = ()) -> list[Field]:
    """The inputs of a class, filled with what is set; `wrong` is the way to the parameter that was refused."""
    known = _values(cls, settings)
    conditions = [when for one in cls.parameters() for when in one.conditions if not when.values]
    deciding = {name for when in conditions for name, _ in when.others}
    found = (_field(one, settings.get(one.name), f"{path}.{one.name}", known, wrong) for one in cls.parameters())
    return [replace(field, decides=field.name in deciding) for field in found]


def _field(one: Parameter, given: Any, path: str, known: Mapping[str, Any], wrong: tuple[str, ...]) -> Field:
    options, family, number = _kinds(one.annotation)
    here = bool(wrong) and len(wrong) > 1 and wrong[1] == one.name
    limits = one.range.schema() if one.range is not None else {}
    value = to_json(one.default) if given is None and not one.required else given
    common: Json = {
        "help": one.help,
        "allowed": one.allowed,
        "default": "" if one.required else in_a_line(to_json(one.default)),
        "example": "" if one.sample is None else in_a_line(one.sample),
        "hidden": _why_hidden(one, known),
        "wrong": here and len(wrong) == 2,
    }
    if family is not None:
        name, inside = _split(value)
        members = tuple(family.member_names())
        inner = fields_of(find(name, family), inside, f"{path}.{name}", wrong[2:] if here else ()) if name else []
        empty = (_LEAVE_OUT,) if options is not None else ()
        common |= {"options": (*empty, *members), "inner": tuple(inner)}
        return Field(path, one.name, "family", name or _LEAVE_OUT, **common)
    if options is not None:
        words = tuple(map(in_a_line, options))
        return Field(path, one.name, "choice", in_a_line(value), **(common | {"options": words}))
    if number:
        low = limits.get("minimum", limits.get("exclusiveMinimum"))
        high = limits.get("maximum", limits.get("exclusiveMaximum"))
        step = "1" if number is int else "any"
        text = "" if value is None else in_a_line(value)
        return Field(path, one.name, "number", text, **(common | {"low": low, "high": high, "step": step}))
    return Field(path, one.name, "text", "" if value is None else in_a_line(value), **common)


def _kinds(annotation: Any) -> tuple[tuple[Any, ...] | None, Any, Any]:
    """The words to choose from, the family to choose from, or the type of number; none of them: text."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
    words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    families = [part for part in parts if hasattr(part, "member_names")]
    plain = [part for part in parts if part in (int, float)]
    optional = type(None) in parts
    others = len(parts) - len(families) - len(plain) - sum(get_origin(part) is Literal for part in parts) - optional
    if others - (bool in parts):
        return None, None, None
    if len(families) == 1 and not words and not plain and bool not in parts:
        return (() if optional else None), families[0], None
    if (words or bool in parts) and not families and not plain:
        flags = (True, False) if bool in parts else ()
        return (*((None,) if optional else ()), *flags, *words), None, None
    if plain and not words and not families and bool not in parts:
        return None, None, (float if float in plain else int)
    return None, None, None


def _split(value: Any) -> tuple[str, Mapping[str, Any]]:
    """The name and the settings of a method as a project states it."""
    if isinstance(value, str):
        return value, {}
    if isinstance(value, Mapping) and len(value) == 1:
        name, inside = next(iter(value.items()))
        return str(name), inside if isinstance(inside, Mapping) else {}
    return "", {}


def _values(cls: type[Value], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What every parameter is, those that cannot be read by their default: conditions look at these."""
    found = {}
    for one in cls.parameters():
        found[one.name] = one.default
        if one.name in settings:
            try:
                found[one.name] = one.convert(settings[one.name])
            except MicroveilError:
                continue
    return found


def _why_hidden(one: Parameter, known: Mapping[str, Any]) -> str:
    """Why another value than the default would be refused, whatever it is; empty if one may be set."""
    if one.required or known[one.name] != one.default:
        return ""
    unmet = (when for when in one.conditions if not when.values and when.unmet(known) is not None)
    first = next(unmet, None)
    return "" if first is None else first.words


def settings_from(cls: type[Value], form: FormData, path: str, *, as_typed: bool = False) -> Json:
    """What a form says about the parameters of a class, without what is as by default; nothing is checked here.

    `as_typed`: what cannot be read is kept as it was typed, to be shown again.
    """
    found: Json = {}
    for one in cls.parameters():
        here = f"{path}.{one.name}"
        if here not in form:
            continue
        try:
            value = _read(one, form, here, as_typed)
        except BadInput as problem:
            if not as_typed:
                problem.place = problem.place or tuple(here.split("."))
                raise
            value = str(form[here])
        if value is not None if one.required else value != to_json(one.default):
            found[one.name] = value
    return found


def _read(one: Parameter, form: FormData, here: str, as_typed: bool) -> Any:
    given = str(form[here]).strip()
    options, family, number = _kinds(one.annotation)
    default = None if one.required else to_json(one.default)
    if family is not None:
        if given in (_LEAVE_OUT, ""):
            return None
        inside = settings_from(find(given, family), form, f"{here}.{given}", as_typed=as_typed)
        return {given: inside} if inside else given
    if options is not None:
        return next((word for word in options if in_a_line(word) == given), given)
    if given == _NONE:
        return None if number and "None" in str(one.annotation) else default
    if number:
        return number_in(given, given)
    taken = _only_type(one)
    if taken is str:  # signs that mean something in a project file, and blanks, are part of the text
        return str(form[here]).strip("\r\n")
    if given[0] not in "[{" and (_lists_words(taken) or ("," in given and any(map(_lists_words, _types(one))))):
        return _listed(given)
    if given[0] not in "[{" and get_args(taken) == (int, ...):  # of numbers with decimals a comma may be the mark
        return [number_in(part, part) for part in _listed(given)]
    return _parsed(given, one.name)


def _types(one: Parameter) -> list[Any]:
    """The types that a parameter takes beside nothing at all."""
    parts = get_args(one.annotation) if get_origin(one.annotation) in (Union, types.UnionType) else (one.annotation,)
    return [part for part in parts if part is not type(None)]


def _only_type(one: Parameter) -> Any:
    """The type that a parameter takes; None if there are several."""
    wanted = _types(one)
    return wanted[0] if len(wanted) == 1 else None


def _lists_words(taken: Any) -> bool:
    """Whether a type is a list of names or of words to choose from."""
    if get_origin(taken) is not tuple or get_args(taken)[1:] != (...,):
        return False
    item = get_args(taken)[0]
    return item is str or get_origin(item) is Literal


def _listed(given: str) -> list[str]:
    """Names or numbers as people write them: with commas between them."""
    return [name.strip() for name in given.replace("\n", ",").split(",") if name.strip()]


def ticked(form: FormData, name: str, before: Sequence[str] = ()) -> list[str]:
    """The names that were ticked; those that stood there before keep their order, which may matter."""
    given = [str(one) for one in form.getlist(name)]
    kept = [one for one in before if one in given]
    return [*kept, *(one for one in given if one not in kept)]


def whole_in(form: FormData, name: str) -> int:
    """A whole number that the page itself sends: which one, or how many."""
    given = str(form.get(name, "0"))
    if not is_whole(given):
        raise BadInput("the form did not come as the page has it; load the page again")
    return int(given)


def is_whole(given: str) -> bool:
    """Whether a text is such a number, and one that can be read at all: addresses and forms may say anything."""
    return given.isascii() and given.isdecimal() and len(given) < _LONGEST


def count_in(form: FormData, name: str) -> int:
    """How many groups of inputs a form has, which are never more than it has inputs."""
    count = whole_in(form, name)
    if count > len(form.multi_items()):
        raise BadInput("the form did not come whole; load the page again")
    return count


def number_in(given: str, otherwise: Any) -> Any:
    """The number that somebody wrote, whole where it is; what is none is told by whoever needs it."""
    for kind in (int, float):
        try:
            found = kind(given)
        except ValueError:
            continue
        return found if "_" not in given and _is_finite(found) else otherwise
    return otherwise


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number with hundreds of digits
        return False


def _parsed(given: str, name: str) -> Any:
    try:
        return read_value(given, name)
    except yaml.YAMLError:
        raise BadInput(f"{name} is {given!r}, which cannot be read; write it as in a project file") from None


def in_a_line(value: Any) -> str:
    """A value as a project file would give it, on one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return _LEAVE_OUT
    if isinstance(value, str):
        return value
    return write_yaml(value, flow=True, width=1 << 20).removesuffix("\n").removesuffix("...").strip()
