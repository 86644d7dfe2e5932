"""Everything public says what it takes and gives: no annotation is missing, and none says `Any`.

What a name of several types stands for has an alias in one place: `AnyFrame` for a user's frame, `Cell` for a value in
one, `Json` for what a JSON file holds, the arrays of `microveil.core.arrays`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from functools import cached_property

import microveil as mv

ROOMS = ["microveil", "microveil.claims", *(f"microveil.{room}" for room in (*mv._rooms.ROOMS, *mv._OTHER_ROOMS))]


def public_objects() -> Iterator[type | Callable[..., object]]:
    """The classes and functions that the package and its rooms export."""
    seen = set()
    for room in map(importlib.import_module, ROOMS):
        for name in dir(room):
            found = getattr(room, name)
            ours = getattr(found, "__module__", "").startswith("microveil")
            if name.startswith("_") or not ours or not (inspect.isclass(found) or inspect.isfunction(found)):
                continue
            if found not in seen:
                seen.add(found)
                yield found


def functions_of(found: type | Callable[..., object]) -> Iterator[Callable[..., object]]:
    """A function itself, or the public methods and properties that a class defines."""
    if not inspect.isclass(found):
        yield found
        return
    for name, member in vars(found).items():
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        if isinstance(member, property):
            member = member.fget
        if isinstance(member, cached_property):
            member = member.func
        generated = name == "__init__" and dataclasses.is_dataclass(found)  # from the fields, which are looked at
        if inspect.isfunction(member) and member.__module__.startswith("microveil") and not generated:
            yield member


def says_any(text: object, hint: object) -> bool:
    return bool(re.search(r"\bAny\b", text if isinstance(text, str) else repr(text))) or hint is typing.Any


# what a mask learnt of all records is handed back to the same mask alone, which knows what it is
HANDED_BACK = {("learn", "return"), ("act", "known")}


def hints_of(found: type | Callable[..., object]) -> dict[str, object]:
    try:
        return typing.get_type_hints(found, include_extras=True)
    except NameError:  # a name for type checkers only: what is written has to do
        return {}


def complaints_about(function: Callable[..., object]) -> Iterator[str]:
    where, written = f"{function.__module__}.{function.__qualname__}", function.__annotations__
    hints = hints_of(function)
    wanted = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    for name in [*wanted, *(["return"] if function.__name__ != "__init__" else [])]:
        if name not in written:
            yield f"{where}: {name} has no annotation"
        elif says_any(written[name], hints.get(name)) and (function.__name__, name) not in HANDED_BACK:
            yield f"{where}: {name} is {written[name]}"


def complaints_about_fields(found: type) -> Iterator[str]:
    written, hints = vars(found).get("__annotations__", {}), hints_of(found)
    for name, text in written.items():
        if not name.startswith("_") and says_any(text, hints.get(name)):
            yield f"{found.__module__}.{found.__qualname__}: {name} is {text}"


def test_no_public_annotation_is_missing_or_any() -> None:
    found = list(public_objects())
    assert len(found) > 200
    problems = [line for one in found for function in functions_of(one) for line in complaints_about(function)]
    problems += [line for one in found if dataclasses.is_dataclass(one) for line in complaints_about_fields(one)]
    assert not problems, "\n".join(["", *problems])


def test_what_is_wrong_is_noticed() -> None:
    def lax(frame: typing.Any, rows: list[typing.Any], seed) -> int:  # type: ignore[no-untyped-def]
        return 1

    def strict(frame: object, rows: list[int]) -> int:
        return 1

    assert len(list(complaints_about(lax))) == 3
    assert not list(complaints_about(strict))
