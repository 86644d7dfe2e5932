"""How far a released record is from somebody known: columns that must agree, amounts, and changed categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.attack.nearest import Agreeing
from microveil.attack.nested_linkage import agreeing_column, coarser_columns
from microveil.attack.ranges import equal_columns
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints, Words
from microveil.kernels.linkage.cells import Cells, nominal_steps
from microveil.measure.keys import common_codes

DISAGREES = 1e9  # squared distance: nothing in other columns makes up for it
_EVERYTHING = 1e12  # beyond any code
_COUNTED_LEVELS = 20  # of a changed category, in the bound

Scale = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True)
class MemberCosts:
    """Known and released records side by side, and what it costs to take one for the other.

    `agreeing` are the columns in which a released record must hold the known value; `x` and `y` amounts in units in
    which unrelated records differ by about 1, squared; `u` and `v` codes of categories that were changed, of which
    another one costs as much. A known gap says nothing; a released one costs as much as an unrelated value.
    """

    agreeing: tuple[Agreeing, ...]
    x: Floats
    y: Floats
    u: Ints
    v: Ints

    @classmethod
    def of(cls, view: View, scale: Scale) -> MemberCosts:
        """The columns of a view; `scale` brings amounts of both files to one scale."""
        coarser = coarser_columns(view)
        equal = [Agreeing(known[:2], released[:2]) for known, released in equal_columns(view, view.untouched)]
        changed = [name for name in view.known.names if name not in coarser and name not in view.untouched]
        amounts = [name for name in changed if has_amounts(view, name)]
        others = [name for name in changed if name not in amounts and view.known[name].levels is not None]
        x, y = scale(view.known.matrix(amounts), view.released.matrix(amounts))
        u, v = common_codes(view.known.only(others), view.released.only(others))
        return cls((*equal, *(agreeing_column(view, name) for name in coarser)), x, y, u, v)

    def between(self, known: Ints, released: Ints) -> Floats:
        """The cost of each pair of rows; the two arrays are broadcast."""
        total = np.zeros(np.broadcast_shapes(known.shape, released.shape))
        for one in self.agreeing:
            apart = one.known[0][known] > one.released[1][released]
            apart |= one.released[0][released] > one.known[1][known]
            if one.sets is not None:
                apart |= ~(one.sets[0][known] & one.sets[1][released]).any(axis=-1)
            total += DISAGREES * apart
        for x, y in zip(self.x.T, self.y.T, strict=True):
            apart_by = np.where(np.isnan(x), 0.0, x)[known] - y[released]
            squared = np.where(np.isnan(apart_by), 1.0, apart_by**2)
            total += np.where(np.isnan(x)[known], 0.0, squared)
        for u, v in zip(self.u.T, self.v.T, strict=True):
            total += (u[known] != v[released]) & (u[known] >= 0)
        return total

    # -- a bound ---------------------------------------------------------------------------------

    def bounds(self, known: Ints, released: Ints) -> tuple[Cells, Cells, Floats]:
        """Households as cells whose distance is no larger than the least cost of assigning their members.

        Households are lines of rows. In every column the members of both are compared in order of their values: no
        other assignment costs less there. Of categories the numbers of members are compared.
        """
        sides: tuple[list[Floats], list[Floats]] = ([], [])
        tops: tuple[list[Floats], list[Floats]] = ([], [])
        for one in self.agreeing:
            mine, theirs = (one.known, one.released) if one.sets is None else map(_hull, one.sets)
            _add(sides[0], tops[0], mine, known)
            _add(sides[1], tops[1], theirs, released)
        hard = sum(part.shape[1] for part in sides[0])
        for x, y in zip(self.x.T, self.y.T, strict=True):
            both = np.concatenate([x, y])
            ends = np.nanmin(both, initial=0.0), np.nanmax(both, initial=0.0)
            _add(sides[0], tops[0], _anywhere(x, *ends), known)
            _add(sides[1], tops[1], _anywhere(y, *ends), released)
        for u, v in zip(self.u.T, self.v.T, strict=True):
            if (u >= 0).all() and (v >= 0).all() and max(u.max(initial=0), v.max(initial=0)) < _COUNTED_LEVELS:
                for side, codes, rows in ((0, u, known), (1, v, released)):
                    counts = (codes[rows][:, :, None] == np.arange(_COUNTED_LEVELS)).sum(axis=1)
                    # of s members d that differ in number differ by d of s at most, so that no square is too large
                    sides[side].append(counts / np.sqrt(2.0 * rows.shape[1]))
                    tops[side].append(sides[side][-1])
        asked, shown = (
            _as_cells(low, high, len(rows)) for low, high, rows in zip(sides, tops, (known, released), strict=True)
        )
        return asked, shown, nominal_steps(np.arange(asked.low.shape[1]) < hard) * DISAGREES


def has_amounts(view: View, name: str) -> bool:
    """Whether a column has amounts in both files."""
    before, after = view.known[name], view.released[name]
    return before.levels is None and after.levels is None and not after.missing.all()


def _anywhere(x: Floats, least: float, most: float) -> tuple[Floats, Floats]:
    """Amounts as ranges; a gap may be anything."""
    gaps = np.isnan(x)
    return np.where(gaps, least, x), np.where(gaps, most, x)


def _hull(sets: Words) -> tuple[Floats, Floats]:
    """The first and the last value of each set: sets that have a value in common overlap."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little")
    last = bits.shape[1] - 1 - bits[:, ::-1].argmax(axis=1)
    return bits.argmax(axis=1).astype(np.float64), last.astype(np.float64)


def _add(lows: list[Floats], highs: list[Floats], ends: tuple[Floats, Floats], rows: Ints) -> None:
    """The ends of all members, each in rising order."""
    low, high = (np.sort(np.clip(end, -_EVERYTHING, _EVERYTHING)[rows], axis=1) for end in ends)
    lows.append(low)
    highs.append(high)


def _as_cells(low: Sequence[Floats], high: Sequence[Floats], rows: int) -> Cells:
    lows, highs = (np.column_stack(part) if len(part) else np.zeros((rows, 0)) for part in (low, high))
    nothing = np.zeros((rows, 0), dtype=np.uint64)
    starts = np.zeros(lows.shape[1] + 1, dtype=np.int64)
    return Cells(np.ascontiguousarray(lows), np.ascontiguousarray(highs), nothing, starts, np.zeros(rows), nothing)
