"""What an interactive map shows: plans with all their figures, of which any two may be its axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from microveil.core.numbers import format_number
from microveil.plan.plan_words import few
from microveil.plan.trial import Trial
from microveil.report.map_axis import Axis as Axis
from microveil.report.map_axis import axes_of, spreads_of, values_of
from microveil.report.settings_words import settings_in_words

_ORIGINAL = "original"
_NO_SAFER = "no safer than the file as it is"


@dataclass(frozen=True)
class Mapped:
    """A plan on a map: its name, what it does in words, its figures by the names of axes.

    `reference` marks the unprotected file; `impossible` counts records that break a rule of the data; `problem` says
    why there is no figure; `passed_over` why it is no candidate although it has figures; `remark` what else to know.
    Of several `draws` the figures are means, and `spread` has the lowest and the highest draw of each.
    """

    label: str
    words: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    reference: bool = False
    chosen: bool = False
    impossible: int = 0
    problem: str = ""
    passed_over: str = ""
    remark: str = ""
    draws: int = 1
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def told(self, axis: Axis) -> str:
        """The figure of an axis for people: of several draws the mean, with the lowest and the highest."""
        value, spread = axis.told(self.values.get(axis.name)), self.range_of(axis)
        return f"{value} ({spread})" if spread else value

    def range_of(self, axis: Axis) -> str:
        """The lowest and the highest draw for people; empty where there is one draw, or all are alike."""
        low, high = map(format_number, self.spread.get(axis.name, (0.0, 0.0)))
        return f"{low} to {high}" if low != high else ""

    @property
    def is_candidate(self) -> bool:
        """Whether it may be on the frontier."""
        return not (self.reference or self.impossible or self.passed_over)


@dataclass(frozen=True)
class PlanMap:
    """Plans and the figures taken of them; `loss` and `risk` name the axes that the map begins with."""

    axes: tuple[Axis, ...]
    points: tuple[Mapped, ...]
    loss: str
    risk: str

    def axis(self, name: str) -> Axis:
        """The axis of this name."""
        return next(axis for axis in self.axes if axis.name == name)

    @property
    def placed(self) -> tuple[Mapped, ...]:
        """The points that have both figures of the axes that the map begins with."""
        return tuple(filter(self.has_place, self.points))

    def has_place(self, point: Mapped) -> bool:
        """Whether a point has both figures of the axes that the map begins with."""
        return all(math.isfinite(point.values.get(name, math.nan)) for name in (self.loss, self.risk))

    @property
    def frontier(self) -> tuple[Mapped, ...]:
        """The candidates that no other beats in both, by loss."""
        best: list[Mapped] = []
        lowest = math.inf
        for point in sorted(filter(lambda one: one.is_candidate, self.placed), key=self._less_is_better):
            risk = self._less_is_better(point)[1]
            if risk < lowest:
                best.append(point)
                lowest = risk
        return tuple(best)

    @property
    def numbered(self) -> tuple[Mapped, ...]:
        """The plans in the order of their numbers, from 1 on, which are the same wherever the map is shown.

        Those on the frontier come first, by loss, as tables list them; then the others by loss; then those without a
        place. The unprotected file has no number.
        """
        best = self.frontier
        taken = {id(point) for point in best}
        left = [point for point in self.points if not point.reference and id(point) not in taken]
        placed = sorted(filter(self.has_place, left), key=lambda one: (*self._less_is_better(one), one.label))
        return (*best, *placed, *(point for point in left if not self.has_place(point)))

    def _less_is_better(self, point: Mapped) -> tuple[float, float]:
        loss, risk = (
            (-1.0 if self.axis(name).better == "higher" else 1.0) * point.values[name]
            for name in (self.loss, self.risk)
        )
        return loss, risk


def plan_map(
    trials: Sequence[Trial], limits: Mapping[str, float] | None = None, chosen: Trial | None = None
) -> PlanMap | None:
    """The map of trials with every figure that was taken; none where no trial was measured by two figures.

    The parts of the two figures that trials are judged by can be chosen too, as well as those of scenarios: single
    attacks, single scenarios, single kinds of loss. `limits` are those of figures by their names.
    """
    measures = next((trial.measures for trial in trials if trial.measures is not None), None)
    if measures is None:
        return None
    axes = axes_of(trials, measures, limits or {})
    names = {axis.name for axis in axes}
    often = len({trial.draws for trial in trials}) > 1  # said beside a plan only where plans differ in it
    points = [*_originals(trials, names), *(_mapped(trial, names, trial is chosen, often) for trial in trials)]
    loss, risk = (measure.name for measure in measures)
    return PlanMap(axes, tuple(points), loss, risk) if {loss, risk} <= names else None


def words_of(trial: Trial) -> str:
    """What a plan does: its methods with their settings, and on which columns."""
    steps = trial.plan.steps
    told = []
    for step in steps:
        settings = settings_in_words(step.method, short=True)
        columns = f" on {few(step.columns)}" if step.columns is not None else ""
        told.append(f"{step.method.name}{f' ({settings})' if settings else ''}{columns}")
    return ", then ".join(told)


def _mapped(trial: Trial, names: set[str], chosen: bool, often: bool) -> Mapped:
    return Mapped(
        trial.label,
        words_of(trial),
        {name: value for name, value in values_of(trial).items() if name in names},
        chosen=chosen,
        impossible=trial.rules.after if trial.breaks_rules else 0,
        problem=trial.problem,
        passed_over=_why_passed_over(trial),
        remark=f"mean of {trial.draws} draws" if often and trial.draws > 1 else "",
        draws=trial.draws,
        spread={name: ends for name, ends in spreads_of(trial).items() if name in names},
    )


def _why_passed_over(trial: Trial) -> str:
    """Why a trial is no candidate; records that break rules are told apart."""
    if trial.is_candidate or trial.problem:
        return trial.problem
    if trial.is_no_better:
        return _NO_SAFER
    return "" if trial.breaks_rules else "not measured"


def _originals(trials: Sequence[Trial], names: set[str]) -> list[Mapped]:
    """The unprotected file, once for each set of figures that it has."""
    found = {}
    for trial in trials:
        before = dict(trial.figures_before)
        if trial.original is not None and trial.measures is not None:
            before |= {measure.name: value for measure, value in zip(trial.measures, trial.original, strict=True)}
        kept = {name: value for name, value in before.items() if name in names}
        if kept:
            found[tuple(sorted(kept.items()))] = kept
    return [Mapped(_ORIGINAL, "the file as it is", values, reference=True) for values in found.values()]
