"""CSV files on disk taken some rows at a time: their shape is that of the whole file, their fields are held as text."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.errors import BadInput
from microveil.io.csv_decoded import Decoded
from microveil.io.csv_delimiter import find_delimiter, find_stated
from microveil.io.csv_read import check_characters, names_of, parse_rows, refuse_open_quote, refuse_shape
from microveil.io.csv_scan import Scan, scan
from microveil.io.formats.format import Format
from microveil.io.limits import check_number_of_columns

PART_ROWS = 1 << 17
_PART_BYTES = 1 << 26
_MOST_PART_BYTES = 4 * _PART_BYTES  # where rows behind the first ones are longer than these
_FIRST_BYTES = 1 << 21  # that hold the first lines, from which the delimiter is found
_FIRST_ROWS = 1_000


class Piece(NamedTuple):
    """Some rows: where their bytes begin and end, and the line at which they begin."""

    start: int
    end: int
    line: int
    seen: Scan


@dataclass(frozen=True)
class CsvText:
    """The rows of one file as they stand in its bytes."""

    path: Path
    kind: Format
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    header: Scan
    body: memoryview
    mapped: mmap.mmap
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, path: Path, kind: Format, text: Decoded, delimiter: str | None, decimal: str | None) -> CsvText:
        """Look at all rows, some at a time; what is wrong with them is told as of a file in memory."""
        if text.path.stat().st_size <= text.skipped:
            raise _empty(path)
        with text.path.open("rb") as handle:
            mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        whole = memoryview(mapped)[text.skipped :]
        stated, length = find_stated(bytes(whole[:_FIRST_BYTES]))
        leading = length + _line_breaks(whole[length:])
        if leading == len(whole):
            raise _empty(path)
        first_line = 1 + len(bytes(whole[:leading]).splitlines())
        body = whole[leading:]
        separator = delimiter or stated or find_delimiter(path, body)
        check_characters(separator, decimal)
        header = scan(body, separator, 0, line=first_line, most_rows=1)
        refuse_open_quote(path, header)
        check_number_of_columns(path, header.fields)
        names = names_of(path, bytes(body[: header.end]), separator, int(header.next_line) - 1)
        pieces = []
        for piece in _pieces(body, separator, len(names), header):
            pieces.append(piece)
            _let_go(mapped)
        refuse_shape(path, merged([piece.seen for piece in pieces], len(names)), len(names))
        return cls(path, kind, text.encoding, separator, tuple(names), header, body, mapped, tuple(pieces))

    def tables(self, shape: Scan) -> Iterator[pa.Table]:
        """The fields of each piece: whole numbers where nothing else was seen in any file, and text."""
        for piece in self.pieces:
            own = replace(piece.seen, quoted=shape.quoted, plain=shape.plain, whole=shape.whole)
            # a copy: threads of the parser may hold what they were given a moment longer than the call, and a mapping
            # that somebody holds cannot be closed
            rows = memoryview(bytes(self.body[piece.start : piece.end]))
            columns = parse_rows(self.path, self.kind, rows, self.delimiter, own)
            yield pa.table(columns, names=list(map(str, range(len(columns)))))
            _let_go(self.mapped)

    def line_of(self, row: int) -> int:
        """The line in which a row begins."""
        for piece in self.pieces:
            if row < piece.seen.rows:
                rows = self.body[piece.start : piece.end]
                seen = scan(rows, self.delimiter, len(self.names), line=piece.line, most_rows=row + 1)
                return int(seen.next_line) - 1
            row -= piece.seen.rows
        raise IndexError(row)

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(piece.seen.rows for piece in self.pieces)

    def close(self) -> None:
        """Nothing more is read; a mapping at which somebody still looks, if only an error on its way, ends with him."""
        with suppress(BufferError):
            self.body.release()
            self.mapped.close()


def _let_go(mapped: mmap.mmap) -> None:
    """What was read stays on disk: it need not be in memory any more."""
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _line_breaks(rows: memoryview) -> int:
    """How many bytes at the beginning are line breaks."""
    found = 0
    while found < len(rows) and rows[found] in b"\r\n":
        found += 1
    return found


def _empty(path: Path) -> BadInput:
    return BadInput(f"{str(path)!r} is empty: it has no header and no records")


def _pieces(body: memoryview, delimiter: str, columns: int, header: Scan) -> Iterator[Piece]:
    start, line = header.end, header.next_line
    first = scan(body[start:], delimiter, columns, line=line, most_rows=_FIRST_ROWS)
    rows = max(1, min(PART_ROWS, _PART_BYTES * max(first.rows, 1) // max(first.end, 1)))
    while start < len(body):
        seen = scan(body[start:], delimiter, columns, line=line, most_rows=rows)
        while seen.end > _MOST_PART_BYTES and seen.rows > 1:
            # longer than the first ones: what is parsed together stays in memory, and within what Arrow counts to
            rows = max(1, seen.rows * _PART_BYTES // seen.end)
            seen = scan(body[start:], delimiter, columns, line=line, most_rows=rows)
        if seen.rows or seen.bad_line or seen.open_line:
            yield Piece(start, start + seen.end, line, seen)
        if seen.bad_line or seen.open_line or not seen.end:
            return
        start, line = start + seen.end, seen.next_line


def merged(seen: Sequence[Scan], columns: int) -> Scan:
    """What was seen in all pieces together."""
    of_columns = [one for one in seen if len(one.quoted) == columns]
    none = np.zeros(columns, dtype=np.int64)
    last = seen[-1] if seen else None
    return Scan(
        rows=sum(one.rows for one in seen),
        end=0,
        fields=columns,
        longest=max((one.longest for one in seen), default=0),
        bad_line=last.bad_line if last else 0,
        bad_fields=last.bad_fields if last else 0,
        open_line=last.open_line if last else 0,
        next_line=last.next_line if last else 0,
        newlines_in_quotes=any(one.newlines_in_quotes for one in seen),
        quoted=sum((one.quoted for one in of_columns), none),
        plain=sum((one.plain for one in of_columns), none),
        whole=sum((one.whole for one in of_columns), none),
    )


@dataclass(frozen=True)
class HeldText:
    """The fields of all records in one file, a batch for each piece."""

    path: Path

    @classmethod
    def written(cls, path: Path, files: Sequence[CsvText], shape: Scan) -> HeldText:
        """Write the fields of several files with the same columns, one behind the other."""
        writer = None
        with path.open("xb") as handle:
            for file in files:
                for table in file.tables(shape):
                    writer = writer or ipc.new_file(handle, table.schema)
                    (batch,) = table.combine_chunks().to_batches()
                    writer.write_batch(batch)
            if writer is not None:
                writer.close()
        return cls(path)

    def batches(self, places: Sequence[int] = ()) -> Iterator[pa.RecordBatch]:
        """All pieces in turn, with all columns or some."""
        # read, not mapped: what was mapped would stay in memory
        options = ipc.IpcReadOptions(included_fields=list(places))
        with pa.OSFile(str(self.path)) as source, ipc.open_file(source, options=options) as file:
            for number in range(file.num_record_batches):
                yield file.get_batch(number)

    def column(self, place: int) -> Iterator[pa.ChunkedArray]:
        """One column, piece by piece."""
        return (pa.chunked_array([batch.column(0)]) for batch in self.batches([place]))
