"""Audit: what SPSS and Stata files say beside their cells: labels, notes, documents, and records for other programs."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

from microveil.core.printable import one_line
from microveil.core.words import counted
from microveil.data.canonical import plain
from microveil.package.audit_files import DataFile
from microveil.package.stored_spss import bytes_behind
from microveil.package.stored_stata import StoredStata

_SPSS_ROLE = re.compile(rb"[^/:]+:\$@Role\('[^']*'\n?\)")
_SPSS_PRODUCT = re.compile(rb"@\(#\) (IBM )?(SPSS|PSPP)[\w .:()/,-]* *")
_SPSS_WRITTEN = re.compile(rb"[ \d]\d [A-Za-z]{3} \d\d[ \d]\d:\d\d:\d\d")  # day and time
_SPSS_HEAD = 176  # bytes before its first record
_SPSS_LAST = 999  # the type of the record before the data
_DOCUMENT, _VARIABLE, _DATA = -1, -2, -3  # records that have no number of their own
# records of an SPSS file that say how to read it: machine, display, long names and texts, count of cases, encoding
_SPSS_NEEDED = frozenset({3, 4, 11, 13, 14, 16, 20, 21, 22})
_SPSS_SAID = {
    5: "sets of variables",
    7: "sets of multiple responses",
    10: "further words on the program that wrote it",
    12: "an identity of its own",
    15: "descriptions for other programs",
    19: "sets of multiple responses",
    24: "a description in XML",
}
_SPSS_ATTRIBUTES = {17: "the file has attributes of its own", 18: "a column has attributes of its own"}
_OLD_STATA = {113: 12, 114: 49, 115: 49}  # bytes of the format of a column
_OLD_STATA_HEAD = 109


def look_at_labels(file: DataFile) -> Iterator[str]:
    """Value labels may name codes that no record has, and the file may have notes."""
    if file.format not in ("spss", "stata"):
        return
    import pyreadstat

    read = pyreadstat.read_sav if file.format == "spss" else pyreadstat.read_dta
    about = read(str(file.path), metadataonly=True)[1]
    for name, labels in about.variable_value_labels.items():
        shown = set(plain(file.table[name]).to_pylist()) if name in file.table.column_names else set()
        if set(labels) - shown:
            yield f"the column {name!r} has labels of codes that no record has"
    unused = set(about.value_labels) - set(about.variable_to_label.values())
    if unused:
        yield f"it holds lists of labels that no column has: {', '.join(sorted(unused))}"
    if about.notes or about.file_label:
        yield "it holds notes or a label of the file"


def look_into_spss(file: DataFile) -> Iterator[str]:
    """Records of an SPSS file that hold texts of somebody: documents, attributes, sets, and those of other programs."""
    if file.format != "spss":
        return
    raw = file.path.read_bytes()
    little = raw[64:68] in (b"\x02\0\0\0", b"\x03\0\0\0")
    if not _SPSS_PRODUCT.fullmatch(raw[4:64].rstrip(b" \0")):
        yield f"it says that it was written by {one_line(raw[4:64].decode('latin-1')).strip()[:60]!r}"
    if not _SPSS_WRITTEN.fullmatch(raw[92:109]) or raw[173:_SPSS_HEAD].strip(b" \0"):
        yield "its head holds bytes that no reader looks at"
    elements = 0
    for kind, said, place in _records(raw, little):
        elements += kind == _VARIABLE
        if kind == _DOCUMENT and said.strip():
            yield "it holds documents"
        elif kind == _DATA:
            yield from _behind_data(raw, place, elements, little)
        elif kind in _SPSS_ATTRIBUTES:
            if _SPSS_ROLE.sub(b"", said).strip(b" /\n"):
                yield _SPSS_ATTRIBUTES[kind]
        elif kind >= 0 and kind not in _SPSS_NEEDED:
            yield f"it holds {_SPSS_SAID.get(kind, f'records of type {kind}, which nobody needs to read it')}"


def _behind_data(raw: bytes, place: int, elements: int, little: bool) -> Iterator[str]:
    try:
        behind = bytes_behind(raw, place, elements, little)
    except (struct.error, zlib.error):
        behind = 1  # of which nobody can say where they belong
    if behind:
        yield "bytes stand behind its data, where no reader looks"


def _records(raw: bytes, little: bool) -> Iterator[tuple[int, bytes, int]]:
    """The records of the dictionary of an SPSS file, by their types, with what they say and where they end."""
    place = _SPSS_HEAD

    def number(at: int) -> int:
        return int.from_bytes(raw[at : at + 4], "little" if little else "big", signed=True)

    while place + 4 <= len(raw):
        kind = number(place)
        if kind == 2:  # a variable
            label, missing = number(place + 8), number(place + 12)
            place += 32
            place += 4 + (number(place) + 3) // 4 * 4 if label else 0
            place += 8 * abs(missing)
            yield _VARIABLE, b"", place
        elif kind == 3:  # value labels
            count, place = number(place + 4), place + 8
            for _ in range(count):
                place += 8 + (raw[place + 8] + 8) // 8 * 8 if place + 8 < len(raw) else len(raw)
        elif kind == 4:  # the variables that have them
            place += 8 + 4 * number(place + 4)
        elif kind == 6:
            count = number(place + 4)
            start, place = place + 8, place + 8 + 80 * count
            yield _DOCUMENT, raw[start:place], place
        elif kind == 7:
            size, count = number(place + 8), number(place + 12)
            kind, start, place = number(place + 4), place + 16, place + 16 + size * count
            yield kind, raw[start:place], place
        else:
            if kind == _SPSS_LAST:
                yield _DATA, b"", place + 8
            return  # the end of the dictionary


def look_into_stata(file: DataFile) -> Iterator[str]:
    """Characteristics and notes of a Stata file, texts that no cell shows, and what stands behind its end."""
    if file.format != "stata":
        return
    raw = file.path.read_bytes()
    if not raw.startswith(b"<stata_dta>"):
        yield from _old_stata(raw)
        return
    if _has(raw, b"characteristics"):
        yield "it holds characteristics, such as notes"
    types = raw.partition(b"<variable_types>")[2].partition(b"</variable_types>")[0]
    if _has(raw, b"strls") and not {b"\x00\x80", b"\x80\x00"}.intersection(
        types[i : i + 2] for i in range(0, len(types), 2)
    ):
        yield "it holds long texts that no column has"
    behind = len(raw) - raw.rfind(b"</stata_dta>") - len(b"</stata_dta>")
    if behind > 0:
        yield f"{counted(behind, 'byte')} stand behind its end"
    stored = StoredStata.of(raw)
    if stored is not None:
        yield from stored.unseen()


def _has(raw: bytes, section: bytes) -> bool:
    """Whether a section of the file is there and not empty."""
    return re.search(rb"<%b>(?!</%b>)" % (section, section), raw) is not None


def _old_stata(raw: bytes) -> Iterator[str]:
    """Versions 113 to 115 have characteristics in fields that follow the names and labels of columns."""
    version = raw[0] if raw else 0
    if version not in _OLD_STATA:
        return
    columns = int.from_bytes(raw[4:6], "little" if raw[1] == 2 else "big")
    place = _OLD_STATA_HEAD + columns * (1 + 33 + 2 + _OLD_STATA[version] + 33 + 81) + 2
    if raw[place : place + 1] not in (b"", b"\0"):
        yield "it holds characteristics, such as notes"
