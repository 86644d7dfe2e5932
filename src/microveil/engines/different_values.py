"""The different values of a column in blocks: all of them, or of very many those with the smallest hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.detect.column import Drawn, Look, different_values, look_of, observed_values

Hashes = npt.NDArray[np.uint64]

_MOST = 1 << 17  # different values that are kept of a column
_FEWEST = 1 << 12
_TOGETHER = 1 << 44  # kept values times records: tasks elsewhere send here as many in all, however many records
_GROUP = 64  # whole numbers that are kept or left together, so that the steps between them can be seen
_SIGMAS = 3.0  # above the estimate: a column that may have so many different values is judged as if it had them
_ALL = 2.0**64


@dataclass(frozen=True)
class DifferentValues:
    """The observed different values of some records, in the order of the file if they are all there.

    Of more than `most` those are kept whose hashes are below a limit, so that they are the same however records are
    split. Whole numbers close together share a hash.
    """

    records: int
    missing: int
    values: pa.Array
    most: int
    limit: int | None = None

    @classmethod
    def of(cls, array: pa.Array, missing: Sequence[Cell], records: int) -> DifferentValues:
        """Those of one block of a file with so many records."""
        values, gone = observed_values(array, tuple(missing))
        most = min(_MOST, max(_FEWEST, _TOGETHER // max(records, 1)))
        return cls(len(array), gone, values, most)._cut()

    def merge(self, other: DifferentValues) -> DifferentValues:
        """Of both."""
        limits = [one.limit for one in (self, other) if one.limit is not None]
        both = [one.values for one in (self, other) if len(one.values)]
        kind = widest(one.type for one in both)
        values = different_values(pa.concat_arrays([one.cast(kind) for one in both])) if both else self.values
        limit = min(limits, default=None)
        merged = DifferentValues(self.records + other.records, self.missing + other.missing, values, self.most, limit)
        return merged._cut()

    def look(self, name: str) -> Look:
        """What the column looks like."""
        if self.limit is None:
            return look_of(name, self.records, self.missing, self.values)
        pieces = len(np.unique(_hashes(self.values)))
        share = self.limit / _ALL
        most = len(self.values) / share * (1 + _SIGMAS / np.sqrt(max(pieces, 1)))
        different = max(len(self.values), min(int(most), self.records - self.missing))
        return look_of(name, self.records, self.missing, self.values, Drawn(different, pieces))

    def _cut(self) -> DifferentValues:
        if self.limit is None and len(self.values) <= self.most:
            return self
        hashes = _hashes(self.values)
        limit = _ALL if self.limit is None else self.limit
        if len(hashes) > self.most:
            limit = min(limit, int(np.partition(hashes, self.most)[self.most]))
        kept = self.values.filter(pa.array(hashes < np.uint64(limit)))
        return DifferentValues(self.records, self.missing, kept, self.most, int(limit))


def _hashes(values: Any) -> Hashes:
    """The same for equal values, whatever their type; one for whole numbers close together."""
    kind = values.type
    if pa.types.is_large_string(kind):
        digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in values.to_pylist()]
        return np.frombuffer(b"".join(digests), dtype="<u8")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        values = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    elif pa.types.is_time(kind) or pa.types.is_boolean(kind):
        values = values.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
    numbers = np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    with np.errstate(invalid="ignore"):
        keys = np.where(numbers == np.floor(numbers), np.floor(numbers / _GROUP), numbers) + 0.0
    return _mixed(keys.view(np.uint64))


def _mixed(bits: Hashes) -> Hashes:
    """Bits that look random and differ where those given do (splitmix64, Steele, Lea and Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def widest(types: Iterable[pa.DataType]) -> pa.DataType:
    """The type that holds what blocks hold: none of it, whole numbers of several sizes, moments of several units."""
    found = [kind for kind in types if not pa.types.is_null(kind)]
    if len(set(found)) < 2:
        return found[0] if found else pa.large_string()
    for fits, wanted in (
        (pa.types.is_floating, pa.float64()),
        (pa.types.is_integer, pa.int64()),
        (pa.types.is_decimal, pa.float64()),
        (pa.types.is_timestamp, None),
        (pa.types.is_time, None),
    ):
        own = [kind for kind in found if fits(kind)]
        if own:
            return wanted if wanted is not None else max(own, key=lambda kind: kind.unit == "ns")
    raise BadInput(f"blocks of one column came back as {', '.join(sorted(map(str, found)))}")
