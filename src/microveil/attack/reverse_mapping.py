"""Reverse mapping: released values are given back the original's distribution, and records are compared by ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.beside import Permuted
from microveil.attack.guesses import Answer, Guesses
from microveil.attack.intersecting import MOST_LISTED
from microveil.attack.nearest import nearest_readings
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.kernels.linkage.largest import nearest_by_largest
from microveil.measure.keys import common_codes

_DISAGREES = 10.0  # ranks are shares of all records
_ROUNDING = 1e-12
_UNIT = np.sqrt(6.0)


@dataclass(frozen=True, kw_only=True)
class ReverseMapping(Attack, name="reverse-mapping"):
    """Per cent of records found by their ranks, whatever the method did to the values.

    Use it for any release of amounts. An intruder who knows all originals puts the i-th smallest original value in
    place of the i-th smallest released one: what is left of the masking is a permutation in each column, so that the
    ranks are all that is to be compared. Records are linked by the nearest ranks, one to one, or by the least
    largest change of rank; that of true pairs, the permutation distance, stands beside in per cent of the records.
    """

    for_any_release: ClassVar[bool] = True
    whole_release: ClassVar[bool] = False  # ranks and distances are those of the part that is looked at
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Linkage after reverse mapping"
    reference: ClassVar[str] = "Domingo-Ferrer & Muralidhar 2016"
    advice: ClassVar[str] = (
        "Records are found by the ranks of their values, whatever these became. Protect columns together "
        "in groups of records, rather than each by itself."
    )

    def guess(self, view: View) -> Answer | str:
        """Compare ranks of known values with those of released ones."""
        names = [name for name in view.known.names if _has_amounts(view, name)]
        if not names:
            return "the intruder knows no amount that was released as one"
        x, y = (_ranks(table.matrix(names)) for table in (view.known, view.released))
        answer = nearest_readings(view, _UNIT * x, _UNIT * y, gaps_stay=False)
        readings = {f"ranks, {way}": guesses for way, guesses in answer.readings.items()}
        readings["least change of ranks"] = _by_largest_change(view, x, y)
        return replace(answer, readings=readings, beside=(Permuted(x, y),))


def share_ranks(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Ranks of known and of released values, in units in which those of unrelated records differ by about 1."""
    return _UNIT * _ranks(x), _UNIT * _ranks(y)


def _has_amounts(view: View, name: str) -> bool:
    before, after = view.known[name], view.released[name]
    return before.levels is None and after.levels is None and not (before.missing.all() or after.missing.all())


def _ranks(values: Floats) -> Floats:
    """Ranks in each column as shares of those observed; equal values share theirs, and gaps have none."""
    out = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        ordered = np.sort(column[~np.isnan(column)])
        below, up_to = (np.searchsorted(ordered, column, side) for side in ("left", "right"))
        out[:, j] = np.where(np.isnan(column), np.nan, (below + up_to) / (2 * max(len(ordered), 1)))
    return out


def _by_largest_change(view: View, x: Floats, y: Floats) -> Guesses:
    """Those whose ranks changed least in the column in which they changed most; untouched columns must agree."""
    known, released = common_codes(view.known.only(view.untouched), view.released.only(view.untouched))
    codes = np.where(known < 0, np.nan, _DISAGREES * known)
    asked, shown = np.hstack([codes, x]), np.hstack([_DISAGREES * released, y])
    met = nearest_by_largest(asked, shown, MOST_LISTED, _ROUNDING)
    return Guesses.of_sets(met.start, met.candidate, met.sizes)
