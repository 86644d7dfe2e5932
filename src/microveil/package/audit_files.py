"""Audit: the files of data in a package, opened again, and compared with one another."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.certify.certificate import CERTIFICATE, files_in
from microveil.core.errors import MicroveilError
from microveil.core.printable import is_plain
from microveil.core.words import counted
from microveil.data.canonical import canonical, plain
from microveil.data.microdata import Microdata
from microveil.io import read
from microveil.io.adapting import as_doubles, is_text
from microveil.io.formats import format_of, known_formats
from microveil.package.ddi import find_faults, names_in
from microveil.package.findings import Finding, broken, holds, judged, not_checked, note

CHECK = "files"
_TEXTS = (CERTIFICATE, "codebook.txt", "codebook.xml", "report.html", "report.pdf")
_LARGEST_BOOK = 1 << 26


@dataclass(frozen=True)
class Place:
    """What is looked at: the files of a folder, or one of them alone."""

    folder: Path
    names: tuple[str, ...]
    alone: bool = False

    @classmethod
    def of(cls, path: Path) -> Place:
        """All files of a folder, or the one file that the path names."""
        return cls(path, tuple(files_in(path))) if path.is_dir() else cls(path.parent, (path.name,), True)

    @property
    def size(self) -> int:
        """The bytes of all files; a link that leads nowhere has none."""
        paths = (self.folder / name for name in self.names)
        return sum(path.stat().st_size for path in paths if path.exists())


@dataclass(frozen=True)
class DataFile:
    """A file of data and what is read from it."""

    name: str
    path: Path
    data: Microdata

    @property
    def format(self) -> str:
        """The name of its format."""
        return format_of(self.path).name

    @property
    def table(self) -> pa.Table:
        """The values as an Arrow table."""
        return self.data.narwhal.to_arrow()


def find_special(path: Path) -> list[str]:
    """Names of what is neither a file, a folder nor a link: pipes, sockets and devices."""
    place = Place.of(path)
    paths = {name: place.folder / name for name in place.names}
    return [name for name, one in paths.items() if not one.is_symlink() and not one.is_file()]


def open_files(place: Place) -> tuple[list[DataFile], list[Finding]]:
    """Every file of data in a place as our reader reads it; one that cannot be read is a finding."""
    opened, found, folder = [], [], place.folder
    for name in place.names:
        if not is_data(name) and not place.alone:
            continue
        try:
            opened.append(DataFile(name, folder / name, read(folder / name)))
        except MicroveilError as problem:
            said = str(problem).rstrip(".").replace(f"{folder}{os.sep}", "")  # wherever the package happens to be
            found.append(broken(CHECK, f"{name} cannot be read: {said}."))
    found += tell_hidden_names(place)
    if not opened and not found:
        found.append(broken(CHECK, "there is no file of data in the package."))
    return opened, [*found, *tell_unknown(place, {file.name for file in opened})]


def tell_hidden_names(place: Place) -> list[Finding]:
    """Names that do not show what they are."""
    hidden = [name for name in place.names if not is_plain(name)]
    return [broken(CHECK, f"the name {name!r} holds signs that are not shown, or break lines.") for name in hidden]


def tell_unknown(place: Place, known: Collection[str]) -> list[Finding]:
    """Files that are neither papers of a package nor known otherwise."""
    others = [name for name in place.names if name not in _TEXTS and name not in known]
    return [note(CHECK, f"{name} is no file that an audit knows; look at it.") for name in others]


def compare_files(files: list[DataFile]) -> list[Finding]:
    """Whether all files hold the same records in the same order."""
    if len(files) < 2:
        return []
    first, *others = files
    problems = [problem for other in others for problem in _differences(first, other)]
    names = ", ".join(file.name for file in files)
    return judged(CHECK, problems, f"{names} hold the same records in the same order.")


def check_codebook(place: Place, files: list[DataFile]) -> list[Finding]:
    """Whether the codebook is sound and describes the columns that the files have."""
    path = place.folder / "codebook.xml"
    if place.alone:
        return [not_checked("codebook", "one file was given, and no codebook with it.")]
    if not path.is_file():
        return [note("codebook", "there is no codebook.xml; users will not know what the columns are.")]
    if path.stat().st_size > _LARGEST_BOOK:
        return [broken("codebook", "codebook.xml is larger than any codebook is.")]
    text = path.read_bytes()
    faults = find_faults(text)
    if faults:
        return [broken("codebook", f"codebook.xml: {fault}.") for fault in faults]
    described = names_in(text)
    problems = [
        f"codebook.xml does not describe the columns of {file.name}."
        for file in files
        if described != list(map(str, file.data.columns))
    ]
    told = f"codebook.xml describes {counted(len(described), 'column')}, those of the files."
    return judged("codebook", problems, told)


def is_data(name: str) -> bool:
    """Whether a file is one of data by its name; texts are for people unless they are called data."""
    endings = tuple(ending for kind in known_formats().values() for ending in kind.endings)
    is_text_file = name.endswith(".txt") and not Path(name).name.startswith("data")
    return name not in _TEXTS and name.lower().endswith(endings) and not is_text_file


def _differences(first: DataFile, other: DataFile) -> list[str]:
    if first.data.columns != other.data.columns:
        return [f"{first.name} and {other.name} have other columns than one another."]
    if first.data.n != other.data.n:
        return [f"{first.name} has {counted(first.data.n, 'record')}, {other.name} {other.data.n:,}."]
    ours, theirs = first.table, other.table
    unlike = [name for name in first.data.columns if not _same(ours[name], theirs[name])]
    return [f"{first.name} and {other.name} differ in {', '.join(unlike)}."] if unlike else []


def _same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    """Whether two columns hold the same values, in types and forms as formats allow them."""
    left, right = plain(one), plain(other)
    if left.type != right.type:  # 2752.0825 of a text file is no number in single precision
        left, right = as_doubles(left), as_doubles(right)
    if is_text(left.type) and is_text(right.type):  # some formats know no missing text
        return bool(pc.fill_null(left, "").equals(pc.fill_null(right, "")))
    if is_text(left.type) != is_text(right.type):
        return _as_texts(left) == _as_texts(right)
    if pa.types.is_boolean(left.type) != pa.types.is_boolean(right.type):  # 1 and 0 in formats without truth values
        left, right = (one.cast(pa.uint8()) if pa.types.is_boolean(one.type) else one for one in (left, right))
    x, y = canonical(left), canonical(right)
    if x.kind == y.kind:
        return x.equals(y)
    return bool(np.array_equal(x.valid, y.valid)) and _as_texts(left) == _as_texts(right)


def _as_texts(array: pa.Array) -> list[str]:
    return ["" if value is None else str(value) for value in array.to_pylist()]


def tell_opened(files: list[DataFile]) -> list[Finding]:
    """A line for what was opened."""
    return [
        holds(CHECK, f"{file.name}: {counted(file.data.n, 'record')}, {counted(len(file.data.columns), 'column')}.")
        for file in files
    ]
