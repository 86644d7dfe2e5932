"""Which plan keeps which limit, in sentences: those of scenarios as a verdict says them, and limits of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.measure import Scenario
from microveil.measure.scenarios import at_risk_part
from microveil.plan.trial import Trial
from microveil.report.map_axis import Axis, values_of
from microveil.report.mapped import plan_map
from microveil.risk import ScenarioRisk


@dataclass(frozen=True)
class LimitsKept:
    """A plan, whether it keeps every limit (None: nobody stated one), and why, in sentences."""

    label: str
    kept: bool | None
    because: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The decision in a few words."""
        if self.kept is None:
            return "has no limit to keep"
        return "keeps every limit" if self.kept else "does not keep every limit"

    def __str__(self) -> str:
        return " ".join([f"{self.label} {self.verdict}.", *self.because])


def limits_of_scenarios(scenarios: Sequence[Scenario]) -> dict[str, float]:
    """The shares of records that scenarios tolerate, by the names that a map has for them."""
    return {
        f"{ScenarioRisk.name}: {at_risk_part(scenario)}": scenario.limit("share")
        for scenario in scenarios
        if scenario.thresholds
    }


def limits_kept(trials: Sequence[Trial], limits: Mapping[str, float] | None = None) -> tuple[LimitsKept, ...]:
    """The verdict on every plan; `limits` of figures are by the names that a map has for them.

    A limit must hold in every draw. A plan that is no candidate keeps nothing, and its reason is told.
    """
    shown = plan_map(trials, limits)
    limited = [axis for axis in shown.axes if axis.limit is not None] if shown is not None else []
    return tuple(_of_plan(trial, limited) for trial in trials)


def _of_plan(trial: Trial, limited: Sequence[Axis]) -> LimitsKept:
    if trial.problem:
        return LimitsKept(trial.label, False, (f"It was not measured: {trial.problem}.",))
    # what a verdict says of scenarios is more than the share at risk alone
    own = [axis for axis in limited if not (trial.about_limits and axis.name.startswith(f"{ScenarioRisk.name}: "))]
    judged = [_of_figure(trial, axis) for axis in own]
    said = [*trial.about_limits, *(sentence for _, sentence in judged), *trial.about_survival]
    found = [*(kept for kept, _ in judged), *([] if trial.keeps_limits is None else [trial.keeps_limits])]
    if trial.breaks_rules:
        verb = "breaks" if trial.rules.after == 1 else "break"
        said.append(f"{counted(trial.rules.after, 'record')} {verb} a rule of the data.")
        found.append(False)
    return LimitsKept(trial.label, all(found) if found else None, tuple(said))


def _of_figure(trial: Trial, axis: Axis) -> tuple[bool, str]:
    """Whether a figure is within its limit in every draw, and that in a sentence."""
    value = values_of(trial).get(axis.name)
    allowed = axis.told(axis.limit)
    if value is None or axis.limit is None:
        return False, f"{axis.title} was not measured, where at most {allowed} is allowed."
    highest, over = value, ""
    found = trial.figures.get(axis.name)
    if trial.draws > 1 and found is not None and found.interval is not None:
        highest = found.interval[1]
        over = f" on average, {format_number(highest)} at most over {trial.draws} draws"
    kept = highest <= axis.limit
    begins = f"{axis.title} {'is within its limit' if kept else 'is above its limit'}"
    return kept, f"{begins}: {axis.told(value)}{over}, where at most {allowed} is allowed."
