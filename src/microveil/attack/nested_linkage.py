"""Linkage by keys that were made coarser and amounts together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.guesses import Answer
from microveil.attack.learnt_covariance import learn_covariance
from microveil.attack.linking import whitening
from microveil.attack.nearest import Agreeing, nearest_readings
from microveil.attack.ranges import anything_in_gaps, equal_columns
from microveil.attack.reverse_mapping import share_ranks
from microveil.attack.simulating import recoded_amounts
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Words
from microveil.measure.classes import Classes

_WORD = 64
_DIGITS = 1e-9  # of the largest amount, by which equal ones may differ


@dataclass(frozen=True, kw_only=True)
class NestedLinkage(Attack, name="nested-linkage"):
    """Per cent of records found among those whose classes hold the known keys, by the nearest amounts.

    Use it where keys were generalised or suppressed and amounts were masked apart: classes that hide somebody among k
    records by themselves leave few whose amounts are near as well. A raw key must lie in the released class, a gap
    holds everything; an amount that was rounded, cut off or recoded by a public rule must be what the rule makes of
    the known one. Inside, any record is taken, or the nearest: in amounts, by their learnt covariance, or in ranks.
    """

    for_any_release: ClassVar[bool] = True
    whole_release: ClassVar[bool] = False  # distances are those of the part that is looked at
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Classes of keys with nearest amounts"
    reference: ClassVar[str] = "Domingo-Ferrer & Torra 2001; Samarati 2001"
    advice: ClassVar[str] = (
        "Keys leave few candidates, and amounts tell which of them it is. Group keys and amounts together, so that"
        " k records share both."
    )

    def guess(self, view: View) -> Answer | str:
        """Keep the released records whose classes hold the keys, and take the nearest of them."""
        keys, recoded = coarser_columns(view), recoded_amounts(view)
        if not keys and not recoded:
            return "no column that the intruder knows was made coarser or suppressed"
        agreeing = [agreeing_column(view, name) for name in keys if name not in recoded]
        agreeing += [_as_recoded(view, name, became) for name, became in recoded.items()]
        others = [name for name in view.known.names if name not in keys and name not in recoded]
        amounts = [name for name in others if _is_masked_amount(view, name)]
        x, y = view.known.matrix(amounts), view.released.matrix(amounts)
        anyone = nearest_readings(view, x[:, :0], y[:, :0], agreeing=agreeing)
        among = {"any that holds the keys": anyone.readings["nearest"]}
        if not amounts:
            return replace(anyone, readings=among)
        scaled = _standardised(x, y)
        points = {"amounts": scaled, "ranks of amounts": share_ranks(x, y)}
        if not np.isnan(x).any() and not np.isnan(y).any():
            W = whitening(learn_covariance(*scaled))
            points["learnt covariance"] = scaled[0] @ W, scaled[1] @ W
        found = {how: nearest_readings(view, *both, gaps_stay=False, agreeing=agreeing) for how, both in points.items()}
        readings = {f"{how}, {way}": each for how, one in found.items() for way, each in one.readings.items()}
        return replace(found["amounts"], readings={**readings, **among})


def coarser_columns(view: View) -> tuple[str, ...]:
    """The known columns whose released values are true ones, made coarser or left out.

    Where nobody knows the method these are the columns that show classes.
    """
    if view.plan is None:
        return tuple(view.classes)
    plan, known = view.plan, view.known.names
    true = [name for name in known if name in plan.changed and all(s.method.coarsens for s in plan.steps_on(name))]
    return tuple(name for name in true if name in view.classes or view.released[name].missing.any())


def _is_masked_amount(view: View, name: str) -> bool:
    """Whether a column has amounts that came near the true ones at most; what nobody changed must agree anyway."""
    numbers = view.known[name].levels is None and view.released[name].levels is None
    return numbers and name not in view.untouched and not view.released[name].missing.all()


def agreeing_column(view: View, name: str) -> Agreeing:
    """A column made coarser: the class, or the equal value, or a gap, must hold the known value."""
    if name in view.classes:
        return _in_classes(view.classes[name])
    known, (low, high, at) = equal_columns(view, [name])[0]
    return Agreeing(known[:2], anything_in_gaps(view.released[name].numbers, low, high, at)[:2])


def _as_recoded(view: View, name: str, became: Floats) -> Agreeing:
    """An amount that a public rule changed: a released one is what it makes of the known one, up to written digits."""
    shown = view.released[name].numbers
    digits = _DIGITS * max(float(np.nanmax(np.abs(became), initial=0.0)), 1e-300)
    known = anything_in_gaps(became, became - digits, became + digits, became)
    return Agreeing(known[:2], anything_in_gaps(shown, shown, shown, shown)[:2])


def _in_classes(classes: Classes) -> Agreeing:
    """Numbers of original values as points, released classes as ranges of these or as sets; gaps hold everything."""
    code, level = classes.code, classes.released
    if classes.holds is not None and len(classes.holds):
        held = np.vstack([classes.holds, np.ones((1, classes.values), dtype=np.bool_)])
        one = np.vstack([np.eye(classes.values, dtype=np.bool_), np.ones((1, classes.values), dtype=np.bool_)])
        flat = (np.zeros(len(code)), np.zeros(len(code))), (np.zeros(len(level)), np.zeros(len(level)))
        return Agreeing(*flat, sets=(_bits(one)[code], _bits(held)[level]))
    x, y = (np.where(codes < 0, np.nan, codes.astype(np.float64)) for codes in (code, level))
    low, high = (np.append(ends, 0).astype(np.float64)[level] for ends in (classes.low, classes.high))
    return Agreeing(anything_in_gaps(x, x, x, x)[:2], anything_in_gaps(y, low, high, low)[:2])


def _bits(members: Bools) -> Words:
    """Rows of truth values as words, a bit for each."""
    padded = np.zeros((len(members), -(-members.shape[1] // _WORD) * _WORD), dtype=np.bool_)
    padded[:, : members.shape[1]] = members
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _standardised(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both files by the centre and spread of the release."""
    centre, spread = np.nanmean(y, axis=0), np.nanstd(y, axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (x - centre) / spread, (y - centre) / spread
