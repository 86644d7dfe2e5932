"""Base of attacks on cells that a release hides: suppressed ones, and ones released as classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from microveil.attack.base import Attack, Scored
from microveil.attack.claims import (
    Claims,
    Holds,
    Judged,
    guess_amounts,
    guess_commonest,
    guess_held,
    judge,
    tell_advantage,
)
from microveil.attack.hiding import hide_order
from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.data.table import Table, Values
from microveil.measure import Pair, PublicPlan
from microveil.measure.classes import is_made_coarser
from microveil.measure.codebooks import public_classes
from microveil.measure.keys import common_codes
from microveil.measure.measure import UNKNOWN_LINK
from microveil.measure.sampling import Sample


@dataclass(frozen=True)
class HiddenColumn:
    """A released column some of whose cells are hidden.

    `shown` is the code of each released cell, `asked` the rows whose value is sought. Of suppressed cells the code is
    -1, and claims are codes of the others; of classes, `holds` says which values each class stands for, and claims are
    numbers of values. `design` is the weight of every value, where the whole file has one for each: a sampling design
    is no secret. `possible` is how many amounts, in the unit of the column, the range of each class could stand for.
    """

    name: str
    shown: Ints
    asked: Ints
    values: int
    holds: Holds | None = None
    design: Floats | None = None
    possible: Floats | None = None


@dataclass(frozen=True)
class ReleaseView:
    """What an intruder holds who has the release and nothing else: its columns, and the public part of its plan.

    Rows stand in an order that carries nothing. `weight` and `household` are columns of these roles, if released.
    """

    released: Table
    columns: tuple[HiddenColumn, ...]
    weight: Values | None
    household: Values | None
    plan: PublicPlan | None


@dataclass(frozen=True, kw_only=True)
class HiddenCellsAttack(Attack):
    """Base of attacks on hidden cells: members implement `infer(view, column)` and never see an original.

    The figure is how far the intruder comes from guessing to certainty: the share of hidden cells whose true value is
    claimed, less that of the commonest value, as per cent of what guessing leaves.
    """

    overview_sample: ClassVar[Sample | None] = None
    gaps: ClassVar[bool] = True  # whether suppressed cells are asked for
    coarse: ClassVar[bool] = True  # whether cells released as classes are

    # -- for members -----------------------------------------------------------------------------

    def infer(self, view: ReleaseView, column: HiddenColumn) -> Claims | str:
        """Claims about the rows asked for, or why there is nothing to claim."""
        raise TypeError(f"{type(self).__name__} must implement infer(view, column)")

    # -- what every attack on hidden cells does --------------------------------------------------

    def beside_guessing(self, result: Measured, records: int) -> tuple[float, float]:
        """The figure is an advantage already: guessing has none."""
        return result.worst, 0.0

    def _scored(self, pair: Pair) -> Scored | str:  # it is about cells
        return "it asks for hidden values, and finds nobody's record"

    def on(self, pair: Pair) -> Measured | NotApplicable:
        if pair.link is None:
            return self.not_applicable(UNKNOWN_LINK)
        if not len(pair.linked_rows[0]):
            return self.not_applicable("no protected record comes from an original one")
        view, truths = _look(pair, self.choose(pair), self.gaps, self.coarse)
        judged: dict[str, Judged] = {}
        reasons: list[str] = []
        for column in view.columns:
            truth = truths[column.name][column.asked]
            claims = self.infer(view, column)
            if isinstance(claims, str):
                reasons.append(claims)
            elif (truth >= 0).any():
                judged[column.name] = judge(claims, truth, _guessed(column, claims, truths[column.name]))
        if not judged:
            return self.not_applicable("; ".join(dict.fromkeys(reasons)) or "no known value was suppressed or recoded")
        value, told = tell_advantage(judged, ("hidden cell", "hidden cells"), tuple(dict.fromkeys(reasons)))
        return self.measured(value, **told)


def _guessed(column: HiddenColumn, claims: Claims, truth: Ints) -> Floats:
    """The chance of one who knows the column alone, or how common values are where it shows classes."""
    asked = truth[column.asked]
    if column.holds is None:
        return guess_commonest(column.shown, asked)
    classes = column.shown[column.asked]
    if column.possible is not None and claims.alike is not None:
        return guess_amounts(column.possible[classes], claims, asked)
    counts = np.bincount(truth[truth >= 0], minlength=column.values)
    return guess_held(classes, column.holds, counts, claims, asked)


def _look(pair: Pair, names: tuple[str, ...], gaps: bool, coarse: bool) -> tuple[ReleaseView, dict[str, Ints]]:
    """The view of one who has the release alone, and apart from it the true values of its rows."""
    left, right = pair.linked_rows
    before, after = pair.tables(names)
    own_before, own_after = pair.own_tables(names)
    extra = {role: _technical(pair, role) for role in ("weight", "household")}
    whole = {**after.columns, **{f"role {role}": values for role, values in extra.items() if values is not None}}
    order = hide_order(Table(whole, after.rows), "released")[1]
    origin = np.full(after.rows, -1, dtype=np.int64)
    origin[right] = left
    columns, truths = [], {}
    for name in names:
        if is_made_coarser(own_before[name], own_after[name]):
            found = _coarse_column(pair, name, own_before[name], origin) if coarse else None
        else:
            found = _gap_column(pair, name, before, after, origin) if gaps and not _draws_gaps(pair, name) else None
        if found is not None:
            column, truth = found
            columns.append(_in_order(column, order))
            truths[name] = truth[order]
    turned = {role: None if values is None else values.take(order) for role, values in extra.items()}
    view = ReleaseView(after.take(order), tuple(columns), turned["weight"], turned["household"], pair.plan)
    return view, truths


def _draws_gaps(pair: Pair, name: str) -> bool:
    """Whether gaps of a column were drawn as its values were: nothing was left out there, so that nothing is hidden."""
    steps = () if pair.plan is None else pair.plan.steps_on(name)
    return bool(steps) and not any(step.method.coarsens for step in steps)


def _gap_column(pair: Pair, name: str, before: Table, after: Table, origin: Ints) -> tuple[HiddenColumn, Ints] | None:
    here, there = (codes[:, 0] for codes in common_codes(before.only([name]), after.only([name])))
    truth = np.append(here, -1)[origin]
    asked = np.flatnonzero(there < 0)
    values = int(max(here.max(initial=-1), there.max(initial=-1))) + 1
    design = _design(pair, here, values)
    return (HiddenColumn(name, there, asked, values, None, design), truth) if (truth[asked] >= 0).any() else None


def _coarse_column(pair: Pair, name: str, before: Values, origin: Ints) -> tuple[HiddenColumn, Ints] | None:
    classes = public_classes(pair, name)
    truth = np.append(classes.code, -1)[origin]
    holds = Holds.by(classes)
    asked = np.flatnonzero(np.append(holds.sizes > 1, False)[classes.released])
    design = _design(pair, classes.code, classes.values)
    column = HiddenColumn(
        name, classes.released, asked, classes.values, holds, design, _possible(pair, name, before, holds)
    )
    return (column, truth) if (truth[asked] >= 0).any() else None


def _possible(pair: Pair, name: str, before: Values, holds: Holds) -> Floats | None:
    """How many amounts in the unit of a column lie between the ends of each class."""
    if before.levels is not None or holds.sets is not None:
        return None
    amounts = np.unique(before.numbers[~before.missing])
    unit = pair.before.unit(name)
    if unit is None:
        return np.full(len(holds.low), np.inf)
    last = len(amounts) - 1
    width = amounts[np.clip(holds.high, 0, last)] - amounts[np.clip(holds.low, 0, last)]
    return np.maximum(width / 10.0**unit, 0.0) + 1.0


def _design(pair: Pair, code: Ints, values: int) -> Floats | None:
    """The weight of each value, where all its records have the same one."""
    weights = pair.before.weights
    if weights is None:
        return None
    weights = weights[pair.rows_before]
    known = (code >= 0) & ~np.isnan(weights)
    low, high = np.full(values, np.inf), np.full(values, -np.inf)
    np.minimum.at(low, code[known], weights[known])
    np.maximum.at(high, code[known], weights[known])
    return np.where(low == high, low, np.nan) if (low >= high).all() else None


def _technical(pair: Pair, role: str) -> Values | None:
    """The released column of a technical role."""
    named = [name for name in pair.before.names(role) if name in pair.after.columns]
    if not named:
        return None
    return pair.after.values(named[0], "nominal" if role == "household" else None).take(pair.rows_after)


def _in_order(column: HiddenColumn, order: Ints) -> HiddenColumn:
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    asked = np.sort(place[column.asked])
    return replace(column, shown=column.shown[order], asked=asked)
