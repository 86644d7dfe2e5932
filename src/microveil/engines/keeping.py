"""Numbers found in some other order on their way back to where their records stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.data.table import Values
from microveil.engines.buckets import MOST_BUCKETS, Buckets
from microveil.engines.held import Held
from microveil.engines.part_rows import DOMAIN, PLACE

_HELD_ROWS = 1 << 17
_VALUE = "value"


def files_for(records: int) -> int:
    """How many files a column of so many records is put into."""
    return -(-records // _size_for(records))


def _size_for(records: int) -> int:
    return max(_HELD_ROWS, -(-records // MOST_BUCKETS))


class Keeping:
    """New values of one column, put into files by the places of their records; `folder` is there already."""

    def __init__(self, folder: Path, records: int) -> None:
        (folder / "found").mkdir()
        self._folder, self._buckets = folder, Buckets(folder / "found")
        self._size = _size_for(records)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._buckets.close()

    def put(self, places: Ints, values: Floats) -> None:
        """Take the new values of some records."""
        self._buckets.put(places // self._size, pa.table({PLACE: places, _VALUE: values}))

    def finish(self, values: Values, name: str, sizes: Mapping[int, int]) -> Held:
        """Files of values in the order of the file."""
        for bucket in self._buckets.numbers:
            rows = self._buckets.take(bucket)
            places: Ints = rows[PLACE].to_numpy()
            order = np.argsort(places)
            held: AnyArray = rows[_VALUE].to_numpy()[order].astype(values.data.dtype, copy=False)
            domains = np.full(len(held), -1, dtype=np.int64)
            found = pa.table([pa.array(one) for one in (places[order], domains, held)], names=[PLACE, DOMAIN, "0"])
            path = self._folder / f"{bucket:05d}.arrow"
            with path.open("xb") as handle, ipc.new_file(handle, found.schema) as writer:
                writer.write_table(found)
        return Held(self._folder, self._size, {name: values}, sizes)
