"""What a user should know about the groups of a hybrid file: what stayed, what moved, what is bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from microveil.core.numbers import format_number
from microveil.data.table import Table, Values
from microveil.hybrid.degenerate_groups import constant_columns_of_groups
from microveil.partition.base import Labels

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


class Moments:
    """Sizes, means, standard deviations and largest deviations in each (numbered) group, column by column."""

    def __init__(self, X: Float, labels: Labels, centre: Float) -> None:
        sizes = np.bincount(labels)
        order = np.argsort(labels, kind="stable")
        first = (np.cumsum(sizes) - sizes)[sizes > 0]
        self.sizes = sizes[sizes > 0][:, None]
        shape = (len(first), X.shape[1])
        self.means, self.spreads, self.largest = np.empty(shape), np.empty(shape), np.empty(shape)
        for j in range(X.shape[1]):
            x = X[order, j] - centre[j]
            mean = np.add.reduceat(x, first) / self.sizes[:, 0]
            x -= np.repeat(mean, self.sizes[:, 0])
            self.means[:, j] = mean
            self.spreads[:, j] = np.sqrt(np.add.reduceat(x * x, first) / self.sizes[:, 0])
            self.largest[:, j] = np.maximum.reduceat(np.abs(x), first)


def third_moment_bound(before: Float, after: Float, labels: Labels) -> Float:
    """The most by which the sums of cubed deviations from the mean can differ, column by column.

    For files with equal means and variances in every group: the sum over groups of 2 n B^(3/2), where no squared
    deviation from the group's mean exceeds B in either file. Reference: Domingo-Ferrer & Gonzalez-Nicolas 2010,
    Lemma 2.
    """
    x, y = (Moments(X, labels, before.mean(axis=0)) for X in (before, after))
    return np.asarray(np.sum(2 * x.sizes * np.maximum(x.largest, y.largest) ** 3, axis=0))


def third_moments(before: Float, after: Float, labels: Labels, names: Sequence[str]) -> tuple[str, ...]:
    """The bound as a change of skewness."""
    spread = before.std(axis=0)
    bound = third_moment_bound(before, after, labels)
    told = [
        f"{name} {format_number(bound[j] / (len(before) * spread[j] ** 3), 2)}"
        for j, name in enumerate(names)
        if spread[j] > 0
    ]
    if not told:
        return ()
    said = (
        "the skewness of a column (0 where both tails are alike) changes by no more than this bound, mostly by far less"
    )
    return (f"{said}: {', '.join(told)}",)


def moved_moments(before: Float, after: Float, labels: Labels) -> str:
    """How far jitter moved means and standard deviations, at most, in standard deviations."""
    centre, spread = before.mean(axis=0), before.std(axis=0)
    x, y = (Moments(X, labels, centre) for X in (before, after))
    # in columns that differ inside the group by more than rounding
    means, spreads = (
        float(np.max(np.abs(new - old)[x.spreads > 1e-9 * spread] / x.spreads[x.spreads > 1e-9 * spread], initial=0.0))
        for old, new in ((x.means, y.means), (x.spreads, y.spreads))
    )
    whole = np.abs(after.mean(axis=0) - centre)[spread > 0] / spread[spread > 0]
    return (
        f"jitter moved means of groups by {means:.2g} and their standard deviations by {spreads:.2g} standard "
        f"deviations of the group at most, means of the file by {float(np.max(whole, initial=0.0)):.2g} of its own"
    )


def unchanged(table: Table, columns: Mapping[str, Values], labels: Labels) -> tuple[str, ...]:
    """How many records, groups and columns came back as they were: a group of equal values gives them away."""
    names, sizes = tuple(columns), np.bincount(labels)
    same = unchanged_cells(table, columns)
    constant = constant_columns_of_groups(table.only(names), labels)
    notes = [f"{int(same.all(axis=1).sum()):,} of {table.rows:,} records came back unchanged"]
    whole = int(_given_away(same, constant, labels, [table[name].levels is None for name in names]).sum())
    if whole:
        notes.append(
            f"{whole} of {len(sizes)} groups could not be changed (equal values, or determined by the kept columns): "
            "whoever is known to be in one of them is known with every replaced value"
        )
    told = [f"{name} in {count}" for name, count in zip(names, constant.sum(axis=0).tolist(), strict=True) if count]
    if told:
        notes.append(
            f"all members share one value of {', '.join(told)} of the {len(sizes)} groups; whoever is known to be in "
            "such a group has it revealed"
        )
    still = [name for j, name in enumerate(names) if same[:, j].all()]
    return (*notes, f"no value of {', '.join(still)} changed") if still else tuple(notes)


def _given_away(same: Bool, constant: Bool, labels: Labels, number: Sequence[bool]) -> Bool:
    """Groups in which every column is constant or, for numbers, came back; categories may come back by chance."""
    sizes = np.bincount(labels)
    still = np.column_stack([np.bincount(labels, weights=column) == sizes for column in same.T])
    return np.asarray((constant | (still & np.asarray(number))).all(axis=1))


def unchanged_cells(table: Table, columns: Mapping[str, Values]) -> Bool:
    """Which cells came back as they were; a gap equals a gap."""
    return np.column_stack(
        [(table[name].data == values.data) | (table[name].missing & values.missing) for name, values in columns.items()]
    )
