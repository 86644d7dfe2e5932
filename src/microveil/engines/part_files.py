"""A release as a folder of Parquet files of a fixed number of records: there whole, or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet

from microveil.core.errors import FileProblem
from microveil.core.passes_told import told
from microveil.core.stages import Stage, place_meant, remove_left_behind
from microveil.data.canonical import canonical
from microveil.engines.cutting import cut
from microveil.engines.in_order import in_order
from microveil.io.atomic import folder_to_disk, sha256_of
from microveil.io.paths import check_path

PART_ROWS = 1 << 20
_GROUP_ROWS = 1 << 17
_MOST_BYTES = 1 << 30  # in files that are written at the same time


@dataclass(frozen=True)
class PartFile:
    """A file of a release: its name, how many records it holds, and the hash of its bytes."""

    name: str
    rows: int
    sha256: str


class Staged(NamedTuple):
    """The hidden folder that becomes the release, and one beside it for what is held meanwhile."""

    new: Path
    held: Path


def check_folder(into: Path) -> None:
    """Refuse a place where the folder of a release cannot be made; nothing is left behind."""
    check_path(into)
    if into.is_symlink() or (into.exists() and not into.is_dir()):
        raise FileProblem(f"{str(into)!r} is no folder; name a folder that is not there yet")
    if into.is_dir() and any(into.iterdir()):
        raise FileProblem(f"the folder {str(into)!r} is not empty; name one that is not there yet")
    if not into.parent.is_dir():
        raise FileProblem(f"there is no folder {str(into.parent)!r} in which {into.name!r} could be made")


@contextlib.contextmanager
def staged(into: Path) -> Iterator[Staged]:
    """A hidden folder that takes its place when all went well, and one beside it for what is held meanwhile.

    Both are gone otherwise; what a killed process left is removed by the next one that writes beside it.
    """
    check_folder(into)
    remove_left_behind(into.parent)
    stage = Stage(into)
    try:
        stage.new.mkdir()
        held = stage.new.parent / f"{into.name}.held"
        held.mkdir()
        yield Staged(stage.new, held)
        if into.is_dir():
            into.rmdir()  # it is empty
        stage.move()
        folder_to_disk(into.parent)
    except FileProblem:
        raise
    except OSError as problem:
        raise FileProblem(
            f"{str(place_meant(into))!r} cannot be written: {problem.strerror or type(problem).__name__}; nothing was "
            "written"
        ) from None
    finally:
        stage.remove()


@contextlib.contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A hidden folder beside a place, gone when it is left."""
    remove_left_behind(place.parent)
    stage = Stage(place)
    try:
        stage.new.mkdir()
        yield stage.new
    finally:
        stage.remove()


def write_parts(folder: Path, tables: Iterable[pa.Table], rows: int, threads: int = 1) -> list[PartFile]:
    """Write tables of so many rows as files of `PART_ROWS` records, some at a time; each is read back."""
    parts = cut(tables, PART_ROWS)
    first = next(parts, None)
    if first is None:
        return []
    # a file that is written is there three times: as it came, in one piece, and read back or packed
    at_once = max(1, min(threads, _MOST_BYTES // (3 * max(1, first.nbytes))))

    def write(one: tuple[int, pa.Table]) -> PartFile:
        return write_part(folder / part_name(one[0]), one[1])

    waiting = told(enumerate(chain([first], parts)), "files to write", -(-rows // PART_ROWS))
    return list(in_order(waiting, write, at_once, ahead=0))


def part_name(number: int) -> str:
    """What a file of a release is called."""
    return f"part-{number:05d}.parquet"


def write_part(path: Path, part: pa.Table) -> PartFile:
    """Write one file, and read it back."""
    # in one piece: where pages end depends on nothing but the records
    part = part.combine_chunks()
    with path.open("xb") as handle:
        parquet.write_table(part, handle, store_schema=False, compression="zstd", row_group_size=_GROUP_ROWS)
        handle.flush()
        os.fsync(handle.fileno())
    with parquet.ParquetFile(path) as file:
        for number in range(file.metadata.num_row_groups):
            found = file.read_row_group(number)
            _compare(part.slice(number * _GROUP_ROWS, _GROUP_ROWS), found, path)
        if file.metadata.num_rows != part.num_rows:
            raise FileProblem(f"{path.name} did not come back with the same records; nothing was written")
    return PartFile(path.name, part.num_rows, sha256_of(path))


def _compare(written: pa.Table, found: pa.Table, path: Path) -> None:
    for name in written.column_names:
        if written[name].type == found[name].type and written[name].equals(found[name]):
            continue
        if not canonical(written[name]).equals(canonical(found[name])):
            raise FileProblem(f"column {name!r} did not come back from {path.name} as it was; nothing was written")
