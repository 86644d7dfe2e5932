"""Minimal sample uniques: the smallest attribute combinations that single out a record."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput
from microveil.kernels.tables.classes import first_rows, group_rows

_MOST_COLUMNS = 60  # a set of columns is a bit mask


class MinimalUniques(NamedTuple):
    """Each minimal sample unique: the record it singles out and its columns as a bit mask (bit j: column j)."""

    record: Ints
    columns: Ints

    @property
    def sizes(self) -> Ints:
        """How many columns each has."""
        return np.asarray(sum((self.columns >> j) & 1 for j in range(_MOST_COLUMNS)), dtype=np.int64)


class _Found:
    """Uniques found so far, chained by record so that a superset is told from a minimal one."""

    def __init__(self, rows: int) -> None:
        self.head = np.full(rows, -1, dtype=np.int64)
        self.next = np.empty(1024, dtype=np.int64)
        self.masks = np.empty(1024, dtype=np.int64)
        self.rows = np.empty(1024, dtype=np.int64)
        self.count = 0

    def add(self, unique: Ints, mask: int) -> None:
        if not len(unique):
            return
        while self.count + len(unique) > len(self.masks):
            for name in ("next", "masks", "rows"):
                setattr(self, name, np.concatenate([getattr(self, name), np.empty_like(getattr(self, name))]))
        self.count = _add_minimal(unique, mask, self.head, self.next, self.masks, self.rows, self.count)


def minimal_uniques(codes: Ints, max_size: int) -> MinimalUniques:
    """All minimal sample uniques of at most `max_size` columns; code -1 is missing and singles nobody out.

    A record unique on some columns is out of reach of every larger set, and so are classes without any
    record that all columns together single out: the search goes on with ever fewer records (as SUDA2;
    Manning, Haglin & Keane 2008).
    """
    if codes.shape[1] > _MOST_COLUMNS:
        raise BadInput(f"{codes.shape[1]} keys are too many for minimal uniques; give at most {_MOST_COLUMNS}")
    labels, counts = group_rows(codes)
    first = first_rows(labels, len(counts))
    weight = np.minimum(counts, 2)
    # the columns with most values come in first: they leave least to search below them
    order = np.argsort(codes.max(axis=0, initial=-1), kind="stable")
    columns = [np.ascontiguousarray(codes[first, j]) for j in order]
    found = _Found(len(first))
    if (weight == 1).any():
        everybody = np.arange(len(first), dtype=np.int64)
        _visit(columns, weight, everybody, np.array([0, len(first)]), 0, len(columns), max_size, found)
    masks = found.masks[: found.count]
    columns_of = np.zeros_like(masks)
    for bit, j in enumerate(order):
        columns_of |= ((masks >> bit) & 1) << int(j)
    return MinimalUniques(first[found.rows[: found.count]], columns_of)


def _visit(
    columns: list[Ints], weight: Ints, rows: Ints, bounds: Ints, mask: int, below: int, sizes_left: int, found: _Found
) -> None:
    """Split the classes `rows` in `bounds` by each column below; every subset is met before its supersets."""
    for j in range(below):
        unique, kept, kept_bounds = _split(rows, bounds, columns[j], weight, int(columns[j].max(initial=-1)) + 1)
        found.add(unique, mask | 1 << j)
        if len(kept) and sizes_left > 1:
            _visit(columns, weight, kept, kept_bounds, mask | 1 << j, j, sizes_left - 1, found)


@compiled
def _split(rows: Ints, bounds: Ints, codes: Ints, weight: Ints, values: int) -> tuple[Ints, Ints, Ints]:
    """Classes split by one more column: the rows alone now, and the classes worth another column."""
    size = np.zeros(values, dtype=np.int64)
    heavy = np.zeros(values, dtype=np.int64)
    alone = np.zeros(values, dtype=np.int64)
    place = np.empty(values, dtype=np.int64)
    touched = np.empty(values, dtype=np.int64)
    unique = np.empty(len(rows), dtype=np.int64)
    kept = np.empty(len(rows), dtype=np.int64)
    kept_bounds = np.empty(len(rows) // 2 + 2, dtype=np.int64)
    kept_bounds[0] = uniques = classes = filled = 0
    for c in range(len(bounds) - 1):
        met = 0
        for i in range(bounds[c], bounds[c + 1]):
            v = codes[rows[i]]
            if v < 0:
                continue
            if size[v] == 0:
                touched[met] = v
                met += 1
            size[v] += 1
            heavy[v] += weight[rows[i]]
            alone[v] += weight[rows[i]] == 1
        for t in range(met):
            v = touched[t]
            place[v] = -1
            if heavy[v] > 1 and alone[v] > 0:
                place[v] = filled
                filled += size[v]
                classes += 1
                kept_bounds[classes] = filled
        for i in range(bounds[c], bounds[c + 1]):
            v = codes[rows[i]]
            if v < 0:
                continue
            if heavy[v] == 1:
                unique[uniques] = rows[i]
                uniques += 1
            elif place[v] >= 0:
                kept[place[v]] = rows[i]
                place[v] += 1
        for t in range(met):
            size[touched[t]] = heavy[touched[t]] = alone[touched[t]] = 0
    return unique[:uniques].copy(), kept[:filled].copy(), kept_bounds[: classes + 1].copy()


@compiled
def _add_minimal(unique: Ints, mask: int, head: Ints, follow: Ints, masks: Ints, rows: Ints, count: int) -> int:
    for r in unique:
        i = head[r]
        while i >= 0 and (masks[i] & mask) != masks[i]:
            i = follow[i]
        if i < 0:
            masks[count], rows[count], follow[count] = mask, r, head[r]
            head[r] = count
            count += 1
    return count
