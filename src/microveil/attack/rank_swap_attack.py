"""Intersection attack on rank swapping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.guesses import Answer
from microveil.attack.intersecting import intersect
from microveil.attack.masked import find_masked
from microveil.attack.ranges import Sides, anything_in_gaps, equal_columns, in_domains, nothing_in_gaps
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.core.parameters import Range
from microveil.mask.rank_swap import RankSwap, swap_width
from microveil.run.contract import MethodContract


@dataclass(frozen=True, kw_only=True)
class RankSwapAttack(Attack, name="rank-swap-attack"):
    """Per cent of records found by one who knows that values moved by at most p per cent of the ranks.

    Use it for rank swapping: columns keep their values, so that the rank of a known value is known, and the released
    record must lie within the width in every column. Where one record is left in all of them the link is certain; the
    true record is never excluded. Of several candidates any, the nearest in ranks, or (in files of up to some
    thousand records) those of a one-to-one matching are taken, and the best of the three counts.
    """

    p: Annotated[
        float | None, Range(ge=0, le=100), "widest exchange in per cent of the records; None: as the release says"
    ] = None

    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Intersection of swapped ranks"
    reference: ClassVar[str] = "Nin, Herranz & Torra 2008"
    advice: ClassVar[str] = (
        "Who knows p excludes all records that stand too far away in any column, and few are left. A larger p leaves "
        "more of them, as do fewer released columns; groups of k over all columns together (microaggregation, "
        "micro-hybrid) bound what is found by 1/k."
    )

    def guess(self, view: View) -> Answer | str:
        """Intersect the ranks in which the record of each one sought may stand."""
        stated = None if self.p is None else RankSwap(p=self.p)
        swapped = find_masked(view, self.name, stated, f"{type(self).__name__}(p=10)", after_settled=True)
        if isinstance(swapped, str):
            return swapped
        columns = equal_columns(view, view.untouched)
        for masked in swapped:
            assert isinstance(masked.method, RankSwap)
            within = partial(rank_ranges, p=masked.method.p)
            columns += [in_domains(view, name, masked.by, within, masked.before.get(name)) for name in masked.columns]
        return intersect(columns)

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """Twice the width."""
        if not isinstance(method, RankSwap) or not 0 < method.p < 100:
            return None
        return replace(method, p=min(2 * method.p, 100))


def rank_ranges(known: Floats, released: Floats, p: float) -> Sides:
    """The ranks, counted from 0, at which a known value may stand after swapping, and those of the released values.

    Equal values stand at any of their common ranks.
    """
    values = np.sort(released[~np.isnan(released)])
    width = swap_width(len(values), p)
    low, high = ranks_of(values, known)
    own_low, own_high = ranks_of(values, released)
    return (
        anything_in_gaps(known, low - width, high + width, (low + high) / 2),
        nothing_in_gaps(released, own_low, own_high, (own_low + own_high) / 2),
    )


def ranks_of(values: Floats, x: Floats) -> tuple[Floats, Floats]:
    """The first and the last rank of each of some values among all of them, which are sorted."""
    first, behind = (np.asarray(np.searchsorted(values, x, side), np.float64) for side in ("left", "right"))
    return first, behind - 1
