"""Records that rules leave no room: they come back as one of their group was, or nearly, and are averaged or told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.edits import Edit
from microveil.core.words import counted

CameBack = Literal["average", "tell"]

NEAR = 0.02  # of an amount, in every column
_MANY = 0.01  # of the records: more are not the odd giant among small ones, and exact moments would cost protection
_FEW = 5  # records; in a small part of a file one or two giants are more than one in a hundred


class Settled(NamedTuple):
    """New rows, whether covariances are still those of the old ones, and what to tell."""

    values: Floats
    exact: bool
    notes: tuple[str, ...]


def settle_copies(
    new: Floats, old: Floats, labels: Ints, source: Ints, edits: Sequence[Edit], how: CameBack | None
) -> Settled:
    """New rows without those that came back, where they are averaged, and what is told of them.

    Left open (None), groups with such rows are averaged where they are more than a handful and than one in a hundred.
    `source` is below 0 for rows that were turned, and then ~source the row that each was.
    """
    back = _find(new, old, labels, source, sum(edit.equal for edit in edits))
    count = int(np.count_nonzero(back))
    if not count:
        return Settled(new, True, ())
    came = (
        f"{counted(count, 'record')} of {len(new):,} came back as one of {'its' if count == 1 else 'their'} group was"
    )
    why = f"{came}, or within {NEAR:.0%} of it in every column, because the rules leave no room"
    if how == "tell" or (how is None and count <= max(_MANY * len(new), _FEW)):
        return Settled(new, True, (f"{why}: whoever knows some values finds the others; {_REMEDY}",))
    groups = np.unique(labels[back])
    values = _average(new, old, labels, groups)
    averaged = f"{counted(len(groups), 'group')} with such records {'was' if len(groups) == 1 else 'were'} averaged"
    return Settled(values, False, (f"{why}; {averaged}, so that covariances are not exact; a larger k helps",))


_REMEDY = "came_back='average' gives up exact covariances for them, top coding makes giants smaller"


def _find(new: Floats, old: Floats, labels: Ints, source: Ints, equations: int) -> Bools:
    from microveil.kernels.distances.near_copies import find_near_copies

    # a single free column comes near some old value by chance, and tells nothing but itself
    share = NEAR if new.shape[1] - equations > 1 else 0.0
    return find_near_copies(new, old, labels, np.where(source < 0, ~source, source), share)


def _average(new: Floats, old: Floats, labels: Ints, groups: Ints) -> Floats:
    values, sizes = new.copy(), np.bincount(labels)
    rows = np.isin(labels, groups)
    for j in range(new.shape[1]):
        low = old[rows, j].min()  # sums of small numbers beside a large common part keep their digits
        means = low + np.bincount(labels, weights=np.where(rows, old[:, j] - low, 0.0)) / np.maximum(sizes, 1)
        values[rows, j] = means[labels[rows]]
    return values
