"""Cuts of a file into blocks of near records, from counts: where they are does not depend on the order of the records.

A random part of the records tells where to cut: it is halved at the median of the widest column again and again, as
long as a half stands for more records than a block may hold. Then all records are counted, and a block with too few is
joined to its neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Floats, Ints, Matrix
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.run.by_cuts import CutPart
from microveil.run.job import Job
from microveil.run.statistics import gather_observed

_SAMPLE = 1 << 16  # records that tell where to cut
_INNER = 0.05  # part of the records at either end that does not tell how wide a column is


@dataclass(frozen=True)
class SpatialCuts:
    """A tree of cuts on a common scale: at a node records up to a value of one column go left, the others right."""

    names: tuple[str, ...]
    centre: Floats
    scale: Floats
    column: Ints  # of each node, -1 where it is a block
    value: Floats
    left: Ints  # node, or number of the block; the right one follows
    right: Ints
    block: Ints  # of each leaf
    sizes: tuple[int, ...] = ()
    # centre and scale of amounts that tell nothing about where to cut, and may form groups inside blocks
    beside: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    word: ClassVar[str] = "block"

    def scales(self) -> dict[str, tuple[float, float]]:
        """Centre and scale of every column in the file."""
        own = zip(self.names, zip(self.centre.tolist(), self.scale.tolist(), strict=True), strict=True)
        return {**self.beside, **dict(own)}

    def notes(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """Blocks are told of by what comes of them."""
        return ()

    def called(self, number: int) -> CutPart:
        """How a block is called."""
        return CutPart(("block", number), "", f"block {number} of {self.sizes[number]:,} near records")

    def blocks_of(self, table: Table, job: Job) -> Ints:
        """The block of each of some records."""
        return self.block[self._leaves(_points(table, self.centre, self.scale))]

    def _leaves(self, X: Matrix) -> Ints:
        node = np.zeros(len(X), dtype=np.int64)
        inner = self.column[node] >= 0
        while inner.any():
            at = node[inner]
            below = X[inner, self.column[at]] <= self.value[at]
            node[inner] = np.where(below, self.left[at], self.right[at])
            inner = self.column[node] >= 0
        return self.left[node]

    @cached_property
    def leaves(self) -> int:
        """How many leaves the tree has."""
        return int((self.column < 0).sum())


def find_cuts(table: Table, job: Job, size: int, least: int) -> SpatialCuts | None:
    """Blocks of about `size` records and at least `least`; None where the file is one block."""
    if table.rows <= size:
        return None
    scales = _scales(table, job)
    centre, scale = (np.array(side) for side in zip(*(scales[name] for name in table.names), strict=True))
    share = min(1.0, _SAMPLE / table.rows)

    def some(block: Table, its: Job) -> _Some:
        chosen = np.flatnonzero(its.streams.at("cut").uniforms(0, block.rows)[:, 0] <= share)
        return _Some(_points(block, centre, scale)[chosen])

    sample = job.engine.gather(table, job, some).rows
    cuts = _tree(sample, table.names, centre, scale, size * len(sample) / table.rows)

    def count(block: Table, _: Job) -> Counts:
        return Counts.of(cuts._leaves(_points(block, centre, scale)), cuts.leaves)

    counts = job.engine.gather(table, job, count).counts
    joined = _joined(counts, least)
    sizes = np.bincount(joined, weights=counts).astype(np.int64)
    if len(sizes) == 1:
        return None
    beside = {name: found for name, found in scales.items() if name not in table.names}
    return replace(cuts, block=joined, sizes=tuple(sizes.tolist()), beside=beside)


@dataclass(frozen=True)
class _Some:
    rows: Matrix

    def merge(self, other: _Some) -> _Some:
        return _Some(np.concatenate([self.rows, other.rows]))


def _scales(table: Table, job: Job) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of the observed values of each column, of codes where it holds categories.

    Those of amounts that are kept or read beside the table are told, too: groups may be formed on them.
    """
    from microveil.kernels.moments.central import finish_deviations

    beside = [name for name in _amounts(job.around, job.given) if name not in table.names]

    def all_of(block: Table, its: Job) -> Table:
        amounts = _amounts(its.around, its.given)
        return Table({**{name: amounts[name] for name in beside}, **block.columns}, block.rows)

    found = {}
    for name, one in gather_observed(table, job, all_of if beside else None).items():
        deviation = finish_deviations(*one).item() if one.moments.records > 1 else 0.0
        found[name] = one.moments.mean().item() if one.moments.records > 1 else 0.0, deviation if deviation > 0 else 1.0
    return found


def _amounts(*tables: Table) -> dict[str, Values]:
    return {name: one for table in tables for name, one in table.columns.items() if one.levels is None}


def _points(table: Table, centre: Floats, scale: Floats) -> Matrix:
    """Records on the common scale; gaps stand at the mean."""
    X = (table.matrix() - centre) / scale
    X[np.isnan(X)] = 0.0
    return X


def _tree(X: Matrix, names: tuple[str, ...], centre: Floats, scale: Floats, most: float) -> SpatialCuts:
    """The cuts of a sample down to `most` records of it; its order does not matter."""
    column, value, left, right = [-1], [0.0], [0], [0]
    waiting, leaves = [(0, X)], 0
    while waiting:
        node, rows = waiting.pop()
        found = _cut(rows) if len(rows) > most else None
        if found is None:
            left[node] = leaves
            leaves += 1
            continue
        column[node], value[node] = found
        below = rows[:, found[0]] <= found[1]
        left[node], right[node] = len(column), len(column) + 1
        column += [-1, -1]
        value += [0.0, 0.0]
        left += [0, 0]
        right += [0, 0]
        # the left one is taken next: blocks are numbered along space
        waiting += [(right[node], rows[~below]), (left[node], rows[below])]
    return SpatialCuts(
        names, centre, scale, np.array(column), np.array(value), np.array(left), np.array(right), np.arange(leaves)
    )


def _cut(X: Matrix) -> tuple[int, float] | None:
    """The widest column and the value up to which records go left; None where all records are alike."""
    rising = np.sort(X, axis=0)
    inner = int(_INNER * len(X))
    inside = rising[len(X) - 1 - inner] - rising[inner]
    widths = np.where(inside > 0, inside, 0.0)
    if not widths.any():
        widths = rising[-1] - rising[0]
    j = int(np.argmax(widths))
    if not rising[-1, j] > rising[0, j]:
        return None
    middle = rising[(len(X) - 1) // 2, j]
    if middle == rising[-1, j]:
        middle = rising[rising[:, j] < middle, j][-1]
    return j, float(middle)


def _joined(counts: Ints, least: int) -> Ints:
    """The block of each leaf: neighbours are joined until each has at least so many records."""
    block, number, held = np.zeros(len(counts), dtype=np.int64), 0, 0
    for leaf, count in enumerate(counts.tolist()):
        if held >= least:
            number, held = number + 1, 0
        block[leaf], held = number, held + count
    if held < least and number:
        block[block == number] = number - 1
    return block
