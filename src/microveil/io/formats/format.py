"""What a file format is: how its files are called and begin, its options, and how it is read and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.core.errors import BadInput, FileProblem
from microveil.core.open_types import Json
from microveil.data.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

    from microveil.io.cleaning import Clean

Missing = Mapping[str, Sequence[object]] | Sequence[object]
Settings = Mapping[str, str]  # options of single formats by name, those that were given


@dataclass(frozen=True)
class Option:
    """A setting that only some formats have: an argument of `read` or `write`, and a field of a project's dataset.

    `wanted` says in words which values fit: it completes "is not ..." and "write ...". `schema` says to editors what
    can be said of a text without knowing more.
    """

    name: str
    fits: Callable[[object], bool]
    wanted: str
    schema: Json = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True)
class Options:
    """How a file is to be read: what was stated of the format's own options, and what is known about the columns."""

    stated: Settings = field(default_factory=dict)
    missing: Missing = ()
    categories: frozenset[str] = frozenset()
    packed: bool | None = None  # None: as the ending says
    ours: bool = False  # written by us just now: nobody made it to do harm


@dataclass(frozen=True)
class Contents:
    """What was found in a file."""

    table: pa.Table
    codebook: Codebook
    missing: Mapping[str, Sequence[object]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)


class Format:
    """One format. A new one is a class with these attributes and methods in a file of its own, and a line in the list.

    Libraries that take long to load are imported inside the methods.
    """

    name: str
    title: str  # for people
    endings: tuple[str, ...]  # the first one is offered
    magic: tuple[bytes, ...] = ()  # how its files begin
    weak_magic: tuple[bytes, ...] = ()  # too short to tell the format of a file with another ending
    writable: bool = True
    knows_missing_text: bool = True  # and not only empty text
    reading: tuple[Option, ...] = ()
    writing: tuple[Option, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.title} format>"

    def read(self, path: Path, options: Options) -> Contents:
        """The values of a file as an Arrow table, with what the file says about them."""
        raise TypeError(f"{type(self).__name__} must implement read()")

    def adapt(self, clean: Clean, stated: Settings) -> Clean:
        """The table as the format holds it, with notes on what differs; what it cannot hold is refused."""
        return clean

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Put an adapted table into an open file; `target` is the name that it will have."""
        raise TypeError(f"{type(self).__name__} must implement write(), or say writable = False")

    def read_back_with(self, target: Path, stated: Settings) -> Settings:
        """The options of reading that a file needs which was written with these options, for the check afterwards."""
        readable = {option.name for option in self.reading}
        return {name: value for name, value in stated.items() if name in readable}


def is_gzip(path: Path) -> bool:
    """Whether the ending says that the file is compressed."""
    return path.name.lower().endswith(".gz")


def check_not_empty(path: Path, columns: int, records: int) -> None:
    """A file needs columns, and records in them."""
    if not columns or not records:
        raise BadInput(f"{str(path)!r} has no {'records' if columns else 'columns'}; name a file of records")


def tell_damage(path: Path, kind: Format) -> FileProblem:
    """The error for a file that begins well and then cannot be read."""
    return FileProblem(f"{str(path)!r} is damaged or cut short: it cannot be read as {kind.title}; get a fresh copy")
