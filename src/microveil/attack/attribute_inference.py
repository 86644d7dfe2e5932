"""What a release says about a confidential value of somebody whose keys are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.attributes import AttributeAttack
from microveil.core.arrays import Floats, Ints
from microveil.data.table import Table, Values
from microveil.kernels.regression.trees import find_leaves, grow_tree
from microveil.synth.cart import tree_predictors

_MIN_LEAF = 5
_COMPLEXITY = 1e-6
_MOST_LEARNED = 50_000  # released rows from which a tree is grown


@dataclass(frozen=True, kw_only=True)
class AttributeInference(AttributeAttack, name="attribute-inference"):
    """Advantage, in per cent, of one who tells a confidential value from the release and the keys of somebody.

    Use it for synthetic, recoded and masked files; rows need not correspond. Two ways are tried and the better counts:
    the value that most released records with fitting keys show (`same keys`), which finds classes that agree or are
    skewed, and a tree of the confidential column on the keys, grown on the release (`model`). Sure are those whose
    fitting records all show one value. A good file teaches about everybody: with records in `holdout=` that were not
    in the original, only what is said better about its own people counts; without them, what is said better than some
    of the originals tell of the others. `attribute-disclosure` has more figures of the same keys.
    """

    verdict_limit: ClassVar[float] = 20_000  # more take longer than a verdict may
    follows_noise: ClassVar[bool] = False  # a tree may be right by chance
    title: ClassVar[str] = "Confidential values told by keys"
    reference: ClassVar[str] = "Machanavajjhala et al. 2007; Taub & Elliot 2018; Giomi et al. 2023"
    advice: ClassVar[str] = (
        "Records with equal keys agree on confidential values, so that these are told without finding a record. "
        "Ask for different values in classes of equal keys (l-diversity), or for larger classes."
    )

    def predict(self, known: Table, released: Table, target: str) -> Floats | str:
        """Grow a tree on the release, and let those whose keys are known fall into its leaves."""
        y = released[target]
        seen = np.flatnonzero(~y.missing)[:_MOST_LEARNED]
        if not known.names or len(seen) < 2 * _MIN_LEAF:
            return "there is nothing to learn from"
        classes = 0 if y.levels is None else len(y.levels)
        shown = y.take(seen)
        learned = tree_predictors(released.only(known.names).take(seen))
        # of amounts the ranks: the largest must not decide about all cuts
        response = shown.numbers if classes else np.unique(shown.numbers, return_inverse=True)[1].astype(np.float64)
        tree, leaves = grow_tree(learned, response, classes, _MIN_LEAF, _COMPLEXITY)
        return _said(shown, leaves, len(tree.feature))[find_leaves(tree, tree_predictors(known))]


def _said(shown: Values, leaves: Ints, nodes: int) -> Floats:
    """The median of the amounts of each leaf, or its commonest category."""
    out = np.full(nodes, np.nan)
    if shown.levels is not None:
        votes = np.zeros((nodes, len(shown.levels)))
        np.add.at(votes, (leaves, shown.data), 1.0)
        out[:] = votes.argmax(axis=1)
        return out
    order = np.lexsort((shown.numbers, leaves))
    found, first, sizes = np.unique(leaves[order], return_index=True, return_counts=True)
    out[found] = shown.numbers[order[first + (sizes - 1) // 2]]
    return out
