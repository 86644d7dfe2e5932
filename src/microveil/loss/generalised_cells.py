"""What is left of the cells of a column whose values were released coarser, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.hierarchy.checking import TOP
from microveil.measure import Pair
from microveil.measure.classes import Classes, is_made_coarser, read_classes


@dataclass(frozen=True)
class GeneralisedCells:
    """For each original record: how many values its cell was joined with, and how many records have them.

    A missing value is a value. `own` counts the records with the value of the cell, `joined` the values that the
    released cell stands for and `merged` the records with one of them. `false` marks cells that are not released, or
    whose release does not stand for them: nothing true is left. `dropped` marks records that are not released at all.
    """

    own: Ints
    joined: Ints
    merged: Ints
    false: Bools
    dropped: Bools
    values: int

    @property
    def hidden(self) -> Floats:
        """The share of the other values from which that of a cell can no longer be told, 1 where nothing is left."""
        others = max(self.values - 1, 1)
        return np.where(self.false, float(self.values > 1), (self.joined - 1) / others)

    @property
    def bits(self) -> Floats:
        """The bits that a cell tells less about its value than it did."""
        merged = np.where(self.false, len(self.own), self.merged)
        return np.asarray(np.log2(merged / self.own))


def columns_made_coarser(pair: Pair) -> tuple[str, ...]:
    """The columns that no step replaced by other values: they are as they were, coarser, or not released."""
    return tuple(name for name in pair.columns if name not in pair.perturbed)


def generalised_cells(pair: Pair, name: str) -> GeneralisedCells:
    """What is left of the cells of one column."""
    before, after = (table[name] for table in pair.own_tables([name]))
    left, right = pair.linked_rows
    released = np.zeros(len(before.data), dtype=np.bool_)
    released[left] = True
    if not is_made_coarser(before, after):
        first, second = (table[name] for table in pair.tables([name]))
        codes = np.unique(np.where(before.missing, -np.inf, before.numbers), return_inverse=True)[1].reshape(-1)
        counts = np.bincount(codes)
        x, y = first.numbers[left], second.numbers[right]
        false = ~released
        false[left] = (x != y) & ~(np.isnan(x) & np.isnan(y))
        own = counts[codes]
        return GeneralisedCells(own, np.ones_like(own), own, false, ~released, len(counts))
    anything = np.array([level == TOP for level in after.levels or ()], dtype=np.bool_)
    return _read(read_classes(before, after, left, right), left, right, released, anything)


def _read(classes: Classes, left: Ints, right: Ints, released: Bools, anything: Bools) -> GeneralisedCells:
    missing = classes.code < 0
    counts = np.bincount(classes.code[~missing], minlength=classes.values)
    gaps = int(missing.sum())
    own = np.where(missing, gaps, np.append(counts, 0)[classes.code])
    shown = np.full(len(own), -1, dtype=np.int64)
    shown[left] = classes.released[right]
    joined, merged = _held(classes, counts > 0), _held(classes, counts)
    # whether gaps were joined with a class is seen where they show it; where none is released what stands for anything
    # stands for them, too
    with_gaps = np.append(anything & bool(gaps) & ~(missing & released).any(), False)
    with_gaps[shown[missing & (shown >= 0)]] = True
    joined, merged = joined + with_gaps[:-1], merged + gaps * with_gaps[:-1]
    as_gap = missing & released & (shown < 0)
    true = released & (shown >= 0)
    kept = np.flatnonzero(true & ~missing)
    row = np.full(len(own), -1, dtype=np.int64)
    row[left] = right
    true[kept] = classes.contains(kept, row[kept])
    together = np.where(true, np.append(joined, 1)[shown], 1)
    records = np.where(true, np.append(merged, 1)[shown], own)
    values = int((counts > 0).sum()) + bool(gaps)
    return GeneralisedCells(own, together, records, ~(true | as_gap), ~released, values)


def _held(classes: Classes, amounts: Ints | Bools) -> Ints:
    """The sum over the values that each released level stands for."""
    if classes.holds is not None:
        return np.asarray(classes.holds @ amounts.astype(np.int64))
    total = np.concatenate([[0], np.cumsum(amounts)])
    inside = total[np.maximum(classes.high + 1, 0)] - total[np.maximum(classes.low, 0)]
    return np.where(classes.low <= classes.high, inside, 0)
