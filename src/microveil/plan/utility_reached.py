"""Whether the figures of a utility plan survive: each beside the original's, against what is tolerated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.kernels.moments.intervals import interval_overlap
from microveil.loss.interval_overlap import IntervalOverlap
from microveil.measure import Pair
from microveil.plan.utility_baseline import coefficients
from microveil.plan.utility_figures import Group, Grouped, Side, figures_of, said_group
from microveil.plan.utility_plan import Goal


@dataclass(frozen=True)
class Reached:
    """A goal with what became of it: the largest change or the least overlap, whether that is tolerated, in words.

    `found` is None where the release has no such figure any more; `told` is what happened, `said` the whole sentence;
    `values` are the figures of both files, by what they are about.
    """

    goal: Goal
    found: float | None
    kept: bool
    told: str
    values: tuple[tuple[str, float, float | None], ...] = ()
    weights: bool = False  # whether a column is the weight

    @property
    def text(self) -> str:
        """What is computed, and whether with weights where there are any: promises and losses are without."""
        return self.goal.said_with(self.weights)

    @property
    def said(self) -> str:
        """The goal, whether it is kept, and what happened."""
        return said_of_goal(self.goal, self.kept, self.told, self.weights)

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {
            **self.goal.to_spec(),
            "found": None if self.found is None or not np.isfinite(self.found) else self.found,
            "kept": self.kept,
            "said": self.said,
        }


def said_of_goal(goal: Goal, kept: bool, told: str, weights: bool = False) -> str:
    """A goal, whether it is kept, and what happened, in a sentence; `weights`: a column is the weight."""
    return f"{goal.name} ({goal.said_with(weights)}) is {'kept' if kept else 'NOT kept'}: {told}."


def reach_goals(pair: Pair, goals: Sequence[Goal]) -> tuple[Reached, ...]:
    """Every goal in the release beside the original."""
    weights = pair.before.weights is not None
    return tuple(replace(_reach(pair, goal), weights=weights) for goal in goals)


def _reach(pair: Pair, goal: Goal) -> Reached:
    gone = [name for name in goal.columns if name not in pair.after.columns or pair.before.roles[name] == "identifier"]
    if gone:
        return _lost(goal, f"the release has no column {gone[0]}")
    if goal.regression:
        return _regression(pair, goal)
    kinds = {name: pair.before.kinds[name] for name in goal.columns}
    released = {name: "nominal" if pair.recoded(name) else kind for name, kind in kinds.items()}
    side = Side.of(pair.before, kinds)
    before = figures_of(goal, Grouped.of(goal, side))
    try:
        after = figures_of(goal, Grouped.of(goal, Side.of(pair.after, released).coded_as(side, goal.of)))
    except BadInput as problem:  # an indicator computes with a column that is no number any more
        return _lost(goal, f"in the release {problem}")
    if not after:
        return _lost(goal, f"{goal.of} is no number in the release")
    return _table(goal, before, after) if goal.table else _statistic(goal, before, after)


def _statistic(goal: Goal, before: dict[Group, float], after: dict[Group, float]) -> Reached:
    """The largest relative change of any group; of a figure that was 0, the change itself."""
    changes = {}
    for group, value in before.items():
        if np.isnan(value):
            continue  # nobody could compute it before
        new = after.get(group, float("nan"))
        if np.isnan(new):
            return _lost(goal, f"the release has no records of {said_group(group) or 'which it could be computed'}")
        changes[group] = abs(new - value) / abs(value) if value != 0 else abs(new - value)
    if not changes:
        return _lost(goal, "the original has no such figure")
    values = _beside(before, after)
    worst = max(changes, key=lambda group: changes[group])
    found, tolerated = changes[worst], goal.tolerance or 0.0
    where = f", most in {said_group(worst)}" if len(changes) > 1 else ""
    relative = before[worst] != 0
    told = f"{_percent(found)} off{where}" if relative else f"{format_number(found)} off, where it was 0{where}"
    kept = found <= tolerated * (1 + 1e-12)
    return Reached(goal, found, kept, f"{told}; {_percent(tolerated)} are tolerated", values)


def _table(goal: Goal, before: dict[Group, float], after: dict[Group, float]) -> Reached:
    """The share of records that would have to change cell to restore the original table."""
    groups = list(dict.fromkeys((*before, *after)))
    x, y = (np.array([side.get(group, 0.0) for group in groups]) for side in (before, after))
    if not x.sum() > 0 or not y.sum() > 0:
        return _lost(goal, "one of the files has no records for it")
    found = float(0.5 * np.abs(x / x.sum() - y / y.sum()).sum())
    tolerated = goal.tolerance or 0.0
    told = f"{_percent(found)} of the records stand in another cell; {_percent(tolerated)} are tolerated"
    return Reached(goal, found, found <= tolerated + 1e-12, told, _beside(before, after))


def _regression(pair: Pair, goal: Goal) -> Reached:
    """The least overlap of the intervals of any coefficient, the constant apart."""
    columns = goal.columns
    recoded = [name for name in columns if pair.recoded(name)]
    if recoded:
        return _lost(goal, f"{recoded[0]} is no number in the release")
    fits, _ = IntervalOverlap(formulas=(goal.regression,)).fits(pair.only(columns))
    if not fits:
        return _lost(goal, "too few records are complete")
    _, x, y = fits[0]
    if len(x.terms) == 1:  # the constant alone
        return _lost(goal, "the original has no such figure")
    if y.constant:
        term = y.constant[0]
        return _lost(
            goal, f"{term} does not vary in the release" if term in columns else f"the release has no records of {term}"
        )
    (names, one), (_, other) = (tuple(zip(*list(coefficients(fit))[1:], strict=True)) for fit in (x, y))
    ends = [np.array([getattr(est, end) for est in side]) for side in (one, other) for end in ("low", "high")]
    overlaps = interval_overlap(*ends)
    same = np.array([a.value == b.value for a, b in zip(one, other, strict=True)])
    overlaps = np.where(np.isnan(overlaps), np.where(same, 1.0, 0.0), overlaps)
    least = int(np.argmin(overlaps))
    found, wanted = float(overlaps[least]), goal.overlap if goal.overlap is not None else 1.0
    least_said = f"intervals overlap by {format_number(found)} at least, that of {names[least]}"
    told = f"{least_said}; {format_number(wanted)} is wanted"
    values = tuple((name, a.value, b.value) for name, a, b in zip(names, one, other, strict=True))
    return Reached(goal, found, found >= wanted - 1e-12, told, values)


def _beside(before: dict[Group, float], after: dict[Group, float]) -> tuple[tuple[str, float, float | None], ...]:
    """The figure of every group in both files; None where the release has none."""
    groups = dict.fromkeys((*before, *after))
    known = {group: after.get(group, float("nan")) for group in groups}
    return tuple(
        (said_group(group), before.get(group, 0.0), None if np.isnan(known[group]) else known[group])
        for group in groups
    )


def _lost(goal: Goal, why: str) -> Reached:
    return Reached(goal, None, False, why)


def _percent(share: float) -> str:
    return f"{format_number(100 * share)} %"
