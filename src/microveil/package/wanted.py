"""What an audit searches for in all bytes: words, the key, and what identifies people."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from microveil.core.arrays import Ints
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.package.audit_files import DataFile, Place
from microveil.package.known import Known
from microveil.package.searched_numbers import SHORTEST, are_among, long_numbers, numbers_standing_in

DATA = "data"  # what files of data are called in every package
_SHORTEST = 4  # letters: shorter words stand in any file
_MOST, _FEWEST = 2_000, 50  # identifiers that are searched for
_BUDGET = 4_000_000_000  # bytes that are looked at in all


@dataclass(frozen=True)
class Wanted:
    """What is searched for: words, secrets as bytes, texts that stand alone (identifiers, the source), long numbers."""

    words: tuple[str, ...]
    secrets: tuple[bytes, ...]
    texts: tuple[str, ...]
    numbers: Ints

    @property
    def empty(self) -> bool:
        return not (self.words or self.secrets or self.texts or len(self.numbers))

    def count_in(self, contents: bytes) -> int:
        """How many of them stand in bytes."""
        found = sum(_stands_in(word, contents) for word in self.words)
        found += any(secret in contents for secret in self.secrets)  # forms of one key
        found += sum(_stands_in(word, contents, whole=True) for word in self.texts)
        return found + len(numbers_standing_in(contents, self.numbers))

    def __str__(self) -> str:
        words, numbers = len(self.words) + len(self.texts), len(self.numbers)
        parts = {
            counted(words, "word"): words,
            "the key in several forms": len(self.secrets),
            f"{counted(numbers, 'number')} of {SHORTEST} digits or more": numbers,
        }
        return list_all([part for part, there in parts.items() if there] or ["nothing"])


def what_is_wanted(place: Place, files: list[DataFile], known: Known, words: Iterable[str]) -> Wanted:
    """All that must not stand in the files; a number that cells show is no proof, and columns are compared instead."""
    texts = _some(_identifiers(known), place.size)
    numbers = identifying_numbers(known)
    for file in files if len(numbers) else ():
        shown = whole_numbers(file.data, file.data.columns)
        numbers = np.setdiff1d(numbers, shown[are_among(shown, numbers)])
    plain = tuple(dict.fromkeys([*words, *_marks(known)]))
    return Wanted(plain, _forms_of_key(known), (*texts, *_name_of_source(known)), numbers)


def _marks(known: Known) -> Iterator[str]:
    """The marks of the data, and the hash and the seal of what stays inside."""
    if known.log is not None:
        yield str(known.log["input"]["fingerprint"])
        yield str(known.log["seal"])
        yield hashlib.sha256(str(known.log["key"]).encode()).hexdigest()
    if known.source is not None and known.source.is_file():
        from microveil.io import sha256_of

        yield sha256_of(known.source)


def _name_of_source(known: Known) -> Iterator[str]:
    """The name of the source, as a word of its own: that of the released file may end in it, as data.csv in a.csv."""
    if known.source is not None and known.source.stem != DATA:
        yield known.source.name


def _forms_of_key(known: Known) -> tuple[bytes, ...]:
    """The key as digits, as bytes, and as programs pack bytes into text."""
    if known.log is None:
        return ()
    digits = str(known.log["key"])
    raw = bytes.fromhex(digits)
    texts = [digits.lower(), digits.upper(), str(int(digits, 16))]
    packed = [base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"=")]
    return (raw, *packed, *(text.encode() for text in texts), *(text.encode("utf-16-le") for text in texts))


def _identifiers(known: Known) -> list[str]:
    """The texts of columns that identify people."""
    if known.original is None:
        return []
    return list(texts_of(known.original, known.original.names("identifier")))


def identifying_numbers(known: Known) -> Ints:
    """The long numbers of columns that identify people."""
    if known.original is None:
        return np.array([], dtype=np.int64)
    return long_numbers(whole_numbers(known.original, known.original.names("identifier")))


def whole_numbers(data: Microdata, names: Iterable[str]) -> Ints:
    """The whole numbers in the cells of columns of numbers."""
    found = [np.array([], dtype=np.int64)]
    for name in names:
        column = data.narwhal.get_column(name)
        if column.dtype.is_numeric():
            values = column.drop_nulls().cast(nw.Float64()).to_numpy()
            values = values[np.isfinite(values) & (np.abs(values) < 2.0**53)]
            found.append(values[values == np.floor(values)].astype(np.int64))
    return np.concatenate(found)


def texts_of(data: Microdata, names: Iterable[str] | None = None) -> Iterator[str]:
    """The longer texts in the cells of a file."""
    for name in data.columns if names is None else names:
        column = data.narwhal.get_column(name)
        if not column.dtype.is_numeric():
            texts = (str(value) for value in column.unique().to_list() if value is not None)
            yield from (text for text in texts if len(text) >= _SHORTEST)


def _some(words: Sequence[str], size: int) -> list[str]:
    """As many of the words as can be searched for in a while in so many bytes, evenly from all of them."""
    most = max(_FEWEST, min(_MOST, _BUDGET // (size + 1)))
    return list(words[:: -(-len(words) // most)]) if words else []


def _stands_in(word: str, contents: bytes, whole: bool = False) -> bool:
    """Whether a word stands in bytes, in the common encodings; `whole`: not as a part of a longer one."""
    if word.encode("utf-16-le") in contents:
        return True
    if word.encode() not in contents:
        return False
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(word.encode()) + rb"(?![A-Za-z0-9])"
    return not whole or re.search(pattern, contents) is not None
