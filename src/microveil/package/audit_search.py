"""Audit: a search for words that must not stand anywhere in a package, in bytes as stored and unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from microveil.certify.certificate import files_in
from microveil.core.errors import BadInput
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.io.unpacking import check_sheet_size, unpack
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, judged, not_checked
from microveil.package.known import Known

CHECK = "search"
DATA = "data"  # what files of data are called in every package
_SHORTEST = 4  # letters: shorter words stand in any file
_MOST = 20_000


def audit_search(folder: Path, files: list[DataFile], known: Known, words: Iterable[str]) -> list[Finding]:
    """Search all files for canaries, values of identifiers, words that protection removed, and the key."""
    secrets = list(dict.fromkeys([*words, *_secrets(files, known)]))[:_MOST]
    if not secrets:
        return [not_checked(CHECK, "there is no original to search the package for words of.")]
    problems, spelled = [], [(word, (word.encode(), word.encode("utf-16-le"))) for word in secrets]
    cells = {file.name: "\n".join(_texts(file.data)).encode() for file in files}
    for name in files_in(folder):
        try:
            contents = b"\n".join((*_unpacked(folder / name), cells.get(name, b"")))
        except (BadInput, OSError, EOFError, zlib.error, zipfile.BadZipFile):
            problems.append(f"{name} cannot be unpacked, so that nobody knows what is in it.")
            continue
        found = sum(any(form in contents for form in forms) for _, forms in spelled)
        if found:
            problems.append(f"{name} holds {counted(found, 'word')} of the source that must not be in it.")
    return judged(CHECK, problems, f"none of {counted(len(secrets), 'word')} of the source stands in any file.")


def _secrets(files: list[DataFile], known: Known) -> Iterator[str]:
    """Words of the original that no cell of the release shows, what identifies people, the key, the source's name."""
    if known.log is not None:
        yield str(known.log["key"])
        yield str(known.log["input"]["fingerprint"])
    if known.source is not None and known.source.stem != DATA:
        yield known.source.name
    if known.original is None:
        return
    shown = {text for file in files for text in _texts(file.data)} | {name for f in files for name in f.data.columns}
    for name in known.original.columns:
        secret = known.original.roles[name] == "identifier"
        for text in _texts(known.original, [name], numbers=secret):
            if text not in shown:
                yield text


def _texts(data: Microdata, names: Iterable[str] | None = None, numbers: bool = False) -> Iterator[str]:
    """The longer texts in the cells of a file; of identifiers the numbers too."""
    for name in data.columns if names is None else names:
        column = data.narwhal.get_column(name)
        if numbers or not column.dtype.is_numeric():
            for value in column.unique().to_list():
                text = "" if value is None else str(value)
                if len(text) >= (_SHORTEST if not numbers else 6):
                    yield text


def _unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and those inside where it is packed; too much to unpack is an error."""
    if path.is_symlink():
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
