"""Tables of any sizes, one after the other, cut into tables of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa


def cut(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same records, so many at a time; the last table may have fewer."""
    held: list[pa.Table] = []
    waiting = 0
    for table in tables:
        held.append(table)
        waiting += table.num_rows
        while waiting >= rows:
            whole = pa.concat_tables(held)
            yield whole.slice(0, rows)
            waiting -= rows
            # a slice of no rows would hold on to the memory of all that came before
            held = [whole.slice(rows)] if waiting else []
            del whole
    if waiting:
        yield pa.concat_tables(held)
