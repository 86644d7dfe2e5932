"""Files of records on disk, taken a block of rows at a time: where each record stands is told by the rows before it."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, NoReturn, Protocol

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet

from microveil.core.errors import BadInput, FileProblem, MicroveilError
from microveil.data.canonical import schema_without_views
from microveil.data.codebook import Codebook
from microveil.engines.cutting import cut
from microveil.io.arrow_files import unnamed_index
from microveil.io.first_bytes import check_readable
from microveil.io.formats import format_of
from microveil.io.formats.format import tell_damage
from microveil.io.limits import check_number_of_columns
from microveil.io.names import check_column_names

BLOCK_ROWS = 1 << 17
_AT_ONCE = 1 << 16  # rows that are unpacked together: text may be long


class Block(NamedTuple):
    """Some consecutive records of a file, and how many stand before them."""

    first: int
    table: pa.Table


class _Opened(Protocol):
    """A file of which the footer was read."""

    schema: pa.Schema
    rows: int

    def batches(self, names: Sequence[str], start: int = 0) -> Iterator[pa.RecordBatch]:
        """Its records from a row on in order, some at a time; those before are not unpacked."""


class _Parquet:
    def __init__(self, path: Path) -> None:
        self._path = path
        with parquet.ParquetFile(path) as file:
            self.schema, self.rows = file.schema_arrow, int(file.metadata.num_rows)

    def batches(self, names: Sequence[str], start: int = 0) -> Iterator[pa.RecordBatch]:
        with parquet.ParquetFile(self._path) as file:
            # by row groups: a reader of chosen columns holds on to all that it has read
            for group in range(file.num_row_groups):
                size = int(file.metadata.row_group(group).num_rows)
                if start < size or not size:
                    found = file.iter_batches(_AT_ONCE, row_groups=[group], columns=list(names))
                    yield from _from_row(found, start)
                start = max(0, start - size)


class _Feather:
    def __init__(self, path: Path) -> None:
        self._path = path
        with pa.memory_map(str(path)) as source, ipc.open_file(source) as file:
            self.schema = schema_without_views(file.schema)
            self.rows = sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))

    def batches(self, names: Sequence[str], start: int = 0) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(str(self._path)) as source, ipc.open_file(source) as file:
            for number in range(file.num_record_batches):
                batch = file.get_batch(number).select(list(names))
                batch = batch.cast(schema_without_views(batch.schema))
                for first in range(min(start, batch.num_rows), batch.num_rows, _AT_ONCE):
                    yield batch.slice(first, _AT_ONCE)
                start = max(0, start - batch.num_rows)


def _from_row(batches: Iterator[pa.RecordBatch], start: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if start < batch.num_rows:
            yield batch.slice(start)
        start = max(0, start - batch.num_rows)


_OPENED: dict[str, Callable[[Path], _Opened]] = {"parquet": _Parquet, "feather": _Feather}
_READ_BY_BLOCKS = "Parquet (.parquet), Feather (.feather .arrow) and CSV (.csv .tsv .txt, also .gz)"


@dataclass(frozen=True)
class Files:
    """One or several files with the same columns; their records stand in the order of the names of the files."""

    paths: tuple[Path, ...]
    counts: tuple[int, ...]
    schema: pa.Schema
    # size and time of each, where others may write to it
    stamps: tuple[tuple[int, int], ...] = field(default=(), compare=False, kw_only=True)

    @classmethod
    def of(cls, place: str | Path) -> Files:
        """The files of a path or a pattern such as `survey/*.parquet`; nothing but their footers is read."""
        return cls.of_paths(named_files(place))

    @classmethod
    def of_paths(cls, paths: Sequence[Path]) -> Files:
        """These files, in this order."""
        stamps = tuple(map(_stamp_of, paths))
        opened = [_open(path) for path in paths]
        schema = _plain(opened[0].schema, paths[0])
        for path, other in zip(paths[1:], opened[1:], strict=True):
            _refuse_other_columns(paths[0], schema, path, _plain(other.schema, path))
        counts = tuple(other.rows for other in opened)
        if not sum(counts):
            listed = f"{str(paths[0])!r} has" if len(paths) == 1 else f"none of the {len(paths)} files named has"
            raise BadInput(f"{listed} {'no' if len(paths) == 1 else 'any'} records; name files of records")
        return cls(tuple(paths), counts, schema, stamps=stamps)

    def refuse_changed(self) -> None:
        """Refuse files that somebody wrote to after they were opened first: what is known of them may be wrong."""
        for path, stamp in zip(self.paths, self.stamps, strict=False):
            if _stamp_of(path) != stamp:
                raise FileProblem(f"{str(path)!r} changed after it was scanned; let nobody write to it and scan again")

    @property
    def named(self) -> tuple[Path, ...]:
        """The files that somebody named."""
        return self.paths

    @property
    def codebook(self) -> Codebook:
        """Which file the records are from, and how it was read."""
        return Codebook(source=self.paths[0].resolve(), reading={})

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of where the records stand."""
        return ()

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        return sum(self.counts)

    def blocks(
        self, rows: int = BLOCK_ROWS, names: Sequence[str] | None = None, start: int = 0, stop: int | None = None
    ) -> Iterator[Block]:
        """The records from `start` to `stop` in order, so many at a time; the last block may have fewer.

        Where no column is named one is read all the same: a table without columns forgets how many rows it has.
        """
        read = self.schema.names if names is None else list(names) or self.schema.names[:1]
        chosen = pa.schema([self.schema.field(name) for name in read])
        first = start
        for table in cut(self._tables(chosen, start, self.rows if stop is None else stop), rows):
            yield Block(first, table.combine_chunks())
            first += table.num_rows

    def whole(self) -> pa.Table:
        """All records at once."""
        return pa.concat_tables(list(self._tables(self.schema, 0, self.rows)))

    def _tables(self, chosen: pa.Schema, start: int, stop: int) -> Iterator[pa.Table]:
        for path, count in zip(self.paths, self.counts, strict=True):
            if start < count and stop > 0:
                wanted = min(stop, count) - start
                seen = 0
                try:
                    opened = _open(path)
                    for batch in opened.batches(chosen.names, start):
                        table = pa.Table.from_batches([batch]).cast(chosen).slice(0, wanted - seen)
                        table.validate(full=True)
                        seen += table.num_rows
                        yield table
                        if seen == wanted and stop < count:
                            break
                except MicroveilError:
                    raise  # gone, or another file by now: not damaged
                # Arrow's errors derive from ValueError, OSError and others, depending on where the damage is
                except (pa.ArrowException, ValueError, OSError, EOFError):
                    raise tell_damage(path, format_of(path)) from None
                if seen != wanted or opened.rows != count:
                    raise FileProblem(f"{str(path)!r} changed while it was read; let nobody write to it and run again")
            start, stop = max(0, start - count), stop - count


def _stamp_of(path: Path) -> tuple[int, int]:
    """The size of a file and when it was written; of one that is not there nothing."""
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


def named_files(place: str | Path) -> list[Path]:
    """The files of a path or a pattern, in the order of their names."""
    text = str(place)
    if Path(text).is_dir():
        _refuse_folder(Path(text))
    if not glob.has_magic(text) or Path(text).exists():
        return [Path(text)]
    found = sorted(Path(name) for name in glob.glob(text))  # noqa: PTH207 - the pattern may begin at any folder
    if not found:
        raise FileProblem(f"no file is called like {text!r}; check the folder and the ending")
    endings = sorted({path.suffix for path in found})
    if len(endings) > 1:
        raise BadInput(f"{text!r} names files of several kinds ({', '.join(endings)}); name one kind: '*{endings[0]}'")
    return found


def _refuse_folder(folder: Path) -> NoReturn:
    """A folder is named by a pattern, so that nothing else that lies there is taken for records."""
    endings = [
        ending for ending in (".parquet", ".feather", ".arrow", ".csv", ".csv.gz") if any(folder.glob(f"*{ending}"))
    ]
    known = f"the files in it by {str(folder / f'*{endings[0]}')!r}" if endings else "files in it, such as '*.parquet'"
    raise FileProblem(f"{str(folder)!r} is a folder; name {known}")


def _open(path: Path) -> _Opened:
    kind = format_of(path)
    if kind.name not in _OPENED:
        raise BadInput(
            f"{str(path)!r} is {kind.title}, which is read whole; files are taken in blocks from {_READ_BY_BLOCKS}: "
            "convert it, or read it as a whole if it fits into memory"
        )
    check_readable(path, kind, packed=False)
    try:
        return _OPENED[kind.name](path)
    except MicroveilError:
        raise
    except (pa.ArrowException, ValueError, OSError, EOFError):
        raise tell_damage(path, kind) from None


def _plain(schema: pa.Schema, path: Path) -> pa.Schema:
    """The columns with plain types: categories as their values, and without the row index of a pandas frame."""
    check_column_names(path, schema.names, "the schema")
    check_number_of_columns(path, len(schema))
    hidden = unnamed_index(schema)
    fields = []
    for column in schema:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_nested(kind):
            raise BadInput(f"{str(path)!r}: column {column.name!r} holds {kind}; only plain columns can be read")
        if column.name not in hidden:
            fields.append(pa.field(column.name, kind))
    if not fields:
        raise BadInput(f"{str(path)!r} has no columns; name a file of records")
    return pa.schema(fields)


def _refuse_other_columns(first: Path, schema: pa.Schema, path: Path, other: pa.Schema) -> None:
    if schema.names != other.names:
        odd = sorted({*schema.names} ^ {*other.names}) or ["in another order"]
        raise BadInput(
            f"{path.name} has other columns than {first.name}: {', '.join(odd[:5])}; give files with the same columns"
        )
    for one, two in zip(schema, other, strict=True):
        if one.type != two.type:
            raise BadInput(
                f"column {one.name!r} holds {two.type} in {path.name} and {one.type} in {first.name}; make it one type"
            )
