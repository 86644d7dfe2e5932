"""Audit: a search for words that must not stand anywhere in a package, in bytes as stored and unpacked."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from microveil.certify.certificate import files_in
from microveil.core.errors import BadInput
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.io.holding import is_strange_link
from microveil.io.unpacking import check_sheet_size, unpack
from microveil.package.audit_files import DataFile
from microveil.package.ddi import categories_in
from microveil.package.findings import Finding, judged, not_checked
from microveil.package.known import Known

CHECK = "search"
DATA = "data"  # what files of data are called in every package
_SHORTEST = 4  # letters: shorter words stand in any file
_MOST, _FEWEST = 2_000, 50  # identifiers that are searched for
_BUDGET = 4_000_000_000  # bytes that are looked at in all


def audit_search(folder: Path, files: list[DataFile], known: Known, words: Iterable[str]) -> list[Finding]:
    """Search all files for canaries, the key, the name of the source and texts of identifiers.

    Categories that protection removed are words of everyday pages too: they are looked for where a codebook lists
    categories, and in the bytes of data files by `FileLeaks`.
    """
    plain = list(dict.fromkeys([*words, *_secrets(known)]))
    identifying = _some(_identifiers(known), folder)
    if not plain and not identifying:
        return [not_checked(CHECK, "there are no words to search for; give the original, the log, or words.")]
    cells = {file.name: "\n".join(_texts(file.data)).encode() for file in files}
    problems = list(_removed_categories(folder, files, known))
    for name in files_in(folder):
        try:
            contents = b"\n".join((*_unpacked(folder / name), cells.get(name, b"")))
        except (BadInput, OSError, EOFError, zlib.error, zipfile.BadZipFile):
            problems.append(f"{name} cannot be unpacked, so that nobody knows what is in it.")
            continue
        found = sum(_stands_in(word, contents) for word in plain)
        found += sum(_stands_in(word, contents, whole=True) for word in identifying)
        if found:
            problems.append(f"{name} holds {counted(found, 'word')} of the source that must not be in it.")
    told = counted(len(plain) + len(identifying), "word")
    return judged(CHECK, problems, f"none of {told} that were searched for stands in any file.")


def _secrets(known: Known) -> Iterator[str]:
    """The key, the mark of the data, and the name of the source."""
    if known.log is not None:
        yield str(known.log["key"])
        yield str(known.log["input"]["fingerprint"])
    if known.source is not None and known.source.stem != DATA:
        yield known.source.name


def _identifiers(known: Known) -> list[str]:
    """The texts of columns that identify people."""
    if known.original is None:
        return []
    return list(_texts(known.original, known.original.names("identifier")))


def _some(words: Sequence[str], folder: Path) -> list[str]:
    """As many of the words as can be searched for in a while, evenly from all of them."""
    size = sum((folder / name).stat().st_size for name in files_in(folder)) + 1
    most = max(_FEWEST, min(_MOST, _BUDGET // size))
    return list(words[:: -(-len(words) // most)]) if words else []


def _stands_in(word: str, contents: bytes, whole: bool = False) -> bool:
    """Whether a word stands in bytes, in the common encodings; `whole`: not as a part of a longer one."""
    if word.encode("utf-16-le") in contents:
        return True
    if word.encode() not in contents:
        return False
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(word.encode()) + rb"(?![A-Za-z0-9])"
    return not whole or re.search(pattern, contents) is not None


def _removed_categories(folder: Path, files: list[DataFile], known: Known) -> Iterator[str]:
    """Categories of the original that no record has any more, in the lists of the codebook."""
    path = folder / "codebook.xml"
    if known.original is None or not path.is_file():
        return
    shown = {text for file in files for text in _texts(file.data)}
    removed = set(_texts(known.original)) - shown
    if removed.intersection(categories_in(path.read_bytes())):
        yield "codebook.xml lists a category of the original that no record has any more."


def _texts(data: Microdata, names: Iterable[str] | None = None) -> Iterator[str]:
    """The longer texts in the cells of a file."""
    for name in data.columns if names is None else names:
        column = data.narwhal.get_column(name)
        if not column.dtype.is_numeric():
            texts = (str(value) for value in column.unique().to_list() if value is not None)
            yield from (text for text in texts if len(text) >= _SHORTEST)


def _unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and those inside where it is packed; too much to unpack is an error."""
    if is_strange_link(path):
        return
    raw = path.read_bytes()
    yield raw
    if raw[:2] == b"\x1f\x8b":
        yield unpack(path)
    if zipfile.is_zipfile(path):
        check_sheet_size(path)
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield name.encode() + b"\n" + packed.read(name)
