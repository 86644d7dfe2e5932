"""The words of commands that run a project: what is no option of theirs is a field of the project."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Container
from functools import cache

from microveil.core.rewording import Said, rewording

# as a shell takes it: quoted (a quote inside stands in quotes of the other sort), or one word with commas inside
_VALUE = r"""('[^'\n]*'(?:"'"'[^'\n]*')*|[^\s,;:)'"]+(?:,[^\s,;:)'"]+)*)"""
_STEP = " in the step of the project"
_COLUMN = " in the section columns of the project"
_READ = " in the section dataset of the project"


def in_project_words(message: str, options: Container[str]) -> str:
    """The message with fields of the project for options that a command has not.

    >>> in_project_words("values are missing in 'x'; use --missing drop", ["--into"])
    "values are missing in 'x'; use missing: drop in the step of the project"
    >>> in_project_words("inside subdomains with --by a,b", ["--into"])
    'inside subdomains with by: [a, b] in the step of the project'
    """
    if "--" not in message:
        return message
    return _reworded(tuple(option not in options for option, _, _ in _FIELDS))(message)


@cache
def _reworded(fields: tuple[bool, ...]) -> Callable[[str], str]:
    """The options that are fields are said so, and the others stay, with what follows them."""
    return rewording(
        [
            (pattern, said if is_field else lambda found: found[0])
            for (_, pattern, said), is_field in zip(_FIELDS, fields, strict=True)
        ]
    )


def _unquoted(value: str) -> str:
    return "".join(shlex.split(value))


def _field(where: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found[1]}: {_unquoted(found[2])}{where}"


def _names(found: re.Match[str]) -> str:
    value = _unquoted(found[2])
    named = "..." if value == "NAMES" else ", ".join(value.split(","))
    return f"{found[1]}: [{named}]{_STEP}"


def _setting(found: re.Match[str]) -> str:
    name, _, value = _unquoted(found[2]).partition("=")
    return f"{name}: {value}{_STEP}"


def _of_column(found: re.Match[str]) -> str:
    column, _, value = _unquoted(found[2]).rpartition("=")
    return f"{column}: {{{found[1]}: {value}}}{_COLUMN}"


def _codes(found: re.Match[str]) -> str:
    codes = [code for code in shlex.split(found[0]) if code != "--na"]
    return f"missing: [{', '.join(codes)}]{_COLUMN}"


def _policy(found: re.Match[str]) -> str:
    return f"integers: {_unquoted(found[2])} in the project"


_MARKS = {"comma": '","', "point": '"."'}


def _mark(found: re.Match[str]) -> str:
    return f"decimal: {_MARKS.get(found[2], found[2])}{_READ}"


_FIELDS: tuple[tuple[str, str, Said], ...] = tuple(
    (f"--{name}", rf"(?<![\w-]){pattern}", said)
    for name, pattern, said in (
        ("missing", rf"--(missing) {_VALUE}", _field(_STEP)),
        *((name, rf"--({name}) {_VALUE}", _names) for name in ("by", "columns", "given")),
        ("set", rf"--(set) {_VALUE}", _setting),
        ("method", rf"--(method) {_VALUE}", _field(_STEP)),
        *((name, rf"--({name}) {_VALUE}", _of_column) for name in ("kind", "role")),
        ("na", rf"--na {_VALUE}(?: --na {_VALUE})*", _codes),
        ("integers", rf"--(integers) {_VALUE}", _policy),
        ("decimal", rf"--(decimal) {_VALUE}", _mark),
        *((name, rf"--({name}) {_VALUE}", _field(_READ)) for name in ("encoding", "delimiter", "sheet")),
    )
)
