"""Records that rules leave no room: they come back as one of their group was, or nearly, and are averaged or told."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
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
    new: Floats, old: Floats, labels: Ints, source: Ints, equations: Floats, how: CameBack | None
) -> Settled:
    """New rows without those that came back, where they are averaged, and what is told of them.

    Left open (None), groups with such rows are averaged where they are more than a handful and than one in a hundred,
    beyond those that chance brings near; a file that is one group never is. `source` is below 0 for rows that were
    turned, and then ~source the row that each was; `equations` hold the coefficients of the rules with =.
    """
    from microveil.kernels.distances.near_copies import find_near_copies

    back = find_near_copies(new, old, labels, np.where(source < 0, ~source, source), NEAR, equations)
    if not (back.count if how == "average" else back.beyond_chance):
        return Settled(new, True, ())
    chance = f" ({back.by_chance:.0f} would by chance)" if back.by_chance >= 0.5 else ""
    its = "its" if back.count == 1 else "their"
    came = f"{counted(back.count, 'record')} of {len(new):,} came back as one of {its} group was"
    why = f"{came}, or within {100 * NEAR:.0f} % of it in every column{chance}, because the rules leave no room"
    few = back.count - back.by_chance <= max(_MANY * len(new), _FEW) or labels.max() == 0
    if how == "tell" or (how is None and few):
        return Settled(new, True, (f"{why}: whoever knows some values finds the others; {_REMEDY}",))
    groups = np.unique(labels[back.rows])
    values = _average(new, old, labels, groups)
    averaged = f"{counted(len(groups), 'group')} with such records {'was' if len(groups) == 1 else 'were'} averaged"
    return Settled(values, False, (f"{why}; {averaged}, so that covariances are not exact; a larger k helps",))


_REMEDY = "came_back='average' gives up exact covariances for them, top coding makes giants smaller"


def _average(new: Floats, old: Floats, labels: Ints, groups: Ints) -> Floats:
    values, sizes = new.copy(), np.bincount(labels)
    rows = np.isin(labels, groups)
    for j in range(new.shape[1]):
        low = old[rows, j].min()  # sums of small numbers beside a large common part keep their digits
        means = low + np.bincount(labels, weights=np.where(rows, old[:, j] - low, 0.0)) / np.maximum(sizes, 1)
        values[rows, j] = means[labels[rows]]
    return values
