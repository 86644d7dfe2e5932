"""File formats: which ending means what, and whether a file is what its ending says."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.io.paths import check_path


@dataclass(frozen=True)
class Format:
    """One format: its name for people, its endings, and how its files begin."""

    name: str
    title: str
    endings: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    weak_magic: tuple[bytes, ...] = ()  # too short to tell the format of a file with another ending
    writable: bool = True


_SAS_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")

CSV = Format("csv", "CSV", (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"))
FORMATS: tuple[Format, ...] = (
    CSV,
    Format("parquet", "Parquet", (".parquet",), (b"PAR1",)),
    # the last one is the stream form of Arrow files
    Format("feather", "Feather", (".feather", ".arrow"), (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")),
    Format("spss", "SPSS", (".sav", ".zsav"), (b"$FL2", b"$FL3")),
    # 0x68 to 0x73 are the version numbers with which older Stata files begin
    Format("stata", "Stata", (".dta",), (b"<stata_dta>",), tuple(bytes([v]) for v in range(0x68, 0x74))),
    Format("sas", "SAS", (".sas7bdat",), (_SAS_MAGIC,), writable=False),
    Format("xport", "SAS transport", (".xpt",), (b"HEADER RECORD*******",), writable=False),
    Format("xlsx", "XLSX", (".xlsx",), (b"PK\x03\x04",)),
)
_NEAR = 0.7  # how much of two names must agree for one to be offered for the other
_GZIP = b"\x1f\x8b"
_LONGEST_MAGIC = max(len(magic) for known in FORMATS for magic in known.magic)


def format_of(path: Path) -> Format:
    """The format that the ending of a file name stands for."""
    if os.path.isdir(path):  # noqa: PTH112 - answers also for names that no file can have
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    name = path.name.lower()
    for known in FORMATS:
        if name.endswith(known.endings):
            return known
    endings = [ending for known in FORMATS for ending in known.endings]
    raise BadInput(f"{path.name!r} has {path.suffix or 'no ending'}; known are {', '.join(endings)}")


def is_gzip(path: Path) -> bool:
    """Whether the ending says that the file is compressed."""
    return path.name.lower().endswith(".gz")


def is_tab_separated(path: Path) -> bool:
    """Whether the ending says that tabs stand between the fields."""
    return path.name.lower().endswith((".tsv", ".tsv.gz"))


def check_readable(path: Path, kind: Format, packed: bool) -> None:
    """One clear error when there is no such file, or it is not what its ending says."""
    check_there(path)
    try:
        with path.open("rb") as handle:
            start = handle.read(_LONGEST_MAGIC)
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror or 'refused'}") from None
    if not start:
        raise BadInput(f"{str(path)!r} is empty: 0 bytes")
    _check_start(path, kind, start, packed)


def check_there(path: Path) -> None:
    """One clear error when there is no such file; it offers the nearest."""
    check_path(path)
    if path.is_dir():
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    if not path.exists():
        raise FileProblem(f"there is no file {str(path)!r}{_nearest_file(path)}")


def _nearest_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"; nor is there a folder {str(folder)!r}"
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return ""
    # by what stands before the ending: all files of a kind share that
    near = {name: difflib.SequenceMatcher(None, path.stem.lower(), Path(name).stem.lower()).ratio() for name in names}
    best = max(near, key=lambda name: near[name], default="")
    return f"; did you mean {best!r}?" if best and near[best] >= _NEAR else ""


def _check_start(path: Path, kind: Format, start: bytes, packed: bool) -> None:
    if packed:
        if not start.startswith(_GZIP):
            raise BadInput(f"{str(path)!r} ends in .gz but is not compressed; drop .gz from its name")
        return
    if start.startswith(kind.magic + kind.weak_magic):
        return
    found = [other for other in FORMATS if start.startswith(other.magic)]
    if found:
        raise BadInput(
            f"{str(path)!r} is not {kind.title} but {found[0].title} by its content; "
            f"give it the ending {found[0].endings[0]}"
        )
    if start.startswith(_GZIP):
        raise BadInput(f"{str(path)!r} is compressed by its content; unpack it or, for CSV, end its name in .csv.gz")
    if kind.magic:
        raise BadInput(
            f"{str(path)!r} does not begin as a {kind.title} file does; "
            "it is damaged or of another format: check its ending"
        )


def check_not_empty(path: Path, columns: int, records: int) -> None:
    """A file needs columns, and records in them."""
    if not columns or not records:
        raise BadInput(f"{str(path)!r} has no {'records' if columns else 'columns'}; name a file of records")


def damaged(path: Path, kind: Format) -> FileProblem:
    """The error for a file that begins well and then cannot be read."""
    return FileProblem(f"{str(path)!r} is damaged or cut short: it cannot be read as {kind.title}; get a fresh copy")
