"""Column names as words, and what the words say about the column."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from microveil.detect import vocabulary
from microveil.detect.scripts import in_latin, without_accents
from microveil.detect.vocabulary import entries

_PARTS = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[\u4e00-\u9fff]+")
_SHORT_COUNT = 5  # letters up to which "num" may begin another word
_UMLAUTS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d"})

# words of a meaning, by the name under which the rest of the room asks for it
MEANINGS = {
    "number of records": vocabulary.NUMBERS_OF_RECORDS,
    "somebody": vocabulary.SOMEBODY,
    "text that identifies": vocabulary.TEXTS_THAT_IDENTIFY,
    "part of a name": vocabulary.PARTS_OF_NAMES,
    "long number": vocabulary.LONG_NUMBERS,
    "coordinate": vocabulary.COORDINATES,
    "birth": vocabulary.BIRTH,
    "free text": vocabulary.FREE_TEXT,
    "about an identifier": vocabulary.ABOUT_AN_IDENTIFIER,
    "weight": vocabulary.WEIGHT,
    "body": vocabulary.BODY,
    "height": vocabulary.HEIGHT,
    "household": vocabulary.HOUSEHOLD,
    "stratum": vocabulary.STRATUM,
    "confidential": vocabulary.CONFIDENTIAL,
    "key": vocabulary.KEY,
    "nominal": vocabulary.NOMINAL,
    "classification": vocabulary.CLASSIFICATIONS,
    "ordered": vocabulary.ORDERED,
}


def words_of(name: Any) -> tuple[str, ...]:
    """The words of a column name in lower case without accents, split at case, digits and marks.

    >>> words_of("PatientID_2"), words_of("fecha-Nacimiento"), words_of("GRID")
    (('patient', 'id'), ('fecha', 'nacimiento'), ('grid',))
    """
    plain = without_accents(in_latin(str(name)).translate(_UMLAUTS))
    return tuple(part for found in _PARTS.findall(plain) for part in _split_compound(found.lower()))


def says(words: tuple[str, ...], meaning: str) -> bool:
    """Whether the words of a name hold an entry of this meaning.

    >>> says(words_of("e_mail"), "text that identifies"), says(words_of("paid"), "number of records")
    (True, False)
    """
    held = set(words)
    stems = _stems(meaning)
    if stems and any(word.startswith(stems) for word in words):
        return True
    alone, together = _by_length(meaning)
    return (
        not alone.isdisjoint(held)
        or any(entry <= held for entry in together)
        or (meaning == "number of records" and any(map(_is_number_of, words, words[1:])))
    )


def is_part_of_name(name: Any) -> bool:
    """Whether a column holds a part of a name or a day of birth, which many people share, and no number of somebody.

    >>> is_part_of_name("first_name"), is_part_of_name("Geburtsdatum"), is_part_of_name("name")
    (True, True, False)
    """
    words = words_of(name)
    shared = says(words, "part of a name") or says(words, "birth")
    return shared and not says(words, "number of records")


def only_says(words: tuple[str, ...], meaning: str, besides: frozenset[str]) -> bool:
    """Whether every word of a name has this meaning or is one of some neutral others, and not all are such others."""
    known = {word for entry in _entries(meaning) for word in entry}
    return bool(known & set(words)) and set(words) <= known | besides


def numbering_words() -> frozenset[str]:
    """Words that end the names of numbers: id, nr, code, ..."""
    return frozenset(_endings())


def _is_number_of(bearer: str, ending: str) -> bool:
    return bearer in _bearers() and ending in _endings()


@cache
def _entries(meaning: str) -> tuple[frozenset[str], ...]:
    return entries(MEANINGS[meaning])


@cache
def _by_length(meaning: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """The entries of one word as one set, and those of several words."""
    found = _entries(meaning)
    alone = frozenset(word for entry in found if len(entry) == 1 for word in entry)
    return alone, tuple(entry for entry in found if len(entry) != 1)


@cache
def _stems(meaning: str) -> tuple[str, ...]:
    return tuple(word[:-1] for entry in _entries(meaning) for word in entry if word.endswith("*"))


@cache
def _bearers() -> frozenset[str]:
    return frozenset(word for entry in entries(vocabulary.BEARERS) for word in entry)


@cache
def _known() -> frozenset[str]:
    return frozenset(word for meaning in MEANINGS for entry in _entries(meaning) for word in entry)


def _split_compound(word: str) -> tuple[str, ...]:
    """A word without marks inside as the words it is made of, where they are known: utilityid, kundennummer, fnlwgt."""
    if word in _known():
        return (word,)
    for ending in (*_endings(), "names", "name"):
        if word.endswith(ending) and word[: -len(ending)] in _bearers():
            return word[: -len(ending)], ending
    for ending in ("name", "code", "wgt", "nummer", "datum", "gewicht", "weights", "weight"):
        # nothing else ends so: nachname, afnlwgt, sozialversicherungsnummer, geburtsdatum
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)], ending
    if word.startswith("rec") and word[3:] in _received():
        return "received", word[3:]
    if word.startswith("num") and len(word) > _SHORT_COUNT:
        return "num", word[3:]  # numyoung: a count
    return (word,)


@cache
def _received() -> frozenset[str]:
    return frozenset(word for entry in entries(vocabulary.RECEIVED) for word in entry)


@cache
def _endings() -> tuple[str, ...]:
    found = (word for entry in entries(vocabulary.COMMON_ENDINGS_OF_NUMBERS) for word in entry)
    return tuple(sorted(found, key=len, reverse=True))
