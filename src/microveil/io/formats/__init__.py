"""File formats: the list of those that are known, and which one the name of a file means.

A format is one file here and one line in the list. `read`, `write`, the command line, project files and the texts of
errors go by the list, and ask a format for its facts: none of them knows a format by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType

from microveil.core.errors import BadInput, FileProblem
from microveil.io.formats.csv import CSV
from microveil.io.formats.feather import FEATHER
from microveil.io.formats.format import Format, Option
from microveil.io.formats.parquet import PARQUET
from microveil.io.formats.sas import SAS
from microveil.io.formats.spss import SPSS
from microveil.io.formats.stata import STATA
from microveil.io.formats.xlsx import XLSX
from microveil.io.formats.xport import XPORT

ENTRY_POINT = "microveil.formats"  # by which outside packages announce a module that registers formats
FORMATS: dict[str, Format] = {}


def register_format(added: Format) -> None:
    """Make a format known; its name and its endings must be its own."""
    if added.name in FORMATS:
        raise BadInput(f"there is a format called {added.name!r} already; give this one another name")
    _refuse_odd_endings(added)
    for ending in added.endings:
        taken = next((known for known in FORMATS.values() if ending in known.endings), None)
        if taken is not None:
            raise BadInput(f"{ending} is an ending of {taken.title} files already; give {added.title} files another")
    FORMATS[added.name] = added


def _refuse_odd_endings(added: Format) -> None:
    """Every file name ends in nothing at all: such a format would take the place of all others."""
    endings = added.endings
    if isinstance(endings, str) or not endings or not all(len(one) > 1 and one.startswith(".") for one in endings):
        raise BadInput(
            f"the endings of the format {added.name!r} are {endings!r}; give a tuple of endings with their point, such "
            "as ('.jsonl',)"
        )


for _kind in (
    CSV,
    PARQUET,
    FEATHER,
    SPSS,
    STATA,
    SAS,
    XPORT,
    XLSX,
):
    register_format(_kind)


@cache
def _load_announced() -> None:
    for point in entry_points(group=ENTRY_POINT):
        point.load()


def known_formats() -> Mapping[str, Format]:
    """All formats by name: those of the list, and those that other packages announce."""
    _load_announced()
    return MappingProxyType(FORMATS)


def format_of(path: Path) -> Format:
    """The format that the ending of a file name stands for."""
    if os.path.isdir(path):  # noqa: PTH112 - answers also for names that no file can have
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    name = path.name.lower()
    for known in known_formats().values():
        if name.endswith(known.endings):
            return known
    raise BadInput(
        f"{path.name!r} has {path.suffix or 'no ending'}; known are {', '.join(endings_of(known_formats().values()))}"
    )


def writable_format(path: Path) -> Format:
    """The format that the ending of a file name stands for, if it can be written."""
    kind = format_of(path)
    if not kind.writable:
        known = endings_of(one for one in known_formats().values() if one.writable)
        raise BadInput(f"{kind.title} files can be read, not written; write one of {', '.join(known)}")
    return kind


def ending_of(path: Path) -> str:
    """The ending of a file name by which its format is known."""
    name = path.name.lower()
    return max((ending for ending in format_of(path).endings if name.endswith(ending)), key=len)


def endings_of(kinds: Iterable[Format]) -> list[str]:
    """The endings of some formats, in order."""
    return [ending for kind in kinds for ending in kind.endings]


def reading_options() -> dict[str, Option]:
    """The options that some formats have for reading, by name."""
    return {option.name: option for kind in known_formats().values() for option in kind.reading}


def writing_options() -> dict[str, Option]:
    """The options that some formats have for writing, by name."""
    return {option.name: option for kind in known_formats().values() for option in kind.writing}
