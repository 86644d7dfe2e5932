"""What other columns and people of the same household say about suppressed cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from microveil.attack.claims import Claims
from microveil.attack.determined import conclude
from microveil.attack.hidden_cells import HiddenCellsAttack, HiddenColumn, ReleaseView
from microveil.core.arrays import Ints
from microveil.data.table import Table, Values
from microveil.kernels.regression.trees import find_leaves, grow_tree
from microveil.kernels.tables.classes import group_rows
from microveil.synth.cart import tree_predictors

_MIN_LEAF = 5
_COMPLEXITY = 1e-4
_MOST_LEARNED = 20_000  # rows from which a tree is grown
_MOST_PAIRED = 12  # columns up to which every two are looked at together
_MOST_VALUES = 200  # of a column that a tree predicts


@dataclass(frozen=True, kw_only=True)
class SuppressionInference(HiddenCellsAttack, name="suppression-inference"):
    """Advantage over guessing, in per cent, of one who tells suppressed cells from the rest of the release.

    Use it after local suppression: rows that show a value teach what goes with it. Where one other column, two of them
    or the household determine the value in all rows that show it, the claim is sure; elsewhere a tree of the other
    columns says what is likeliest. Gaps that the original had are not asked for, though the intruder cannot tell them
    apart. The advantage is what is right beyond guessing the commonest value, as per cent of what guessing leaves.
    """

    gaps: ClassVar[bool] = True
    coarse: ClassVar[bool] = False
    follows_noise: ClassVar[bool] = False  # noise hides no cell
    title: ClassVar[str] = "Suppressed cells told by others"
    reference: ClassVar[str] = "Hundepool et al. 2012"
    advice: ClassVar[str] = (
        "Other columns or members of the household say what was suppressed. Suppress these along with it "
        "(`linked`, `household_keys`), or recode them."
    )

    def infer(self, view: ReleaseView, column: HiddenColumn) -> Claims | str:
        """Conclusions from what determines the value, then from a tree."""
        others = [name for name in view.released.names if name != column.name]
        if not others and view.household is None:
            return "there is no other column to conclude from"
        return self._concluded(view, column, others).over(self._likeliest(view, column, others))

    def _concluded(self, view: ReleaseView, column: HiddenColumn, others: list[str]) -> Claims:
        """Of all columns that determine the value, what the most reliable one says."""
        found = Claims.none(len(column.asked))
        concluded = [conclude(column.shown, by) for by in _grounds(view, others)]
        for one in sorted(concluded, key=lambda one: (-one.reliable, -one.tried)):
            if one.sure:
                value = one.value[column.asked]
                found = found.over(Claims(value, value >= 0))
        return found

    def _likeliest(self, view: ReleaseView, column: HiddenColumn, others: list[str]) -> Claims:
        classes = int(column.shown.max(initial=-1)) + 1
        seen = np.flatnonzero(column.shown >= 0)[:_MOST_LEARNED]
        if not 1 < classes <= _MOST_VALUES or len(seen) < 2 * _MIN_LEAF:
            return Claims.none(len(column.asked))
        X = view.released.only(others)
        if view.household is not None:
            mates = Values("nominal", _of_mates(column.shown, view.household.data), tuple(range(classes)))
            X = Table({**X.columns, "of the household": mates}, X.rows)
        y = column.shown[seen].astype(np.float64)
        tree, leaves = grow_tree(tree_predictors(X.take(seen)), y, classes, _MIN_LEAF, _COMPLEXITY)
        votes = np.zeros((len(tree.feature), classes))
        np.add.at(votes, (leaves, column.shown[seen]), 1.0)
        asked = find_leaves(tree, tree_predictors(X.take(column.asked)))
        return Claims(votes.argmax(axis=1)[asked], np.zeros(len(asked), dtype=np.bool_))


def _grounds(view: ReleaseView, others: list[str]) -> Iterator[Ints]:
    """Codes of everything that may determine a value: the household, single columns, and two of them together."""
    if view.household is not None:
        yield np.asarray(view.household.data, dtype=np.int64)
    codes = view.released.codes(others)
    for j in range(len(others)):
        yield codes[:, j]
    if len(others) <= _MOST_PAIRED:
        for pair in combinations(range(len(others)), 2):
            both = codes[:, pair]
            yield np.where((both < 0).any(axis=1), -1, group_rows(both)[0])


def _of_mates(shown: Ints, household: Ints) -> Ints:
    """The value of another member of each one's household, -1 where no other shows any."""
    out = np.full(len(shown), -1, dtype=np.int64)
    seen = np.flatnonzero((shown >= 0) & (household >= 0))
    members = seen[np.argsort(household[seen], kind="stable")]
    homes, first, sizes = np.unique(household[members], return_index=True, return_counts=True)
    if not len(homes):
        return out
    start, size = np.repeat(first, sizes), np.repeat(sizes, sizes)
    after = start + (np.arange(len(members)) - start + 1) % size
    out[members] = np.where(size > 1, shown[members[after]], -1)
    hidden = np.flatnonzero((shown < 0) & (household >= 0))
    place = np.minimum(np.searchsorted(homes, household[hidden]), len(homes) - 1)
    out[hidden] = np.where(homes[place] == household[hidden], shown[members[first[place]]], -1)
    return out
