"""A release written by Spark's tasks: records go to the task of their file, which puts them in order and writes it."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.errors import FileProblem
from microveil.core.streams import Streams
from microveil.data import mark
from microveil.data.canonical import canonical
from microveil.engines import part_files
from microveil.engines.cutting import cut
from microveil.engines.different_values import widest
from microveil.engines.files import Files
from microveil.engines.part_bounds import PartBounds
from microveil.engines.part_files import PartFile, part_name, write_part
from microveil.engines.passing import InBlocks
from microveil.engines.released_columns import Columns
from microveil.engines.spark_workers import SparkWorkers, absolute, telling
from microveil.engines.survey import Survey
from microveil.run.restoring import restore

_SLICE_ROWS = 1 << 14  # of one file that travel together
_WORD, _ROW = "word", "row"
_TOLD = -1  # in place of a file: what a task tells

Sent = tuple[int, bytes]  # the number of a file with records of it


@dataclass(frozen=True)
class Span:
    """Records that are marked together: their places in the release, and the records of the source they are among."""

    first: int
    stop: int
    source: tuple[int, int]
    skipped: int  # released records of that stretch of the source that belong to the span before


@dataclass(frozen=True)
class Sending:
    """What a task does with a span: takes its blocks through the steps, marks them and sends records to their files."""

    passing: InBlocks
    files: Files
    columns: Columns
    types: Mapping[str, pa.DataType]
    wide: frozenset[str]
    bounds: PartBounds
    streams: Streams

    def send(self, span: Span) -> Iterator[Sent]:
        """The records of the span by files, and at last what marks them."""
        marked: list[pa.Table] = []
        first = span.first - span.skipped
        for block in self.files.blocks(self.passing.rows, None, *span.source):
            state = self.passing.passed(block).state
            if not len(state.origin):
                continue
            restored = restore(state)
            rows = slice(max(span.first - first, 0), min(span.stop - first, len(state.origin)))
            size = rows.stop - rows.start
            if size > 0:
                yield from self._sent(first + rows.start, self.columns.table_of(restored).slice(rows.start, size))
                frame = restored.frame.to_native().slice(rows.start, size)
                marked.append(pa.table([frame[name].cast(kind) for name, kind in self.types.items()], list(self.types)))
            first += len(state.origin)
        (whole,) = cut(marked, span.stop - span.first)
        forms = [canonical(whole[name], name, name in self.wide) for name in whole.column_names]
        kinds = {name: form.kind for name, form in zip(whole.column_names, forms, strict=True)}
        yield _TOLD, telling(lambda found: found, self.files.paths)((span.first, kinds, mark.digest_of(forms)))

    def _sent(self, first: int, table: pa.Table) -> Iterator[Sent]:
        words = self.streams.words(first, first + table.num_rows)[:, 0]
        rows = first + np.arange(table.num_rows, dtype=np.int64)
        parts = self.bounds.parts(words, rows)
        order = np.argsort(parts, kind="stable")
        # columns by their numbers: one of them may be called like ours
        names = [_WORD, _ROW, *map(str, range(table.num_columns))]
        keyed = pa.table([pa.array(words), pa.array(rows), *table.columns], names=names).take(pa.array(order))
        numbers, starts = np.unique(parts[order], return_index=True)
        stops = [*starts[1:].tolist(), len(order)]
        for number, start, stop in zip(numbers.tolist(), starts.tolist(), stops, strict=True):
            for at in range(start, stop, _SLICE_ROWS):
                yield number, _packed(keyed.slice(at, min(_SLICE_ROWS, stop - at)))


def write_by_tasks(
    passing: InBlocks, survey: Survey, columns: Columns, folder: Path, held: Path
) -> tuple[str, list[PartFile]]:
    """Write the files of a release; its fingerprint in the order of the source, and what was written."""
    workers = passing.workers
    assert isinstance(workers, SparkWorkers)
    files = absolute(passing.source.files)
    streams = passing.streams.at("write")
    sending = Sending(
        passing,
        files,
        columns,
        {name: widest(found) for name, found in survey.columns.plain.items()},
        survey.wide,
        PartBounds.of(streams, survey.released, part_files.PART_ROWS),
        streams,
    )
    spans = spans_of(survey, passing.rows, passing.source.n, mark.BLOCK)
    count = len(sending.bounds.words) + 1
    names = [str(name) for name in columns.looked.kept]
    into, aside = folder.absolute(), held.absolute()

    def send(span: Span) -> Iterator[Sent]:
        try:
            yield from sending.send(span)
        except MemoryError:
            raise
        except Exception as problem:  # noqa: BLE001 - told like a result: to do it again would not help
            yield _TOLD, telling(_raising, files.paths)(problem)

    def write(number: int, sent: Iterable[Sent]) -> Iterator[bytes]:
        slices = []
        for part, packed in sent:
            if part == _TOLD:
                yield packed
            else:
                slices.append(packed)
        if slices:
            yield telling(partial(_write, slices=slices, names=names, folder=into, held=aside), files.paths)(number)

    told = (
        workers.context.parallelize(spans, len(spans))
        .flatMap(send)
        .partitionBy(count, lambda part: max(part, 0))
        .mapPartitionsWithIndex(write)
    )
    digests: dict[int, tuple[dict[str, str], bytes]] = {}
    parts: dict[str, PartFile] = {}
    for one in workers.collect(told, len(spans)):
        if isinstance(one, PartFile):
            parts[one.name] = one
        else:
            digests[one[0]] = one[1:]
    if sorted(digests) != [span.first for span in spans] or sorted(parts) != [part_name(n) for n in range(count)]:
        raise FileProblem("Spark's tasks did not tell of every file that was to be written; nothing was written")
    kinds = digests[0][0]
    fingerprint = mark.mark_of_blocks(survey.released, kinds, [digests[first][1] for first in sorted(digests)])
    return fingerprint, [parts[name] for name in sorted(parts)]


def spans_of(survey: Survey, rows: int, records: int, marked: int) -> list[Span]:
    """The records of the release, as many at a time as are marked together, with the blocks that they come from."""
    places = sorted(survey.rows)
    counts = np.array([survey.rows[place] for place in places], dtype=np.int64)
    ends = np.cumsum(counts)
    spans = []
    for first in range(0, survey.released, marked):
        stop = min(first + marked, survey.released)
        begun, last = np.searchsorted(ends, [first, stop - 1], side="right").tolist()
        source = (places[begun], min(places[last] + rows, records))
        spans.append(Span(first, stop, source, first - int(ends[begun] - counts[begun])))
    return spans


def _write(number: int, slices: list[bytes], names: list[str], folder: Path, held: Path) -> PartFile:
    """Write one file; under a name of its own first, since another try of the task may be under way."""
    if not held.is_dir():
        raise FileProblem(
            f"the folder of the release is not there for a Spark task on {platform.node()}; name one that all of "
            "Spark's machines see by the same name"
        )
    table = pa.concat_tables([ipc.open_stream(one).read_all() for one in slices])
    order = np.lexsort((table[_ROW].to_numpy(), table[_WORD].to_numpy()))
    part = table.drop_columns([_WORD, _ROW]).take(pa.array(order)).rename_columns(names)
    own = held / f"{part_name(number)}.{uuid.uuid4().hex}"
    written = write_part(own, part)
    own.replace(folder / part_name(number))
    return PartFile(part_name(number), written.rows, written.sha256)


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _raising(problem: Exception) -> None:
    raise problem
