"""Members of a class worth trying: its default, its grids and its choices, one at a time."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

from microveil.core.errors import BadInput
from microveil.core.registry import Value
from microveil.plan.catalogue import example_of, example_settings


def grid_points(cls: type[Value]) -> Iterator[Value]:
    """The default member and one for every point of every parameter's grid or list of choices.

    Nothing for a class that states neither a grid for its required parameters nor an example.
    """
    base = example_of(cls)
    if base is None:
        return
    yield base
    for settings in (*single_choices(cls, base), *cls.also_try):
        try:
            yield cls(**{**(example_settings(cls) or {}), **settings})
        except BadInput:
            continue  # not valid alone: the common suite wants it in also_try


def single_choices(cls: type[Value], base: Any) -> Iterator[dict[str, Any]]:
    """Each choice of each parameter that the member does not have."""
    for parameter in cls.parameters():
        for value in parameter.grid or choices_of(parameter.annotation):
            if value != getattr(base, parameter.name):
                yield {parameter.name: value}


def choices_of(annotation: Any) -> tuple[Any, ...]:
    """The values of a type that has only a few; none for any other."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return (False, True) if annotation is bool else ()


def choices_to_draw(annotation: Any) -> tuple[Any, ...]:
    """The values of a type that has only a few, or may be left out besides."""
    if get_origin(annotation) in (Union, types.UnionType):
        options = [option for option in get_args(annotation) if option is not type(None)]
        found = choices_of(options[0]) if len(options) == 1 else ()
        return (None, *found) if found else ()
    return choices_of(annotation)
