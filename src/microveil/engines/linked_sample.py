"""A random sample of originals with their released records, put beside blocks of either file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.streams import Key, Streams
from microveil.engines.files import BLOCK_ROWS, Block, Files
from microveil.engines.linking import Linking
from microveil.engines.workers import Workers
from microveil.measure import Pair
from microveil.measure.in_blocks import Side, SomeLinked
from microveil.measure.pair import like_original

if TYPE_CHECKING:
    from microveil.engines.scanning import Scan

SAMPLED = 4_000  # originals that are searched for
_MOST_LEVELS = 1 << 16  # different values of a column that are put beside every block


@dataclass(frozen=True)
class LinkedSample:
    """Originals of a sample and their released records, row by row; `levels` shows every category of the original."""

    originals: pa.Table
    released: pa.Table
    levels: pa.Table

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.originals.num_rows)

    def pair(self, head: Pair, names: tuple[str, ...]) -> Pair:
        """The sample by itself."""
        return self._pair(head, names, self.originals, self.released, np.arange(self.size))

    def beside(self, head: Pair, names: tuple[str, ...], block: pa.Table, searched: Side) -> SomeLinked:
        """The sample beside a block of the file that is searched."""
        rows, size = block.num_rows, self.size
        each = size + 1
        stands_for = np.concatenate([np.full(rows, each), np.ones(size, dtype=np.int64)])
        own = self.released if searched == "after" else self.originals
        both = pa.concat_tables([block.select(own.column_names).cast(own.schema), own]).combine_chunks()
        if searched == "after":
            link = np.concatenate([np.full(rows, -1, dtype=np.int64), np.arange(size)])
            pair = self._pair(head, names, self.originals, both, link)
        else:
            pair = self._pair(head, names, both, self.released, rows + np.arange(size))
        return SomeLinked(pair, stands_for, each)

    def _pair(self, head: Pair, names: tuple[str, ...], before: pa.Table, after: pa.Table, link: Ints) -> Pair:
        whole = pa.concat_tables([before, self.levels]) if self.levels.num_rows else before
        original = head.before.with_(whole.combine_chunks())
        return replace(
            head,
            before=original,
            after=like_original(original, after),
            link=link,
            columns=names,
            strata=tuple(name for name in head.strata if name in names),
            before_rows=np.arange(before.num_rows, dtype=np.int64),
        )


def draw_linked(
    source: Scan, released: Files, linking: Linking, names: Sequence[str], categories: Sequence[str], workers: Workers
) -> LinkedSample | str:
    """A sample of originals with their released records, in three passes; or why there is none.

    The same originals are drawn whenever the same file is asked.
    """
    if linking.made:
        return "no protected record comes from an original one"
    searched = drawn(source.n, "searched originals")
    places = linking.places(searched)
    there = places >= 0
    if not there.any():
        return "no protected record comes from an original one"
    source.known.find_levels(categories)
    if any(len(source.known.levels(name).levels) > _MOST_LEVELS for name in categories):
        return (
            f"a column of categories has more than {_MOST_LEVELS:,} different values, too many to be put beside blocks"
        )
    originals = picked(source.files, searched[there], names, workers)
    order = np.argsort(places[there], kind="stable")
    back = np.argsort(order, kind="stable")
    partners = picked(released, places[there][order], names, workers).take(pa.array(back)).combine_chunks()
    return LinkedSample(originals, partners, _levels_of(source, names, categories))


def drawn(records: int, purpose: str) -> Ints:
    """The rising places of a random sample of so many records, or of all where these are few."""
    if records <= SAMPLED:
        return np.arange(records, dtype=np.int64)
    generator = Streams(Key.of(0)).at("sample of records", purpose).generator()
    return np.sort(generator.choice(records, SAMPLED, replace=False)).astype(np.int64)


def picked(files: Files, places: Ints, names: Sequence[str], workers: Workers) -> pa.Table:
    """The records at these rising places."""

    def look(block: Block) -> _Picked:
        start, stop = np.searchsorted(places, [block.first, block.first + block.table.num_rows])
        return _Picked(((block.first, block.table.take(pa.array(places[start:stop] - block.first))),))

    return workers.gather(files, BLOCK_ROWS, list(names), look).table()


@dataclass(frozen=True)
class _Picked:
    parts: tuple[tuple[int, pa.Table], ...]

    def merge(self, other: _Picked) -> _Picked:
        return _Picked((*self.parts, *other.parts))

    def table(self) -> pa.Table:
        return pa.concat_tables([table for _, table in sorted(self.parts, key=lambda one: one[0])]).combine_chunks()


def _levels_of(source: Scan, names: Sequence[str], categories: Sequence[str]) -> pa.Table:
    """Rows that show every category of the original at least once, and gaps otherwise."""
    values = {name: source.known.levels(name).values for name in categories}
    rows = max((len(one) for one in values.values()), default=0)
    columns = []
    for name in names:
        kind = source.files.schema.field(name).type
        own = values.get(name, pa.array([], kind))
        columns.append(pa.concat_arrays([own, pa.nulls(rows - len(own), kind)]))
    return pa.table(columns, names=list(names))
