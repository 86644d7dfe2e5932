"""What survey weights say about cells that were suppressed or recoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.claims import Claims, cells_by_label
from microveil.attack.determined import conclude, conclude_between
from microveil.attack.hidden_cells import HiddenCellsAttack, HiddenColumn, ReleaseView
from microveil.core.arrays import Floats
from microveil.data.table import Table, Values


@dataclass(frozen=True, kw_only=True)
class WeightInference(HiddenCellsAttack, name="weight-inference"):
    """Advantage over guessing, in per cent, of one who tells hidden cells from the weights that are released.

    Use it where a survey weight is released: designs give all records of a region or stratum the same weight, and this
    undoes suppressing or recoding it. A value follows from the rows with the same weight that show theirs, from those
    with the next weights where calibrated weights of a value lie beside each other, or from the weight of each value,
    where the original has one for each: such designs are published. The claim is sure where only one value remains.
    Rounding weights, or averaging them over what was joined, ends it.
    """

    follows_noise: ClassVar[bool] = False  # noise hides no cell
    title: ClassVar[str] = "Hidden cells told by weights"
    reference: ClassVar[str] = "Willenborg & de Waal 2001"
    advice: ClassVar[str] = (
        "Weights say what was suppressed or recoded, because each value has weights of its own. Make weights "
        "coarser, or protect the weight along with the keys."
    )

    def infer(self, view: ReleaseView, column: HiddenColumn) -> Claims | str:
        """What follows from the weight alone."""
        if view.weight is None:
            return "no column with the role weight is released"
        designed = Claims.none(len(column.asked))
        if column.design is not None:
            designed = _by_design(column, column.design, view.weight.numbers)
        elif column.holds is not None:
            return f"values of {column.name} have several weights each, so that no design says which weight is whose"
        if column.holds is not None:
            return designed
        return _by_others(view.weight, column).over(_by_neighbours(view.weight, column)).over(designed)


def _by_others(weight: Values, column: HiddenColumn) -> Claims:
    """The value that all rows with the same weight show."""
    found = conclude(column.shown, Table({"weight": weight}, len(column.shown)).codes()[:, 0])
    value = found.value[column.asked]
    return Claims(value, (value >= 0) & found.sure)


def _by_neighbours(weight: Values, column: HiddenColumn) -> Claims:
    """The value that all rows with the next weights show: calibrated weights of a region lie beside each other."""
    found = conclude_between(column.shown, weight.numbers)
    value = np.where(found.sure, found.value[column.asked], -1)
    return Claims(value, value >= 0)


def _by_design(column: HiddenColumn, design: Floats, weights: Floats) -> Claims:
    """The one value, of a class or of all, whose weight is the released one."""
    value = np.full(len(column.asked), -1, dtype=np.int64)
    classes, weighed = column.shown[column.asked], weights[column.asked]
    for rows in cells_by_label(classes):
        held = np.arange(len(design)) if column.holds is None else column.holds.of(int(classes[rows[0]]))
        known, place, times = np.unique(design[held], return_index=True, return_counts=True)
        alone = np.where((times == 1) & ~np.isnan(known), held[place], -1)
        where = np.minimum(np.searchsorted(known, weighed[rows]), len(known) - 1)
        value[rows] = np.where(known[where] == weighed[rows], alone[where], -1)
    return Claims(value, value >= 0)
