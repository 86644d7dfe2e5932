"""A categorical column of two files in cells that can be compared, where the release shows classes of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.loss.counts import count_both
from microveil.measure import Pair
from microveil.measure.classes import Classes, is_made_coarser, read_classes


@dataclass(frozen=True)
class Cells:
    """The codes of a column in both files.

    `recoded`: the original's values went into the released classes. `members`: the released classes cross one another,
    and a cell of class c stands for the original's codes members[c] alike.
    """

    before: Ints
    after: Ints
    recoded: bool = False
    members: tuple[Ints, ...] = ()


def cells_of(pair: Pair, name: str, spread: bool = False) -> Cells:
    """A column of both files in common cells; `spread`: in the original's values, whether classes cross or not."""
    own_before, own_after = (table[name] for table in pair.own_tables([name]))
    if not is_made_coarser(own_before, own_after):
        before, after = (table[name].data for table in pair.tables([name]))
        return Cells(before, after)
    rows = pair.linked_rows if pair.link is not None else (np.empty(0, dtype=np.int64),) * 2
    classes = read_classes(own_before, own_after, *rows)
    held = _held(classes)
    shown = np.unique(classes.released[classes.released >= 0])
    every = np.concatenate([held[level] for level in shown]) if len(shown) else np.empty(0, dtype=np.int64)
    if spread or len(np.unique(every)) < len(every):
        return Cells(classes.code, classes.released, members=tuple(held))
    # values that no class holds stay apart from all of them
    into = np.append(len(held) + np.arange(classes.values), -1)
    for level in shown:
        into[held[level][held[level] < classes.values]] = level
    known = set(own_before.levels or ())
    recoded = any(held[level][0] < classes.values and (own_after.levels or ())[level] not in known for level in shown)
    return Cells(into[classes.code], classes.released, recoded=recoded)


def _held(classes: Classes) -> list[Ints]:
    """The codes that each class holds; one of its own for a class that holds none."""
    if classes.holds is not None:
        found = [np.flatnonzero(row) for row in classes.holds]
    else:
        found = [np.arange(low, high + 1) for low, high in zip(classes.low, classes.high, strict=True)]
    return [codes if len(codes) else np.array([classes.values + level]) for level, codes in enumerate(found)]


def counts_in(columns: Sequence[Cells]) -> tuple[Floats, Floats]:
    """Counts of both files in the cells of a table that occur in either; crossing classes count in parts."""
    if not any(column.members for column in columns):
        return count_both([column.before for column in columns], [column.after for column in columns])
    rows, sizes = _tallied(np.column_stack([column.after for column in columns]))
    for j, column in enumerate(columns):
        if column.members:
            rows, sizes = _spread(rows, sizes, j, column.members)
    originals, counts = _tallied(np.column_stack([column.before for column in columns]))
    both = np.vstack([originals, rows])
    ours = np.concatenate([counts, np.zeros(len(rows))])
    theirs = np.concatenate([np.zeros(len(originals)), sizes])
    return _tallied(both, ours)[1], _tallied(both, theirs)[1]


def _spread(rows: Ints, sizes: Floats, j: int, members: tuple[Ints, ...]) -> tuple[Ints, Floats]:
    """The cells of a table with column j in the original's codes: each class evenly over those it holds."""
    # a gap is a category of its own, the last one here
    held = [*members, np.array([-1])]
    lengths = np.array([len(codes) for codes in held])[rows[:, j]]
    wide = np.repeat(rows, lengths, axis=0)
    wide[:, j] = np.concatenate([held[level] for level in rows[:, j]])
    return _tallied(wide, np.repeat(sizes / lengths, lengths))


def _tallied(rows: Ints, sizes: Floats | None = None) -> tuple[Ints, Floats]:
    """Distinct rows in order, and the sum of the sizes (1 by default) of each."""
    from microveil.kernels.tables.classes import group_rows

    labels, counts = group_rows(rows)
    first = np.unique(labels, return_index=True)[1]
    return rows[first], np.bincount(labels, weights=sizes, minlength=len(counts)).astype(np.float64)
