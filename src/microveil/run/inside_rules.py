"""Amounts of some records in whole units: sums of groups stay, totals add up, and rules hold that held before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.edits import Edit
from microveil.data.units import round_to
from microveil.kernels.moments.rounding import round_keeping_sums

_NEAR = 1e-6  # of a unit
_REACH = (1, 2, 3)  # units by which a value may end from what it was: no further than is needed
_ROUNDS = 20  # of moves of a record that breaks a rule
_AT_A_TIME = 1 << 22  # numbers held while moves are compared


@dataclass
class RoundedInside:
    """The columns before they were rounded, the units of those that are, and the rules.

    `within` holds the groups of the rows whose sums stay, from small to large ones that contain them; without any,
    equal rows are rounded alike and sums move. `apart` are rules by which no row may be moved.
    """

    exact: Mapping[str, Floats]
    units: Mapping[str, int]
    rules: Sequence[Edit]
    within: Sequence[Ints] = ()
    apart: Sequence[Edit] = ()
    now: dict[str, Floats] = field(default_factory=dict)
    follows: dict[str, Edit] = field(default_factory=dict)
    sums_moved: int = 0

    def run(self) -> None:
        """Round, add totals up, mend what rounding broke, and give back to sums what that took."""
        # a rule that the method broke is not mended here: that would be another method, unasked
        self.rules = [edit for edit in self.rules if self._held_before(edit)]
        rules = [edit for edit in self.rules if edit not in self.apart]
        self.follows = following_columns(rules, self.units)
        self.now = {name: x.copy() for name, x in self.exact.items()}
        for name, unit in self.units.items():
            self.now[name] = self._rounded(name, unit)
        self._add_up()
        for follows, rows in self._which_follow():
            moves = _Moves.of(rules, self.units, follows)
            self._mend(moves, rows)
            for labels in self.within:
                self._give_back(moves, rows, labels)
        if self.within:
            owed = [self._owed(name, self.within[0]) for name in self.units]
            self.sums_moved = sum(int(np.count_nonzero(sums)) for sums in owed)

    def _which_follow(self) -> Iterator[tuple[dict[str, Edit], Ints]]:
        """The columns that follow from others, and the rows in which they do: a gap in one leaves the others free.

        Rows without gaps come last: what others owe to the sums, they give back.
        """
        names, rows = list(self.follows), len(next(iter(self.exact.values())))
        if not names:
            yield {}, np.arange(rows)
            return
        can = np.ones((rows, len(names)), dtype=np.bool_)
        for f, name in enumerate(names):
            for other in self.follows[name].columns:
                can[:, f] &= ~np.isnan(self.exact[other])
        kinds, of_row = np.unique(can, axis=0, return_inverse=True)
        for number, kind in enumerate(kinds):
            follows = {name: self.follows[name] for name, does in zip(names, kind, strict=True) if does}
            yield follows, np.flatnonzero(of_row.reshape(-1) == number)

    def _held_before(self, edit: Edit) -> bool:
        """Whether a rule held in all records until they were rounded, as near as matters for their units."""
        slack = edit.slack(self.exact)
        off = np.abs(slack) if edit.equal else -slack
        near = _NEAR * min((10.0 ** self.units[name] for name in edit.columns if name in self.units), default=0.0)
        return not bool((off > np.maximum(near, edit.held(self.exact))).any())

    def _rounded(self, name: str, unit: int) -> Floats:
        values = self.exact[name]
        if self.within and name not in self.follows:
            values = round_keeping_sums(values, 10.0**unit, self.within[0])
        return round_to(values, unit)

    def _add_up(self, rows: Ints | None = None) -> None:
        """The columns that follow from others, anew; one may follow from another that follows, and a gap stays one."""
        chosen = slice(None) if rows is None else rows
        for _ in range(len(self.follows)):
            for name, edit in self.follows.items():
                total = round_to(solve_for(name, edit, self.now, chosen), self.units[name])
                gaps = np.isnan(total) | np.isnan(self.exact[name][chosen])
                self.now[name][chosen] = np.where(gaps, self.now[name][chosen], total)

    # -- records that break a rule ---------------------------------------------------------------

    def _mend(self, moves: _Moves, among: Ints) -> None:
        """Values of records that break a rule move by a unit, one or two at a time, until none is broken."""
        if not moves.columns:
            return
        for reach in _REACH:
            for _ in range(_ROUNDS):
                broken = among[(self._slacks(moves.rules, among) < 0).any(axis=1)]
                if not len(broken):
                    return
                if not sum(self._improve(rows, moves, reach) for rows in moves.runs(broken)):
                    break

    def _improve(self, rows: Ints, moves: _Moves, reach: int) -> int:
        """The move of each row that leaves the least broken, and of these the shortest; how many were of use."""
        slack = self._slacks(moves.rules, rows)
        after = slack[:, None, :] + moves.added[None]
        broken = np.maximum(-after, 0.0).sum(axis=2)
        off = np.column_stack([self._off(name, rows) for name in moves.columns])[:, None, :] + moves.steps[None]
        too_far = ((np.abs(off) >= reach * (1 + _NEAR)) & (moves.steps != 0)[None]).any(axis=2)
        broken[too_far] = np.inf
        best = np.lexsort(((off**2).sum(axis=2), broken), axis=1)[:, 0]
        better = broken[np.arange(len(rows)), best] < np.maximum(-slack, 0.0).sum(axis=1) - _NEAR
        for c, name in enumerate(moves.columns):
            self._step(name, rows[better], moves.steps[best[better], c])
        self._add_up(rows[better])
        return int(np.count_nonzero(better))

    def _slacks(self, rules: Sequence[Edit], rows: Ints) -> Floats:
        """How far rows are inside rules: below 0 if they break one, infinite where a value is missing."""
        part = {name: values[rows] for name, values in self.now.items()}
        inside = [np.where(edit.broken(part), edit.slack(part), np.maximum(edit.slack(part), 0.0)) for edit in rules]
        found = np.array(inside).reshape(len(rules), len(rows)).T
        return np.where(np.isnan(found), np.inf, found)

    def _off(self, name: str, rows: Ints) -> Floats:
        """How many units values are from what they were."""
        return (self.now[name][rows] - self.exact[name][rows]) / 10.0 ** self.units[name]

    def _step(self, name: str, rows: Ints, steps: Floats) -> None:
        unit = self.units[name]
        self.now[name][rows] = round_to(self.now[name][rows] + steps * 10.0**unit, unit)

    # -- sums ------------------------------------------------------------------------------------

    def _give_back(self, moves: _Moves, among: Ints, labels: Ints) -> None:
        """Other records of a group move the other way, where all rules allow it, so that its sums stay."""
        for reach in _REACH:
            for name, effects in moves.effects.items():
                for _ in range(reach):
                    self._return_steps(name, effects, moves.rules, among, labels, reach)

    def _owed(self, name: str, labels: Ints) -> Floats:
        """By how many units the sum of each group has moved."""
        moved = np.nan_to_num((self.now[name] - self.exact[name]) / 10.0 ** self.units[name])
        return np.rint(np.bincount(labels, weights=moved))

    def _return_steps(
        self, name: str, effects: Floats, rules: Sequence[Edit], among: Ints, labels: Ints, reach: int
    ) -> None:
        owed = self._owed(name, labels)
        rows = among[owed[labels[among]] != 0]
        steps = -np.sign(owed[labels[rows]])
        off = self._off(name, rows) + steps
        free = np.abs(off) < reach * (1 + _NEAR)
        free &= (self._slacks(rules, rows) + steps[:, None] * effects >= -_NEAR * np.abs(effects)).all(axis=1)
        rows, steps, off = rows[free], steps[free], off[free]
        chosen = _first_of_groups(labels[rows], np.abs(off), np.abs(owed).astype(np.int64))
        self._step(name, rows[chosen], steps[chosen])
        self._add_up(rows[chosen])


@dataclass(frozen=True)
class _Moves:
    """What a unit more of each column adds to the slack of every rule; and steps of one or two columns by a unit."""

    rules: Sequence[Edit]
    effects: Mapping[str, Floats]
    columns: tuple[str, ...]
    steps: Floats
    added: Floats  # by each of the steps

    @classmethod
    def of(cls, rules: Sequence[Edit], units: Mapping[str, int], follows: Mapping[str, Edit]) -> _Moves:
        """Steps of the columns that follow from no others and change the slack of a rule."""
        unequal = [edit for edit in rules if not edit.equal]
        effects = {name: _effects_of(name, unequal, units, follows) for name in units if name not in follows}
        columns = tuple(name for name in effects if effects[name].any())
        width, signs = len(columns), (1.0, -1.0)
        kinds = [_step_of(width, {c: sign}) for c in range(width) for sign in signs]
        for first, second in combinations(range(width), 2):
            kinds += [_step_of(width, {first: one, second: other}) for one in signs for other in signs]
        steps = np.array(kinds).reshape(len(kinds), width)
        by_column = np.array([effects[name] for name in columns]).reshape(width, len(unequal))
        return cls(unequal, effects, columns, steps, steps @ by_column)

    def runs(self, rows: Ints) -> Iterator[Ints]:
        """Some rows at a time."""
        size = max(1, _AT_A_TIME // max(1, self.added.size + self.steps.size))
        for first in range(0, len(rows), size):
            yield rows[first : first + size]


def _step_of(columns: int, signs: Mapping[int, float]) -> Floats:
    step = np.zeros(columns)
    for column, sign in signs.items():
        step[column] = sign
    return step


def _effects_of(name: str, rules: Sequence[Edit], units: Mapping[str, int], follows: Mapping[str, Edit]) -> Floats:
    """What a unit more of a column, and what follows from it, adds to the slack of each rule."""
    added = {name: 10.0 ** units[name]}
    for _ in range(len(follows)):
        for total, edit in follows.items():
            own = edit.number(total)
            others = zip(edit.columns, edit.coefficients, strict=True)
            added[total] = -sum(number * added.get(other, 0.0) for other, number in others if other != total) / own
    return np.array(
        [
            sum(number * added.get(other, 0.0) for other, number in zip(edit.columns, edit.coefficients, strict=True))
            for edit in rules
        ]
    )


def _first_of_groups(labels: Ints, cost: Floats, wanted: Ints) -> Bools:
    """As many of each group as it wants, those of the least cost."""
    order = np.lexsort((cost, labels))
    ordered = labels[order]
    places = np.arange(len(labels)) - np.searchsorted(ordered, ordered)
    chosen = np.zeros(len(labels), dtype=np.bool_)
    chosen[order] = places < wanted[ordered]
    return chosen


def following_columns(rules: Sequence[Edit], units: Mapping[str, int]) -> dict[str, Edit]:
    """The columns that follow from others by a rule with =: its total if that was computed, else one of its parts.

    Only columns with a unit may follow; a column that follows from another may come before it.
    """
    found: dict[str, Edit] = {}
    for edit in (edit for edit in rules if edit.equal):
        total = total_of(edit)
        candidates = (total, *(name for name in edit.columns if name != total))
        fit = [name for name in candidates if name not in found and _can_follow(name, edit, units, found)]
        whole = [name for name in fit if _is_whole_sum(name, edit)]
        if fit:
            found[(whole or fit)[0]] = edit
    return found


def solve_for(name: str, edit: Edit, columns: Mapping[str, Floats], rows: Ints | slice) -> Floats:
    """What a column must be in some rows for a rule with = to hold; NaN where another column has a gap."""
    own = edit.number(name)
    rest = np.full(len(columns[name][rows]), edit.constant)
    for other, number in zip(edit.columns, edit.coefficients, strict=True):
        if other != name:
            rest += number * columns[other][rows]
    return np.asarray(-rest / own)


def _can_follow(name: str, edit: Edit, units: Mapping[str, int], found: Mapping[str, Edit]) -> bool:
    """Whether a computed column is in no coarser digits than the others, and none of these follows from it."""
    if name not in units or any(units[other] < units[name] for other in edit.columns if other in units):
        return False
    asked, seen = [other for other in edit.columns if other != name], set[str]()
    while asked:
        other = asked.pop()
        if other == name:
            return False
        if other in found and other not in seen:
            seen.add(other)
            asked += [part for part in found[other].columns if part != other]
    return True


def _is_whole_sum(name: str, edit: Edit) -> bool:
    """Whether the column is a sum of whole multiples of the others."""
    own = edit.number(name)
    return all(number / own == round(number / own) for number in edit.coefficients)


def total_of(edit: Edit) -> str:
    """The column of a rule with = that stands alone on its side; of two such the first."""
    positive = [name for name, number in zip(edit.columns, edit.coefficients, strict=True) if number > 0]
    negative = [name for name in edit.columns if name not in positive]
    return positive[0] if len(positive) == 1 or not negative else negative[0]
