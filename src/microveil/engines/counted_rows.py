"""The different rows of some columns of a file, with how many records have each and the sum of their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.data.doubles import nearest_doubles

MOST_ROWS = 1 << 21  # different rows that are held in memory
_COUNT = "records"
_PIECE = 26  # bits of a weight behind the point that are summed together
_PIECES = ("whole", "first", "second")
_MOST_WEIGHT = 1 << 32  # of which 64 bits hold the sum over 2^31 records


@dataclass(frozen=True)
class CountedRows:
    """Rows that differ, in no order that means anything; columns go by numbers, since one may be called like ours.

    Weights are summed as whole numbers in three pieces, so that no order of the records matters.
    """

    table: pa.Table
    names: tuple[str, ...]

    @classmethod
    def of(cls, table: pa.Table, names: tuple[str, ...], weight: str | None) -> CountedRows:
        """The rows of a block; `weight` is the column of weights, if there is one."""
        columns = [_comparable(table[name].combine_chunks()) for name in names]
        amounts = {_COUNT: np.ones(table.num_rows, dtype=np.int64)}
        if weight is not None:
            amounts |= dict(zip(_PIECES, _pieces(table[weight], weight), strict=True))
        arrays = [*columns, *(pa.array(amount) for amount in amounts.values())]
        return cls(_summed(pa.table(arrays, names=[*map(str, range(len(columns))), *amounts]), len(names)), names)

    def merge(self, other: CountedRows) -> CountedRows:
        """The rows of both; too many are refused."""
        found = self.together(other)
        if found is None:
            raise BadInput(
                f"not applicable in blocks: {', '.join(self.names)} have more than {MOST_ROWS:,} different "
                "combinations, too many to be counted in memory; make them coarser, or name fewer columns"
            )
        return found

    def together(self, other: CountedRows) -> CountedRows | None:
        """The rows of both; None if they are too many."""
        found = _summed(pa.concat_tables([self.table, other.table]), len(self.names))
        return None if found.num_rows > MOST_ROWS else CountedRows(found, self.names)

    @property
    def rows(self) -> pa.Table:
        """Each different row once, under its own names."""
        return self.table.select(list(range(len(self.names)))).rename_columns(list(self.names))

    @property
    def records(self) -> Ints:
        """How many records have each."""
        return np.array(self.table[_COUNT].to_numpy(), dtype=np.int64)

    @property
    def weights(self) -> Floats | None:
        """The sum of the weights of each; None where there are none."""
        if _PIECES[0] not in self.table.column_names:
            return None
        whole, first, second = (self.table[name].to_numpy().astype(np.float64) for name in _PIECES)
        return np.asarray(whole + (np.ldexp(first, -_PIECE) + np.ldexp(second, -2 * _PIECE)), dtype=np.float64)


def _summed(table: pa.Table, keys: int) -> pa.Table:
    names, amounts = table.column_names[:keys], table.column_names[keys:]
    if not keys:
        return pa.table({name: [pc.sum(table[name]).as_py()] for name in amounts})
    found = table.group_by(names, use_threads=False).aggregate([(name, "sum") for name in amounts])
    return pa.table(
        [found[name] for name in names] + [found[f"{name}_sum"] for name in amounts], names=[*names, *amounts]
    )


def _comparable(array: pa.Array) -> pa.Array:
    """The values with one zero, and gaps for what is no number."""
    if not pa.types.is_floating(array.type):
        return array
    zeros = pc.add(array, pa.scalar(0.0, array.type))
    return pc.if_else(pc.is_nan(zeros), pa.scalar(None, array.type), zeros)


def _pieces(weights: pa.ChunkedArray, name: str) -> tuple[Ints, Ints, Ints]:
    """Weights as whole numbers of 1, of 2^-26 and of 2^-52."""
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    is_number = any(kind(weights.type) for kind in kinds)
    numbers = nearest_doubles(weights).to_numpy() if is_number else np.full(len(weights), np.nan)
    # a gap compares as false
    if not ((numbers > 0) & (numbers <= _MOST_WEIGHT)).all():
        raise BadInput(
            f"the weights in {name!r} must all be positive numbers up to {_MOST_WEIGHT:,} without gaps, to be added up "
            "over files in blocks"
        )
    whole = np.floor(numbers)
    first = np.floor(np.ldexp(numbers - whole, _PIECE))
    second = np.rint(np.ldexp(numbers - whole - np.ldexp(first, -_PIECE), 2 * _PIECE))
    return whole.astype(np.int64), first.astype(np.int64), second.astype(np.int64)
