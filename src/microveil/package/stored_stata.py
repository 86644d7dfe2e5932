"""Bytes of a Stata file that no reader shows: behind the ends of texts, between sections, under missing numbers.

Texts have fields of a fixed width and end at their first zero byte; programs pad the rest with zeros. Whatever else
stands there, be it what somebody put there or what memory held, is read by nobody but those who look for it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

_RELEASE = re.compile(rb"<stata_dta><header><release>(\d{3})</release><byteorder>(LSF|MSF)</byteorder><K>")
# of the releases 117 and later: bytes of a name, a format and a label of a column
_WIDTHS = {117: (33, 49, 81), 118: (129, 57, 321), 119: (129, 57, 321)}
_LONG_TEXT = 32768
_NUMBERS = {65526: "f8", 65527: "f4", 65528: "i4", 65529: "i2", 65530: "i1"}
# numbers from here on are missing: the first is ".", the next 26 are .a to .z, and no others are ever written
_MISSING = {"f8": (0x7FE0000000000000, 0x10000000000), "f4": (0x7F000000, 0x800)}
_LETTERS = 27


@dataclass(frozen=True)
class StoredStata:
    """The sections of a Stata file of the release 117 or later."""

    raw: bytes

    @classmethod
    def of(cls, raw: bytes) -> StoredStata | None:
        """The file, or None for another release."""
        found = _RELEASE.match(raw)
        return cls(raw) if found is not None and int(found[1]) in _WIDTHS else None

    def unseen(self) -> Iterator[str]:
        """What nobody sees, as the ends of sentences about the file."""
        try:
            yield from self._unseen()
        except (struct.error, ValueError, KeyError, IndexError):
            yield "its sections are not where it says"

    def _unseen(self) -> Iterator[str]:
        if not all(self.raw.startswith(tag, self._map[place]) for place, tag in _TAGS.items()):
            yield "its sections are not where it says"
            return
        name, shown, label = _WIDTHS[self._release]
        fields = (("names", 3, name), ("formats", 5, shown), ("names of labels", 6, name), ("labels", 7, label))
        for what, section, width in fields:
            field = np.frombuffer(self.raw, np.uint8, self._columns * width, self._inside(section))
            if _has_tails(field.reshape(self._columns, width)):
                yield f"bytes stand behind the ends of the {what} of its columns, where no reader looks"
        rows = np.frombuffer(self.raw, self._record, self._rows, self._inside(9))
        for place, kind in enumerate(self._kinds):
            cells = rows[f"f{place}"]
            if kind.startswith("u1") and _has_tails(cells.reshape(len(cells), -1)):
                yield f"bytes stand behind the ends of texts of {self._names[place]!r}, where no reader looks"
            elif kind in _MISSING and _is_odd(cells, kind):
                yield f"missing cells of {self._names[place]!r} hold numbers that no reader shows"
        if self._map[10] - self._inside(9) != rows.nbytes + len(b"</data>"):
            yield "bytes stand behind its records, where no reader looks"

    @cached_property
    def _release(self) -> int:
        return int(self._header[1])

    @cached_property
    def _header(self) -> re.Match[bytes]:
        found = _RELEASE.match(self.raw)
        assert found is not None
        return found

    @property
    def _order(self) -> str:
        return "<" if self._header[2] == b"LSF" else ">"

    def _number(self, kind: str, place: int) -> int:
        found: int = struct.unpack_from(self._order + kind, self.raw, place)[0]
        return found

    @cached_property
    def _columns(self) -> int:
        return self._number("I" if self._release == 119 else "H", self._header.end())

    @cached_property
    def _rows(self) -> int:
        place = self._header.end() + (4 if self._release == 119 else 2) + len(b"</K><N>")
        return self._number("I" if self._release == 117 else "Q", place)

    @cached_property
    def _map(self) -> tuple[int, ...]:
        """Where each section begins, as the file says."""
        place = self.raw.index(b"<map>") + len(b"<map>")
        return struct.unpack_from(f"{self._order}14Q", self.raw, place)

    def _inside(self, section: int) -> int:
        return self._map[section] + len(_TAGS[section])

    @cached_property
    def _kinds(self) -> list[str]:
        """The types of the columns, as NumPy writes them; those of texts are their bytes."""
        codes = struct.unpack_from(f"{self._order}{self._columns}H", self.raw, self._inside(2))
        return [_NUMBERS.get(code) or ("V8" if code == _LONG_TEXT else f"u1:{code}") for code in codes]

    @cached_property
    def _record(self) -> npt.DTypeLike:
        fields = []
        for place, kind in enumerate(self._kinds):
            base, _, width = kind.partition(":")
            one = (f"f{place}", base if base[0] in "uV" else self._order + base)
            fields.append((*one, (int(width),)) if width else one)
        return np.dtype(fields)

    @cached_property
    def _names(self) -> list[str]:
        width, start = _WIDTHS[self._release][0], self._inside(3)
        fields = (self.raw[start + place * width : start + (place + 1) * width] for place in range(self._columns))
        return [field.split(b"\0", 1)[0].decode(errors="replace") for field in fields]


_TAGS = {
    2: b"<variable_types>",
    3: b"<varnames>",
    5: b"<formats>",
    6: b"<value_label_names>",
    7: b"<variable_labels>",
    9: b"<data>",
    10: b"<strls>",
    11: b"<value_labels>",
    12: b"</stata_dta>",
}


def _has_tails(texts: npt.NDArray[np.uint8]) -> bool:
    """Whether one of these texts, a row each, has a byte behind its first zero."""
    return bool((np.logical_or.accumulate(texts == 0, axis=1) & (texts != 0)).any())


def _is_odd(cells: npt.NDArray[np.generic], kind: str) -> bool:
    """Whether one of these numbers is missing and none of the 27 missing ones that there are."""
    first, step = _MISSING[kind]
    bits = np.ascontiguousarray(cells).astype(kind).view(f"u{kind[1]}").astype(np.uint64)
    missing = bits[(bits >= first) & (bits < 1 << (8 * int(kind[1]) - 1))] - np.uint64(first)
    return bool(((missing % step != 0) | (missing // step >= _LETTERS)).any())
