"""A column of a file in its order, out of memory: values go to files by where they stand among all, and each is sorted.

Where the files part is found from a random part of the records, ties among them by their words, so that no file is
much longer than others even if half of the values are equal. The order is that of memory, to the last tie.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self, TypeVar

import numpy as np
import pyarrow as pa

from microveil.core.arrays import AnyArray, Floats, Ints, Vector, Words
from microveil.core.streams import Key, Streams
from microveil.engines.buckets import MOST_BUCKETS, Buckets, look
from microveil.engines.workers import Workers
from microveil.kernels.ranks.scores import order_by_words
from microveil.run.by_order import Drawn, PartsOf, Stretch

K = TypeVar("K", bound=Hashable)

FILE_ROWS = 1 << 18  # that are sorted in memory, unless there would be too many files
_SAMPLED = 1 << 16  # values that tell where the files part
_SORTED = pa.schema([("value", pa.float64()), ("word", pa.uint64()), ("place", pa.int64())])
_SPLIT = pa.schema([("part", pa.int64()), ("rank", pa.int64()), ("value", pa.float64()), ("place", pa.int64())])


class Placed(NamedTuple):
    """The observed numbers of one column of some records, with their words and places."""

    numbers: Floats
    words: Words
    places: Ints


def placed(numbers: Floats, places: Ints, words: Streams | None) -> Placed:
    """Numbers of records at these places, without gaps; ties by words of the records, or by their places."""
    own = ~np.isnan(numbers)
    observed = places[own]
    if words is None:
        return Placed(numbers[own], observed.astype(np.uint64), observed)
    anywhere = replace(words, positions=None, first=0)
    return Placed(numbers[own], anywhere.of_rows(observed).words(0, len(observed))[:, 0], observed)


@dataclass(frozen=True)
class Sampled:
    """Some of the values of a column with their words, how many values there are, and how many files may hold them."""

    values: Floats
    words: Words
    count: int
    most: int = MOST_BUCKETS

    @classmethod
    def of(cls, values: Floats, words: Words, places: Ints, records: int, most: int = MOST_BUCKETS) -> Sampled:
        """Those of some records without gaps, chosen by where they stand among all records of the file."""
        # which ones are chosen shows nowhere: the order does not depend on where files part
        drawn = Streams(Key.of("order")).of_rows(places).uniforms(0, len(places))[:, 0]
        chosen = drawn * records <= _SAMPLED
        return cls(values[chosen], words[chosen], len(values), most)

    def merge(self, other: Sampled) -> Sampled:
        """The summary of both."""
        return Sampled(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.words, other.words]),
            self.count + other.count,
            self.most,
        )

    @property
    def files(self) -> int:
        """How many files the values are put into."""
        return min(self.most, max(1, -(-self.count // FILE_ROWS)))

    def borders(self) -> Borders:
        """Where the files part."""
        order = order_by_words(self.values, lambda: self.words)
        at = order[np.arange(1, self.files) * len(order) // self.files] if len(order) else order
        return Borders(self.values[at], self.words[at])


@dataclass(frozen=True)
class Borders:
    """The least value of each file but the first, and the least word among those that have this value."""

    values: Floats
    words: Words

    def files_of(self, values: Floats, words: Words) -> Ints:
        """The file of each value."""
        found = np.searchsorted(self.values, values, "right")
        if not len(self.values):
            return found
        for number in np.unique(found[self.values[np.maximum(found - 1, 0)] == values]).tolist():
            # some values are those at which files part: their words say on which side they stand
            first = int(np.searchsorted(self.values, self.values[number - 1], "left"))
            tied = np.flatnonzero((found == number) & (values == self.values[number - 1]))
            found[tied] = first + np.searchsorted(self.words[first:number], words[tied], "right")
        return found


def in_one_pass(files: Mapping[K, int]) -> list[list[K]]:
    """What is put into its files together: as much as files may be open."""
    found: list[list[K]] = []
    held = MOST_BUCKETS
    for key, own in files.items():
        if held + own > MOST_BUCKETS:
            found.append([])
            held = 0
        found[-1].append(key)
        held += own
    return found


class Sorting:
    """Values of one column on their way into their order, in a folder of their own."""

    def __init__(self, folder: Path, sampled: Sampled) -> None:
        (folder / "unsorted").mkdir(parents=True)
        self._folder, self._borders = folder, sampled.borders()
        self._buckets = Buckets(folder / "unsorted")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._buckets.close()

    def put(self, values: Floats, words: Words, places: Ints) -> None:
        """Take some values without gaps; records come in the order of the file."""
        table = pa.table([pa.array(one) for one in (values, words, places)], schema=_SORTED)
        self._buckets.put(self._borders.files_of(values, words), table)

    @contextmanager
    def ordered(self, workers: Workers) -> Iterator[OrderedOnDisk]:
        """All values in their order, for as long as it takes."""
        yield self.finish(workers)
        shutil.rmtree(self._folder)

    def finish(self, workers: Workers) -> OrderedOnDisk:
        """All values in their order, in the folder; the files are sorted by those who work."""
        self._buckets.close()
        count = 0
        unsorted = self._buckets.folder
        numbers = self._buckets.numbers
        with (self._folder / "values").open("xb") as values, (self._folder / "places").open("xb") as places:
            for found in workers.look_into(unsorted, numbers, "files to sort", partial(_sort, unsorted)):
                with found.path.open("rb") as handle:
                    values.write(handle.read(8 * found.values))
                    places.write(handle.read())
                found.path.unlink()
                count += found.values
        shutil.rmtree(unsorted)
        return OrderedOnDisk(self._folder, count)


class _Sorted(NamedTuple):
    """A file with values in their order, and behind them their places."""

    path: Path
    values: int


def _sort(folder: Path, number: int) -> _Sorted:
    """Sort one file into a new one, whose name is its own: another try of a task may be under way."""
    table = look(folder, number)
    values: Vector = table["value"].to_numpy()
    order = order_by_words(values, table["word"].to_numpy)
    own = folder / f"{number:05d}.{uuid.uuid4().hex}"
    with own.open("xb") as handle:
        _append(handle, values[order])
        _append(handle, table["place"].to_numpy()[order])
    return _Sorted(own, len(order))


@dataclass(frozen=True)
class OrderedOnDisk:
    """The values of a column from the least on, and the places of their records, in files."""

    folder: Path
    count: int

    def values(self, start: int, stop: int) -> Vector:
        """The values from one rank to another."""
        return self._read("values", np.float64, start, stop)

    def stretch(self, start: int, stop: int) -> Stretch:
        """The same with the places of their records."""
        return Stretch(np.arange(start, stop), self.values(start, stop), self._read("places", np.int64, start, stop))

    def split(self, parts_of: PartsOf, step: int) -> Iterator[Stretch]:
        """The ranks of each part in turn: parts go to files, neighbours to the same one if there are many."""
        folder = self.folder / "parts"
        folder.mkdir()
        taken = max(FILE_ROWS // step, 1) * step
        with Buckets(folder) as buckets:
            for start in range(0, self.count, taken):
                own = self.stretch(start, min(start + taken, self.count))
                lists = parts_of(start, start + len(own.ranks))
                ranks = np.concatenate(lists)
                part = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
                at = ranks - start
                table = pa.table(
                    [pa.array(one) for one in (part, ranks, own.values[at], own.places[at])], schema=_SPLIT
                )
                buckets.put(part * min(len(lists), MOST_BUCKETS) // len(lists), table)
            for number in buckets.numbers:
                yield from _parts(buckets.take(number))
        folder.rmdir()

    def rising(self, drawn: Drawn) -> Iterator[Ints]:
        """Numbers go to files by their size, and each file is sorted."""
        folder = self.folder / f"drawn-{len(list(self.folder.glob('drawn-*')))}"
        folder.mkdir()
        files = min(MOST_BUCKETS // 4, max(1, -(-self.count // FILE_ROWS)))
        with Buckets(folder) as buckets:
            for start in range(0, self.count, FILE_ROWS):
                numbers = drawn(start, min(start + FILE_ROWS, self.count))
                buckets.put(numbers // -(-self.count // files), pa.table({"number": numbers}))
            for number in buckets.numbers:
                yield np.sort(buckets.take(number)["number"].to_numpy())

    def _read(self, name: str, kind: type, start: int, stop: int) -> AnyArray:
        return np.fromfile(self.folder / name, kind, stop - start, offset=8 * start)


def _parts(table: pa.Table) -> Iterator[Stretch]:
    """The parts in a file; of each the ranks came rising."""
    part = table["part"].to_numpy()
    order = np.argsort(part, kind="stable")
    ends = np.flatnonzero(np.diff(part[order])) + 1
    for own in np.split(order, ends):
        yield Stretch(*(table[name].to_numpy()[own] for name in ("rank", "value", "place")))


def _append(handle: BinaryIO, array: AnyArray) -> None:
    handle.write(np.ascontiguousarray(array).data)
