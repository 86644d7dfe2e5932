"""Finer values than those released: ranges that span exactly what a class holds tell what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.claims import Claims, cells_by_label
from microveil.attack.hidden_cells import HiddenCellsAttack, HiddenColumn, ReleaseView
from microveil.attack.masked import UNKNOWN
from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import group_rows
from microveil.mask.k_anonymise import KAnonymise
from microveil.measure import PublicStep


@dataclass(frozen=True, kw_only=True)
class Downcoding(HiddenCellsAttack, name="downcoding"):
    """Advantage over guessing, in per cent, of one who puts true finer values in place of released ranges.

    Use it where classes are released by what they span: a range ends at values of its records and a set holds theirs
    alone, so that somebody in the class has each end of its range, and each value of its set. So many cells of a class
    can be given their exact value, though not whose it is: a predicate such as "of this class and of just this age"
    singles out one of k records. The advantage is over naming the commonest values of the range. Ranges from a codebook
    (`GlobalRecode` with stated cuts, `Lattice`) end where no record need be.
    """

    gaps: ClassVar[bool] = False
    follows_noise: ClassVar[bool] = False  # it does not apply to noise
    title: ClassVar[str] = "Finer values from what a class spans"
    reference: ClassVar[str] = "Cohen 2022"
    advice: ClassVar[str] = (
        "Ranges end at values of somebody, and sets hold nothing but values of the class. Release ranges of a "
        "codebook (a hierarchy, or fixed cuts) rather than what a class spans."
    )

    def infer(self, view: ReleaseView, column: HiddenColumn) -> Claims | str:
        """One cell for each end of the range of its class, or for each value of its set."""
        if view.plan is None:
            return f"{UNKNOWN}; give the release itself"
        steps = view.plan.steps_on(column.name)
        if len(steps) != 1 or not isinstance(steps[0].method, KAnonymise) or steps[0].method.release != "range":
            return f"{column.name} does not show what its classes span"
        reason = _why_not(view, steps[0])
        if reason:
            return reason
        kind = dict(zip(steps[0].columns, steps[0].kinds, strict=True))[column.name]
        names = list(dict.fromkeys((*steps[0].columns, *steps[0].by)))
        labels = group_rows(view.released.codes(names))[0]
        return _claims(column, labels[column.asked], whole_set=kind == "nominal")


def _why_not(view: ReleaseView, step: PublicStep) -> str:
    """Why classes are not whole in the release; empty if they are."""
    if step.records != view.released.rows:
        return "records were left out afterwards, and with them perhaps those at the ends of ranges"
    absent = [name for name in (*step.columns, *step.by) if name not in view.released.names]
    return f"the classes cannot be told apart without {', '.join(map(str, absent))}" if absent else ""


def _claims(column: HiddenColumn, labels: Ints, whole_set: bool) -> Claims:
    """The values that somebody in each class must have, each given to one of its cells."""
    assert column.holds is not None
    value = np.full(len(labels), -1, dtype=np.int64)
    classes = column.shown[column.asked]
    for cells in cells_by_label(labels):
        held = column.holds.of(int(classes[cells[0]]))
        named = (held if whole_set else held[[0, -1]])[: len(cells)]
        value[cells[: len(named)]] = named
    return Claims(value, value >= 0, labels)
