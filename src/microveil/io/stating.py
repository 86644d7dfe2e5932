"""Options that only some formats have: stated for another one they are an error, not ignored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter, signature
from typing import Any

from microveil.core.errors import BadInput, UnknownParameter
from microveil.core.parameters import suggest
from microveil.io.formats.format import Format, Option


def state_options(
    given: Mapping[str, str | None],
    kind: Format,
    own: Iterable[Option],
    known: Collection[str],
    where: Callable[..., Any],
) -> dict[str, str]:
    """Those that were stated of the options `given` to the function `where`; each must be the format's `own`.

    `known` are the options that any format has.
    """
    stated = {name: value for name, value in given.items() if value is not None}
    names = {option.name for option in own}
    for name, value in stated.items():
        if name not in known:
            named = [one.name for one in signature(where).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
            arguments = dict.fromkeys([*named, *known])
            raise UnknownParameter(f"{where.__name__} has no argument {name!r}{suggest(name, arguments)}")
        if name not in names:
            raise BadInput(f"{name}={value!r} means nothing for {kind.title} files; leave it out")
    return stated


def check_values(stated: Mapping[str, str], own: Iterable[Option]) -> None:
    """A value that does not fit is an error that says which do."""
    for option in own:
        if option.name in stated and not option.fits(stated[option.name]):
            raise BadInput(f"{option.name}={stated[option.name]!r} is not {option.wanted}")
