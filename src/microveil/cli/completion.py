"""What the shell may complete: names of methods and measures, and the few words that an option takes."""

from __future__ import annotations

import os
from collections.abc import MutableMapping, Sequence

_ASKED, _WORDS, _PLACE = "_MICROVEIL_COMPLETE", "COMP_WORDS", "COMP_CWORD"
_BEHIND = "_MICROVEIL_BEHIND_EQUALS"  # set here for the rest of this process
_OF_COLUMNS = ("--role", "--kind")


def method_names() -> list[str]:
    """The methods that protect a file."""
    from microveil.core.registry import registered
    from microveil.run.method import Method

    return [cls.name for cls in registered(Method)]


def all_names() -> list[str]:
    """Everything that `microveil methods` describes: methods, measures and families."""
    from microveil.core.registry import registered

    return [*dict.fromkeys(name for cls in registered() for name in (cls.name, cls.family))]


def measures_named(incomplete: str) -> list[str]:
    """What --measures takes: a word for several, or names after commas, of which the last is completed."""
    from microveil.core.registry import registered
    from microveil.measure import Measure
    from microveil.plan.evaluation import ALL, QUICK

    before, comma, _ = incomplete.rpartition(",")
    said = before.split(",")
    found = [cls.name for cls in registered(Measure) if cls.name not in said]
    return [f"{before}{comma}{name}" for name in ([] if comma else [QUICK, ALL]) + found]


def missing_policies() -> Sequence[str]:
    """What --missing takes."""
    from microveil.run.contract import MISSING_POLICIES

    return MISSING_POLICIES


def integer_policies() -> Sequence[str]:
    """What --integers takes."""
    from microveil.data.microdata import INTEGER_POLICIES

    return INTEGER_POLICIES


def formulas() -> Sequence[str]:
    """What --formulas takes."""
    from microveil.io.formats.csv import FORMULAS

    return FORMULAS


def column_and_role(incomplete: str) -> list[str]:
    """What --role takes, once the column is said."""
    from microveil.data.schema import ROLES

    return _behind_column(incomplete, ROLES)


def column_and_kind(incomplete: str) -> list[str]:
    """What --kind takes, once the column is said."""
    from microveil.data.schema import KINDS

    return _behind_column(incomplete, KINDS)


def _behind_column(incomplete: str, words: Sequence[str]) -> list[str]:
    if _BEHIND in os.environ:
        return list(words)
    column, equals, _ = incomplete.partition("=")
    return [f"{column}={word}" for word in words] if equals else []


def join_words_of_bash(environment: MutableMapping[str, str]) -> None:
    """Take out `COLUMN =` before the word that is completed: for bash = ends a word, and it asks for what is behind."""
    if environment.get(_ASKED) != "complete_bash":
        return
    words, place = environment.get(_WORDS, "").split(), int(environment.get(_PLACE, "0"))
    equals = place if words[place : place + 1] == ["="] else place - 1
    if equals < 3 or words[equals : equals + 1] != ["="] or words[equals - 2] not in _OF_COLUMNS:
        return
    environment[_WORDS] = " ".join([*words[: equals - 1], *words[equals + 1 : place + 1]])
    environment[_PLACE] = str(equals - 1)
    environment[_BEHIND] = "1"
