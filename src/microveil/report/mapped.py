"""What an interactive map shows: plans with all their figures, of which any two may be its axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from microveil.core.measured import Better, Measured
from microveil.core.numbers import format_number
from microveil.measure import Measure
from microveil.plan.trial import Trial
from microveil.report.settings_words import settings_in_words

_ORIGINAL = "original"


@dataclass(frozen=True)
class Axis:
    """A figure that may be an axis: its name, its title for people, which end is good, the limit drawn as a line."""

    name: str
    title: str
    better: Better = "lower"
    unit: str = ""
    limit: float | None = None

    @property
    def heading(self) -> str:
        """The title with the unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def told(self, value: float | None) -> str:
        """A value of this figure for people."""
        return f"{format_number(value)} {self.unit}".strip() if value is not None else "not measured"


@dataclass(frozen=True)
class Mapped:
    """A plan on a map: its name, what it does in words, its figures by the names of axes.

    `reference` marks the unprotected file; `impossible` counts records that break a rule of the data; `problem` says
    why there is no figure.
    """

    label: str
    words: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    reference: bool = False
    chosen: bool = False
    impossible: int = 0
    problem: str = ""


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
        """The points that no other beats in both, by loss; neither references nor those that break rules."""
        turned = [-1.0 if self.axis(name).better == "higher" else 1.0 for name in (self.loss, self.risk)]
        candidates = [point for point in self.placed if not point.reference and not point.impossible]
        best: list[Mapped] = []
        lowest = math.inf
        for point in sorted(
            candidates, key=lambda one: (turned[0] * one.values[self.loss], turned[1] * one.values[self.risk])
        ):
            if turned[1] * point.values[self.risk] < lowest:
                best.append(point)
                lowest = turned[1] * point.values[self.risk]
        return tuple(best)


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
    asked = limits or {}
    tried = {measure.name: measure for trial in trials for measure in (*trial.tried, *(trial.measures or ()))}
    axes: list[Axis] = []
    for measure in tried.values():
        axes += _axes_of(measure, trials, asked, with_parts=measure in measures or bool(measure.stated_scenarios))
    names = {axis.name for axis in axes}
    points = [*_originals(trials, names), *(_mapped(trial, names, trial is chosen) for trial in trials)]
    loss, risk = (measure.name for measure in measures)
    return PlanMap(tuple(axes), tuple(points), loss, risk) if {loss, risk} <= names else None


def words_of(trial: Trial) -> str:
    """What a plan does: its methods with their settings, and on which columns."""
    steps = trial.plan.steps
    told = []
    for step in steps:
        settings = settings_in_words(step.method)
        columns = f" on {', '.join(map(str, step.columns))}" if step.columns is not None else ""
        told.append(f"{step.method.name}{f' ({settings})' if settings else ''}{columns}")
    return ", then ".join(told)


def _axes_of(measure: Measure, trials: Sequence[Trial], limits: Mapping[str, float], *, with_parts: bool) -> list[Axis]:
    found = [trial.figures[measure.name] for trial in trials if measure.name in trial.figures]
    if not found:
        return [] if not _judged(measure, trials) else [_axis(measure, limits)]
    axes = [_axis(measure, limits)]
    # what is good of a part is known only where less is better of the whole
    if with_parts and measure.better == "lower":
        for part in dict.fromkeys(part for one in found for part in _parts(one)):
            name = f"{measure.name}: {part}"
            title = f"{measure.title or measure.name}: {measure.words_of_parts.get(part, part)}"
            axes.append(Axis(name, title, "lower", limit=limits.get(name)))
    return axes


def _axis(measure: Measure, limits: Mapping[str, float]) -> Axis:
    return Axis(measure.name, measure.title or measure.name, measure.better, measure.unit, limits.get(measure.name))


def _judged(measure: Measure, trials: Sequence[Trial]) -> bool:
    return any(measure in (trial.measures or ()) and trial.loss is not None for trial in trials)


def _parts(found: Measured) -> Iterator[str]:
    """The parts that are figures of the whole file; those of single columns and pairs would be too many."""
    return (name for name in found.parts if "[" not in name)


def _mapped(trial: Trial, names: set[str], chosen: bool) -> Mapped:
    values: dict[str, float] = {}
    for name, found in trial.figures.items():
        values[name] = found.value
        values |= {f"{name}: {part}": value for part, value in found.parts.items()}
    for measure, value in zip(trial.measures or (), (trial.loss, trial.risk), strict=False):
        if value is not None:
            values[measure.name] = value
    return Mapped(
        trial.label,
        words_of(trial),
        {name: value for name, value in values.items() if name in names},
        chosen=chosen,
        impossible=trial.rules.after if trial.breaks_rules else 0,
        problem=trial.problem,
    )


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
