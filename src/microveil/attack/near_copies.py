"""Records that were released nearly as they are, in whatever row they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.guesses import Finding
from microveil.attack.linking import nearest_points
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints, Matrix
from microveil.core.measured import Measured
from microveil.core.numbers import format_number

_NEAR = (0.1, 0.2, 0.4)  # of the distance from the original to its own neighbour; what averages of two give is beyond
_ERRORS = 3.0  # standard errors beyond which it is not chance
_MOST_LOOKED_AT = 3_000  # released records; of more the first, whose order carries nothing
_FEWEST = 20


class _Copies(NamedTuple):
    """The share of released records nearly equal to an original, that of chance among so many, and whose they are."""

    share: float
    chance: float
    shown: Ints
    tried: int


@dataclass(frozen=True, kw_only=True)
class NearCopies(Attack, name="near-copies"):
    """Per cent of released records that are nearly some original one in all known amounts, beyond what chance gives.

    Use it for any release: records that changed places as a whole, or amounts that changed by a hair, leave everybody's
    values in the file, whatever row they stand in. A released record is nearly an original if it is several times
    nearer to it than any other original is; "baseline" is how many of one half of the originals are as near to one of
    the other half.
    """

    paired: ClassVar[bool] = False
    gains: ClassVar[bool] = True
    counts_copies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")
    for_any_release: ClassVar[bool] = True
    overview_sample = None  # it takes some records of larger files by itself
    title: ClassVar[str] = "Records released nearly as they are"
    reference: ClassVar[str] = "Raab, Nowok & Dibben 2024"
    advice: ClassVar[str] = (
        "Records stand in the release nearly as they are in the original, more of them than chance explains: whoever "
        "knows some of their amounts reads the others. Change the amounts of a record together and by more, or move "
        "the columns apart."
    )

    def advantage(self, result: Measured) -> float:
        """Near copies beyond chance."""
        parts = [part.parts for part in result.domains.values()] or [result.parts]
        return max(part["beyond chance"] for part in parts)

    def guess(self, view: View) -> Finding | str:
        """Compare the distance to the nearest original with that from there to the next."""
        names = [name for name in view.known.names if _is_amount(view, name)]
        if len(names) < 2:
            return "fewer than two amounts are known and released"
        X, Y = (side.matrix(names) for side in (view.known, view.released))
        whole, shown = ~np.isnan(X).any(axis=1), ~np.isnan(Y).any(axis=1)
        if min(whole.sum(), shown.sum()) < _FEWEST:
            return f"fewer than {_FEWEST} records have all amounts"
        spread = X[whole].std(axis=0)
        varying = spread > 0
        originals, released = (Z[:, varying] / spread[varying] for Z in (X[whole], Y[shown]))
        found = max((_copies(originals, released[:_MOST_LOOKED_AT], near) for near in _NEAR), key=_beyond_chance)
        exposed = np.zeros(view.known.rows)
        exposed[np.flatnonzero(whole)[found.shown]] = 1.0
        value, baseline = 100.0 * found.share, 100.0 * found.chance
        reading = (
            f"{format_number(value)} % of the released records are much nearer to an original one in all {len(names)} "
            f"amounts than another original is; {format_number(baseline, 2)} % would be by chance."
        )
        parts = {"beyond chance": 100.0 * _beyond_chance(found)}
        return Finding(value, 0.0, 0.0, baseline, exposed, reading, parts)


def _is_amount(view: View, name: str) -> bool:
    return view.known[name].levels is None and view.released[name].levels is None


def _beyond_chance(found: _Copies) -> float:
    error = np.sqrt(max(found.chance * (1 - found.chance), 0.01) / found.tried)
    return max(found.share - found.chance, 0.0) if found.share - found.chance > _ERRORS * error else 0.0


def _copies(originals: Matrix, released: Matrix, near: float) -> _Copies:
    """Near copies among the released records, and in one half of the originals those of the other."""
    half = len(originals) // 2
    found = nearly_equal(released, originals, near)
    by_chance = nearly_equal(originals[:half][:_MOST_LOOKED_AT], originals[half:], near)
    return _Copies(
        float((found >= 0).mean()), float((by_chance >= 0).mean()), np.unique(found[found >= 0]), len(by_chance)
    )


def nearly_equal(points: Matrix, originals: Matrix, near: float) -> Ints:
    """For each point the original that it nearly equals, -1 for none."""
    nearest, apart = (found[:, 0] for found in nearest_points(points, originals, 1))
    chosen, place = np.unique(nearest, return_inverse=True)
    next_to: Floats = nearest_points(originals[chosen], originals, 2)[1][:, 1][place.reshape(-1)]
    return np.where((next_to > 0) & (apart <= near**2 * next_to), nearest, -1)
