"""The released records that may be somebody's: those whose classes, ranges, sets and gaps hold his raw keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Bytes, Floats, Ints
from microveil.kernels.tables.classes import first_rows
from microveil.measure import Pair
from microveil.measure.classes import Classes, keys_made_coarser
from microveil.measure.codebooks import public_classes
from microveil.measure.keys import common_codes

if TYPE_CHECKING:
    from microveil.kernels.tables.containing import Agreement, Holding, Records

_NOBODY: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Candidates:
    """Raw combinations of keys beside released ones.

    `asked` is the combination of each original record among the distinct ones in `raw`, and `shown` that of each
    released record among `released`; keys that stayed as they were are one group, the others codes and levels.
    """

    asked: Ints
    raw: Records
    shown: Ints
    released: Records
    holding: Holding
    leading: int

    def agreement(self, values: Floats, low: Floats, high: Floats, tolerance: float) -> Agreement:
        """For each original record what the released `values` of its candidates say about a true one in [low, high]."""
        from microveil.kernels.tables.containing import Agreement, Released, agreement

        rows, row_starts = _in_order(self.asked, len(self.raw.group))
        pool, pool_starts = _in_order(self.shown, len(self.released.group))
        released = Released(self.released, self.leading, pool_starts, values[pool])
        found = agreement(self.raw, self.holding, released, row_starts, low[rows], high[rows], tolerance)
        back = np.empty(len(rows), dtype=np.int64)
        back[rows] = np.arange(len(rows))
        return Agreement(*(figure[back] for figure in found))


def candidates_of(pair: Pair) -> Candidates:
    """Who may be whom by the columns of a pair."""
    from microveil.kernels.tables.classes import group_rows

    coarser = keys_made_coarser(pair)
    same = [name for name in pair.columns if name not in coarser]
    before, after = pair.tables(same)
    codes = np.vstack(common_codes(before, after))
    groups = group_rows(codes)[0] if same else np.zeros(before.rows + after.rows, dtype=np.int64)
    read = [_alike_as_one(public_classes(pair, name)) for name in coarser]
    # without any, one column that says nothing
    read = read or [_nothing_said(before.rows, after.rows)]
    leading = int(np.argmin([_work(classes, after.rows) for classes in read]))
    asked, raw = _distinct(groups[: before.rows], [classes.code for classes in read], leading)
    shown, released = _distinct(groups[before.rows :], [classes.released for classes in read], leading)
    return Candidates(asked, raw, shown, released, _holding(read), leading)


def _nothing_said(originals: int, released: int) -> Classes:
    none = np.empty(0, dtype=np.int64)
    return Classes(np.full(originals, -1), np.full(released, -1), 0, none, none)


def _alike_as_one(classes: Classes) -> Classes:
    """The same with one number for values that the same classes hold: there is less to ask."""
    if classes.holds is not None:
        held, number = np.unique(classes.holds, axis=1, return_inverse=True)
        code = np.append(number.reshape(-1), -1)[classes.code]
        return Classes(code, classes.released, held.shape[1], classes.low, classes.high, held)
    ends = np.unique(np.concatenate([classes.low, classes.high + 1]))
    number = np.append(np.searchsorted(ends, np.arange(classes.values), "right"), -1)
    low, high = np.searchsorted(ends, classes.low, "right"), np.searchsorted(ends, classes.high, "right")
    empty = classes.low > classes.high
    low[empty], high[empty] = 1, 0
    return Classes(number[classes.code], classes.released, len(ends) + 1, low, high)


def _work(classes: Classes, records: int) -> float:
    """About how many classes and records one question looks at if this column leads."""
    sizes = np.bincount(classes.released + 1, minlength=len(classes.low) + 1) / max(records, 1)
    return len(classes.low) + records * float(sizes @ np.append(1.0, classes.shares()))


def _distinct(groups: Ints, codes: list[Ints], leading: int) -> tuple[Ints, Records]:
    from microveil.kernels.tables.classes import group_rows
    from microveil.kernels.tables.containing import Records

    order = [leading, *(j for j in range(len(codes)) if j != leading)]
    labels, counts = group_rows(np.column_stack([groups, *(codes[j] for j in order)]))
    first = first_rows(labels, len(counts))
    return labels, Records(groups[first], np.column_stack([code[first] for code in codes]))


def _holding(read: list[Classes]) -> Holding:
    from microveil.kernels.tables.containing import Holding

    most = max(len(classes.low) for classes in read)
    low, high = np.zeros((2, len(read), max(most, 1)), dtype=np.int64)
    tables: list[Bytes] = []
    starts, widths = [], []
    for j, classes in enumerate(read):
        low[j, : len(classes.low)], high[j, : len(classes.low)] = classes.low, classes.high
        starts.append(sum(len(table) for table in tables))
        tables.append(np.empty(0, np.uint8) if classes.holds is None else classes.holds.astype(np.uint8).reshape(-1))
        widths.append(0 if classes.holds is None else classes.values)
    levels = np.array([len(classes.low) for classes in read], dtype=np.int64)
    return Holding(low, high, np.concatenate(tables), np.array(starts), np.array(widths), levels)


def _in_order(labels: Ints, count: int) -> tuple[Ints, Ints]:
    """The rows class by class, and where each class begins."""
    return np.argsort(labels, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=count))])
