"""The part of a project file that says what a search may try and what it must keep."""

from __future__ import annotations

from numbers import Real
from typing import Any

from microveil.core.errors import BadInput, UnknownName
from microveil.core.open_types import Json
from microveil.core.parameters import suggest
from microveil.core.registry import registered
from microveil.core.words import kind_of
from microveil.run.method import Method

LISTS = ("objectives", "require", "columns", "methods", "without")
FIELDS = (*LISTS, "at_most", "budget")


def check_search(given: Any, place: Any) -> Json:
    """The search space in plain terms, shapes and methods checked; names of measures are checked when it is used."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadInput(f"search is a mapping with {list(FIELDS)}; this is {kind_of(given)}{place('search')}")
    for name, value in given.items():
        if name not in FIELDS:
            raise UnknownName(f"search has no field {name!r}{suggest(str(name), FIELDS)}{place('search', name)}")
        problem = _problem(name, value)
        if problem:
            raise BadInput(f"{name} of search is {kind_of(value)}; {problem}{place('search', name)}")
        if name == "at_most":
            _check_limits(value, place)
        if name in ("methods", "without"):
            _check_methods(value, place("search", name))
    return dict(given)


def _problem(name: str, value: Any) -> str:
    if name in LISTS and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        return "give a list of names"
    if name == "at_most" and not isinstance(value, dict):
        return "give limits by name: {worst-case: 5}"
    return 'give a time in quotes, such as "5 min"' if name == "budget" and not isinstance(value, str) else ""


def _check_limits(limits: dict[Any, Any], place: Any) -> None:
    for name, limit in limits.items():
        if not _is_number(limit):
            raise BadInput(f"the limit of {name} in at_most is {limit!r}; give a number{place('search', 'at_most')}")


def _check_methods(names: list[str], line: str) -> None:
    known = [cls.name for cls in registered(Method)] if names else []
    for name in names:
        if name not in known:
            raise UnknownName(f"no method called {name!r}{suggest(name, known)}{line}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
