"""Words for people: numbers of things that agree with them, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, what: str, several: str = "") -> str:
    """How many of something, with the word in the right form.

    >>> counted(1, "record"), counted(1200, "record"), counted(2, "category", "categories")
    ('1 record', '1,200 records', '2 categories')
    """
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def with_article(word: str) -> str:
    """One of what a word names.

    >>> with_article("attack"), with_article("mask")
    ('an attack', 'a mask')
    """
    return f"{'an' if word[:1] in 'aeio' else 'a'} {word}"


_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a mapping"}


def kind_of(value: object) -> str:
    """What a value of a file is, in words.

    >>> kind_of(None), kind_of([1]), kind_of("x")
    ('nothing', 'a list', 'a text')
    """
    return "nothing" if value is None else _KINDS.get(type(value), type(value).__name__)


_ONE = {"records": "record", "people": "person", "values": "value"}


def unit_for(value: float, unit: str) -> str:
    """The unit of a figure in the right form.

    >>> unit_for(1.0, "records"), unit_for(2.0, "records"), unit_for(1.0, "%")
    ('record', 'records', '%')
    """
    return _ONE.get(unit, unit) if value == 1 else unit


def list_some(names: Sequence[object], most: int = 5) -> str:
    """Names in a sentence, the first few of many.

    >>> list_some(["a", "b", "c"], most=2), list_some(["a", "b"])
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def list_all(words: Sequence[str]) -> str:
    """All words as a list for people.

    >>> list_all(["a", "b", "c"])
    'a, b and c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
