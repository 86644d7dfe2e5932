"""Words for people: numbers of things that agree with them, and lists of names."""

from __future__ import annotations

import re
from collections.abc import Sequence


def counted(number: int, what: str, several: str = "") -> str:
    """How many of something, with the word in the right form.

    >>> counted(1, "record"), counted(1200, "record"), counted(2, "category", "categories")
    ('1 record', '1,200 records', '2 categories')
    """
    return f"{number:,} {what if number == 1 else several or what + 's'}"


_SPELT = re.compile(r"[B-DF-HJ-NP-TV-Z]{2,}\b")  # capitals without a vowel are said letter by letter
_VOWEL_SOUND = re.compile(
    r"hour|honest|honou?r|heir|(?!one\b|once\b|eu|ewe|uni(?![mn])|unanim|us[aeiu]|ut[eio]|ur[aei]|ubi)[aeiou]"
)


def with_article(word: str) -> str:
    """Return the word after the article that goes with its first sound.

    >>> [with_article(word) for word in ("attack", "mask", "hour", "unit", "unknown", "SPSS file", "SAS file")]
    ['an attack', 'a mask', 'an hour', 'a unit', 'an unknown', 'an SPSS file', 'a SAS file']
    """
    vowel = word[0] in "FHLMNRSX" if _SPELT.match(word) else _VOWEL_SOUND.match(word.lower())
    return f"{'an' if vowel else 'a'} {word}"


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
    """Return all words as a list for people; nothing of none.

    >>> list_all(["a", "b", "c"]), list_all([])
    ('a, b and c', '')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
