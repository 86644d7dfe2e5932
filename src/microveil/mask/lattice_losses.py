"""What a node of the lattice loses, and the least that it and everything above it can lose.

Losses of columns add up over records: a record that is kept loses what its level hides, one that is left out loses all
it had, times the price of dropping. Losses of classes follow from their sizes alone. All of them never fall going up,
which makes them bounds for a search.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from microveil.core.arrays import AnyInts, Bools, Floats, Ints
from microveil.core.errors import BadInput
from microveil.mask.ladders import Ladder
from microveil.mask.lattice_rows import LatticeRows, Levels, NodeClasses

LossKind = Literal[
    "ncp",
    "geometric",
    "entropy",
    "non-uniform-entropy",
    "precision",
    "height",
    "discernibility",
    "class-size",
]
LOSSES: tuple[str, ...] = get_args(LossKind)


# some rows: the levels they are released at, the original codes of their keys, and how many records have each
Part = tuple[Levels, AnyInts, Ints]


class NodeLoss(ABC):
    """A loss to be minimised over nodes."""

    @abstractmethod
    def of(self, classes: NodeClasses, kept: Bools) -> float:
        """The loss at a node when these classes are kept and the others left out."""

    @abstractmethod
    def of_release(self, parts: Sequence[Part], sizes: Ints) -> float:
        """The loss of a release in which some records are at other levels, given the sizes of all its classes."""

    @abstractmethod
    def bound(self, levels: Levels) -> float:
        """A bound from below on the loss of a node and of everything above it, from its levels alone."""

    def bound_at(self, levels: Levels, dropped: int) -> float:
        """A bound on the loss of this node alone, when at least so many records are left out there."""
        return self.bound(levels)

    def bound_above(self, classes: NodeClasses) -> float:
        """A bound on the loss of a node and of everything above it, from its classes."""
        return self.bound(classes.levels)

    def bound_beyond(self, levels: Levels, first: int, ceilings: Ints, highest: Levels) -> float:
        """A bound on the loss of nodes reached by raising columns from `first` on, below none of these ceilings.

        Infinite where there is none.
        """
        open_to = ceilings[:, first:] < np.array(highest[first:])
        return self.bound(levels) if bool(open_to.any(axis=1).all()) else math.inf


@dataclass(frozen=True)
class _Column:
    """The loss of each record's code on each level, and what is lost with a record; sums over all records on each."""

    of_code: tuple[Floats, ...]
    whole: Floats
    sums: Floats
    most: Floats  # of one record
    least_whole: float
    most_whole: float

    @classmethod
    def of(cls, ladder: Ladder, of_code: Sequence[Floats], whole: Floats) -> _Column:
        used = ladder.own_counts > 0
        return cls(
            tuple(of_code),
            whole,
            np.array([float((ladder.own_counts * loss).sum()) for loss in of_code]),
            np.array([float(loss[used].max(initial=0.0)) for loss in of_code]),
            float(whole[used].min(initial=np.inf)),
            float(whole[used].max(initial=0.0)),
        )


Tables = Callable[[Ladder], tuple[list[Floats], Floats]]


def _values_hidden(ladder: Ladder) -> tuple[list[Floats], Floats]:
    """The share of the other values from which a record's can no longer be told."""
    used = ladder.counts > 0
    others = max(int(used.sum()) - 1, 1)
    # a column with one value has nothing to lose
    whole = np.full(len(used), float(used.sum() > 1))
    return [
        (np.bincount(step.lookup, weights=used)[step.lookup] - 1).clip(min=0) / others for step in ladder.steps
    ], whole


def _bits_lost(ladder: Ladder) -> tuple[list[Floats], Floats]:
    """The bits that are lost about a record's value: of its share among those that are joined with it."""
    counts = ladder.counts.astype(np.float64)
    safe = np.where(counts > 0, counts, 1.0)
    lost = [
        np.where(counts > 0, np.log2(np.bincount(step.lookup, weights=counts)[step.lookup].clip(min=1) / safe), 0.0)
        for step in ladder.steps
    ]
    return lost, np.where(counts > 0, np.log2(counts.sum() / safe), 0.0)


def _share_of_bits(ladder: Ladder) -> tuple[list[Floats], Floats]:
    """The bits lost over the mean of all there are."""
    lost, whole = _bits_lost(ladder)
    all_bits = float((ladder.counts * whole).sum()) / max(int(ladder.counts.sum()), 1)
    if all_bits <= 0:
        return [np.zeros_like(whole) for _ in lost], np.zeros_like(whole)
    return [loss / all_bits for loss in lost], whole / all_bits


def _steps_climbed(ladder: Ladder) -> tuple[list[Floats], Floats]:
    """The share of the ladder that is climbed."""
    codes = len(ladder.steps[0].lookup)
    return [np.full(codes, level / max(ladder.top, 1)) for level in range(len(ladder.steps))], np.ones(codes)


class ColumnLoss(NodeLoss):
    """A loss that adds up over records in each column, and over columns by a mean, a sum or a geometric mean.

    A record that is left out loses `price` times all it had, at least `price` times what it would have lost: so
    min(1, price) times the sum over all records at a node is a bound. So is that sum less what dropping could save.
    Both rise with the levels, and all ways to put columns together rise with each of them.
    """

    def __init__(
        self,
        rows: LatticeRows,
        tables: Tables,
        join: _Join,
        weights: Floats,
        price: float,
        largest_drop: int,
    ) -> None:
        self._columns = [_Column.of(ladder, *tables(ladder)) for ladder in rows.ladders]
        self._rows = rows
        # what a record costs more when it is left out follows from its class; for bits, at their full price only:
        # all that it had less what it would lose is what its class still tells
        self._alike_in_classes = price == 1 or tables not in (_bits_lost, _share_of_bits)
        self._join, self._weights = join, weights.tolist()
        self._price, self._drop, self._n = price, largest_drop, rows.records
        saved = max(1 - price, 0.0) * largest_drop
        self._least = [
            (np.maximum(min(price, 1.0) * column.sums, column.sums - saved * column.most_whole) / self._n).tolist()
            for column in self._columns
        ]
        # what each column adds to the bound, at each level: a search asks for it many thousand times
        self._terms = [
            [weight * join.term(least) for least in column]
            for column, weight in zip(self._least, self._weights, strict=True)
        ]
        self._padded = np.full((len(self._terms), max(map(len, self._terms))), math.inf)
        for terms, row in zip(self._terms, self._padded, strict=True):
            row[: len(terms)] = terms

    def of(self, classes: NodeClasses, kept: Bools) -> float:
        if self._alike_in_classes:
            gone = np.flatnonzero(~kept)
            sizes, codes = classes.counts.sizes[gone], self._rows.codes[classes.rows[gone]]
        else:
            gone = np.flatnonzero(~kept[self._rows.labels(classes.levels)])
            sizes, codes = self._rows.sizes[gone], self._rows.codes[gone]
        total = []
        for j, (column, level) in enumerate(zip(self._columns, classes.levels, strict=True)):
            more = self._price * column.whole[codes[:, j]] - column.of_code[level][codes[:, j]]
            total.append(float(column.sums[level] + (sizes * more).sum()) / self._n)
        return self._put_together(total)

    def of_release(self, parts: Sequence[Part], sizes: Ints) -> float:
        total = []
        for j, column in enumerate(self._columns):
            lost = sum(float((column.of_code[levels[j]][codes[:, j]] * times).sum()) for levels, codes, times in parts)
            total.append(lost / self._n)
        return self._put_together(total)

    def bound(self, levels: Levels) -> float:
        return self._join.finish(sum([terms[level] for terms, level in zip(self._terms, levels, strict=True)]))

    def bound_beyond(self, levels: Levels, first: int, ceilings: Ints, highest: Levels) -> float:
        # one column at least must rise above each ceiling: by the cheapest one, for the ceiling that makes it dearest
        columns = np.arange(first, len(levels))
        above = ceilings[:, first:] + 1
        reachable = above <= np.array(highest[first:])
        terms = self._padded[columns, np.where(reachable, above, 0)]
        more = np.where(reachable, terms - self._padded[columns, np.array(levels[first:])], math.inf)
        now = sum([column[level] for column, level in zip(self._terms, levels, strict=True)])
        return self._join.finish(now + float(more.min(axis=1).max()))

    def bound_at(self, levels: Levels, dropped: int) -> float:
        found = []
        for least, column, level in zip(self._least, self._columns, levels, strict=True):
            more = self._price * column.least_whole - column.most[level]
            saved = (column.sums[level] + (dropped if more > 0 else self._drop) * more) / self._n
            found.append(max(float(saved), least[level]))
        return self._put_together(found)

    def _put_together(self, columns: list[float]) -> float:
        terms = [weight * self._join.term(one) for weight, one in zip(self._weights, columns, strict=True)]
        return self._join.finish(sum(terms))


@dataclass(frozen=True)
class _Join:
    """How columns are put together: a function of the weighted sum of a function of each, both rising."""

    term: Callable[[float], float]
    finish: Callable[[float], float]


_MEAN = _Join(float, float)
# of one plus each, less one: a column without loss does not hide the others
_GEOMETRIC_MEAN = _Join(math.log1p, math.expm1)


class Discernibility(NodeLoss):
    """For each record the number of records it cannot be told from, all of them where it is left out, over n squared.

    With a price the latter counts price times n. `starred`: those left out stay as one class, and count price times
    its size. The sum over classes of size times the lesser of size and what a record left out counts at least is a
    bound: joining two classes never makes it less, and a class left out counts at least that.
    """

    def __init__(self, records: int, price: float, starred: bool) -> None:
        self._n, self._price, self._starred = records, price, starred

    def of(self, classes: NodeClasses, kept: Bools) -> float:
        sizes = classes.counts.sizes.astype(np.float64)
        gone = sizes[~kept].sum()
        left_out = self._price * gone * (gone if self._starred else self._n)
        return float((sizes[kept] ** 2).sum() + left_out) / self._n**2

    def of_release(self, parts: Sequence[Part], sizes: Ints) -> float:
        return float((sizes.astype(np.float64) ** 2).sum()) / self._n**2

    def bound(self, levels: Levels) -> float:
        return min(1.0, self._price * (1 if self._starred else self._n)) / self._n

    def bound_above(self, classes: NodeClasses) -> float:
        sizes = classes.counts.sizes.astype(np.float64)
        return (
            float((sizes * np.minimum(sizes, self._price * (sizes if self._starred else self._n))).sum()) / self._n**2
        )


class ClassSize(NodeLoss):
    """Records for each released class; one that is left out counts `price` times.

    Going up, classes are fewer, those that are kept no more than all of them. `starred`: those left out are one class
    more, which is no more than they were.
    """

    def __init__(self, records: int, price: float, largest_drop: int, starred: bool) -> None:
        self._n, self._price, self._starred = records, price, starred
        self._least = records - max(1 - price, 0.0) * largest_drop

    def of(self, classes: NodeClasses, kept: Bools) -> float:
        sizes = classes.counts.sizes
        released = int(kept.sum()) + (self._starred and not kept.all())
        return float(sizes[kept].sum() + self._price * sizes[~kept].sum()) / max(released, 1)

    def of_release(self, parts: Sequence[Part], sizes: Ints) -> float:
        return self._n / len(sizes)

    def bound(self, levels: Levels) -> float:
        return self._least / self._n

    def bound_above(self, classes: NodeClasses) -> float:
        return self._least / max(len(classes.counts.sizes), 1)


_OF_COLUMNS: Mapping[str, tuple[Tables, _Join]] = {
    "ncp": (_values_hidden, _MEAN),
    "geometric": (_values_hidden, _GEOMETRIC_MEAN),
    "entropy": (_share_of_bits, _MEAN),
    "non-uniform-entropy": (_bits_lost, _MEAN),
    "precision": (_steps_climbed, _MEAN),
    "height": (_steps_climbed, _MEAN),
}


def make_loss(
    kind: LossKind,
    rows: LatticeRows,
    weights: Sequence[float] | None,
    price: float,
    largest_drop: int,
    starred: bool = False,
) -> NodeLoss:
    """The loss of this name on the columns of these rows; `starred`: those left out stay as one class."""
    ladders, records = rows.ladders, rows.records
    if kind in _OF_COLUMNS:
        tables, join = _OF_COLUMNS[kind]
        chosen = np.ones(len(ladders)) if weights is None else np.array(weights, dtype=np.float64)
        if kind == "height":
            # steps of all ladders count alike, so a long ladder counts more
            chosen = chosen * np.array([max(ladder.top, 1) for ladder in ladders])
        # bits are those of all records and columns together, everything else is a mean
        chosen = chosen * records if kind == "non-uniform-entropy" else chosen / chosen.sum()
        return ColumnLoss(rows, tables, join, chosen, price, largest_drop)
    if weights is not None:
        raise BadInput(f"loss={kind!r} is a loss of classes and knows no columns; leave weights out")
    if kind == "discernibility":
        return Discernibility(records, price, starred)
    return ClassSize(records, price, largest_drop, starred)
