"""Values of the original that no record has any more, looked for in reports, codebooks and all other papers.

Categories are words of everyday pages too. The rule against false alarms: a value of one plain word (letters of ASCII,
at most the first a capital) counts where it stands alone, as the whole of a line, cell, quotation or item of a list. A
value with a blank, a digit, another sign or another letter counts wherever it stands whole. Left out are values of
fewer than four signs, values without a letter, values that are part of a text that
the files show, as a class that names what it holds, and the words with which our own papers are written. Of amounts
the extremes count, and any three of a column more than chance gives, if they have five digits or more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from microveil.core.registry import registered
from microveil.data.microdata import Microdata
from microveil.package.audit_files import DataFile
from microveil.package.known import Known
from microveil.package.wanted import texts_of

_SHORTEST = 4  # signs
_DIGITS = 5  # of an extreme that is searched for
_MOST = 2_000  # values of a column
_FEWEST = 3  # amounts of one column in a paper, which are no chance
# a line of a PDF that says where an object begins is no amount; such numbers have as many digits as amounts do
_PLACE = r"\d{10} \d{5} [fn]\b"
_NUMBER = re.compile(rf"(?<![\w.])(?!{_PLACE})(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?![\w]|\.\d)")
_PLAIN = re.compile(r"[A-Za-z][a-z]*")
_BEFORE, _AFTER = r"(?:^|[\"'`“”‘’|=;:,()\[\]{}<>])[ \t]*", r"[ \t]*(?:$|[\"'`“”‘’|=;:,.()\[\]{}<>])"
# words and phrases of the forms that every package has
_WORDS = """
nominal ordinal continuous number text date time true false public scientific secure kept doubts title kind records
columns methods limits software review name what column value values missing character numeric category freq percent
other contin discrete vald invd mean stdev weight record file files data figure measure protection smallest largest
interval ratio numbers codebook report certificate people who none unknown order lower higher better
"""
_PHRASES = ("not stated", "true or false", "left as it was", "kept, with doubts", "as collected", "missing values")


@dataclass(frozen=True)
class Removed:
    """By column, patterns of the values that no record has any more."""

    patterns: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]]
    amounts: Mapping[str, frozenset[float]] = field(default_factory=dict)

    @property
    def said(self) -> list[str]:
        """What is searched for, in words."""
        count = sum(map(len, (*self.patterns.values(), *self.amounts.values())))
        return [f"{count:,} values that no record has any more"] if count else []

    def columns_in(self, contents: bytes) -> list[str]:
        """The columns of which such a value stands in a text."""
        text = contents.decode(errors="replace")
        found = [
            name
            for name, values in self.patterns.items()
            if any(value in text and pattern.search(text) for value, pattern in values)
        ]
        numbers = {float(one.replace(",", "")) for one in _NUMBER.findall(text)} if self.amounts else set()
        found += [
            name for name, amounts in self.amounts.items() if len(amounts & numbers) >= _fewest_of(amounts, numbers)
        ]
        return list(map(repr, dict.fromkeys(found)))


def _fewest_of(amounts: frozenset[float], numbers: set[float]) -> int:
    """How many amounts in a paper are no chance.

    Running numbers, or the pays of a million people, are nearly all whole numbers between their ends, so that any
    figure there is one of them: as many as chance would give are taken off, with three times their spread.
    """
    low, high = min(amounts), max(amounts)
    if not all(map(float.is_integer, amounts)):
        return _FEWEST
    figures = sum(low <= one <= high and one.is_integer() for one in numbers)
    expected = figures * len(amounts) / (high - low + 1)
    return _FEWEST + math.floor(expected + 3 * math.sqrt(expected))


def removed_values(files: list[DataFile], known: Known) -> Removed:
    """Texts, labels and extremes of the original that the files no longer show; nothing without the original."""
    if known.original is None or not files:
        return Removed({})
    shown = "\n".join(_shown(files))
    found = {
        str(name): [*_texts(known.original, name, files, shown), *_extremes(known.original, name, files, shown)]
        for name in known.original.columns
        if known.original.roles[name] != "identifier"  # which are searched for as such
    }
    ends = {float(one.replace(",", "")) for one in _NUMBER.findall(shown)}  # of classes, which files show
    amounts = {str(name): _amounts(known.original, name, files) - ends for name in known.original.columns}
    return Removed(
        {name: tuple(values) for name, values in found.items() if values},
        {name: values for name, values in amounts.items() if values},
    )


def _shown(files: list[DataFile]) -> Iterator[str]:
    for file in files:
        yield from map(str, file.data.columns)
        yield from texts_of(file.data)


def _texts(original: Microdata, name: str, files: list[DataFile], shown: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The removed categories of a column, and the labels of codes that are no longer there."""
    labels = original.codebook.labels.get(name, {}) if original.codebook is not None else {}
    codes = {value for file in files if name in file.data.columns for value in _values(file.data, name)}
    kept = {text for code, text in labels.items() if code in codes}
    wanted = dict.fromkeys([*texts_of(original, [name]), *(text for code, text in labels.items() if code not in codes)])
    for value in list(wanted)[:_MOST]:
        if len(value) < _SHORTEST or not any(map(str.isalpha, value)) or value.lower() in _ours():
            continue
        if value not in shown and value not in kept:
            yield value, _pattern(value)


def _extremes(
    original: Microdata, name: str, files: list[DataFile], shown: str
) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The smallest and the largest amount of a column, where they have digits enough to be known by."""
    if original.kinds[name] != "continuous" or not original.narwhal.get_column(name).dtype.is_numeric():
        return
    numbers = original.values(name, "continuous").numbers
    numbers = numbers[np.isfinite(numbers)]
    there = {value for file in files if name in file.data.columns for value in _values(file.data, name)}
    for value in {float(numbers.min()), float(numbers.max())} if len(numbers) else ():
        if value in there or len(f"{value:.15g}".replace("-", "").replace(".", "").lstrip("0")) < _DIGITS:
            continue
        for text in dict.fromkeys((f"{value:.15g}", f"{value:,.15g}")):
            if text in shown:  # in a class, whose ends they are
                continue
            yield text, re.compile(rf"(?<![\d.,]){re.escape(text)}(?!\d|[.,]\d)")


def _amounts(original: Microdata, name: str, files: list[DataFile]) -> frozenset[float]:
    """The amounts of a column that the files do not show, and that have digits enough to be known by."""
    if original.kinds[name] != "continuous" or not original.narwhal.get_column(name).dtype.is_numeric():
        return frozenset()
    numbers = original.values(name, "continuous").numbers
    there = {value for file in files if name in file.data.columns for value in _values(file.data, name)}
    return frozenset(
        value
        for value in np.unique(np.abs(numbers[np.isfinite(numbers)])).tolist()
        if value not in there and len(f"{value:.15g}".replace(".", "").lstrip("0")) >= _DIGITS
    )


def _values(data: Microdata, name: str) -> set[object]:
    return {value for value in data.narwhal.get_column(name).unique().to_list() if value is not None}


def _pattern(value: str) -> re.Pattern[str]:
    if _PLAIN.fullmatch(value):
        return re.compile(f"{_BEFORE}{value}{_AFTER}", re.MULTILINE)
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")


@cache
def _ours() -> frozenset[str]:
    """The words with which our own papers are written: forms, names and summaries of methods and measures."""
    told = " ".join(
        f"{cls.name} {getattr(cls, 'title', '')} {(cls.__doc__ or '').partition(chr(10))[0]}" for cls in registered()
    )
    return frozenset({*_WORDS.split(), *_PHRASES, *re.findall(r"[a-z]+(?:-[a-z]+)*", told.lower())})
