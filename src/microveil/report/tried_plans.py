"""The section of the report on other plans that were tried: a map of their loss and risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from microveil.core.measured import Measured
from microveil.plan.comparison import Trial
from microveil.plan.evaluation import Evaluation
from microveil.report.chart_map import risk_utility_map
from microveil.report.live_map import live_map, paper_map, still_map
from microveil.report.mapped import Mapped, PlanMap, plan_map
from microveil.report.parts import Screen
from microveil.report.section import Charts, Section, Told
from microveil.run.release import Release


def _draw(told: Told) -> Charts:
    shown = _map_of(told.trials, told.release, told.evaluation)
    if shown is None:
        return Charts((map_of_trials(told.trials),) if told.trials else ())
    return Charts((Screen(live_map(shown), paper_map(shown)),), alive=True)


def map_of_trials(
    trials: Sequence[Trial],
    release: Release | None = None,
    evaluation: Evaluation | None = None,
    limits: Mapping[str, float] | None = None,
) -> str:
    """The map of trials as SVG, and of the release that was chosen among them, if there is one.

    `limits` of figures, by the names of their measures, are drawn as lines.
    """
    shown = _map_of(trials, release, evaluation, limits)
    return risk_utility_map([]) if shown is None else still_map(shown)


def _map_of(
    trials: Sequence[Trial],
    release: Release | None,
    evaluation: Evaluation | None,
    limits: Mapping[str, float] | None = None,
) -> PlanMap | None:
    own = _this_release(trials, evaluation)
    chosen = next((trial for trial in trials if _is_chosen(trial, release)), None)
    # another draw of the chosen plan has other figures: the ring is where the released file is
    if own and chosen is not None:
        released = replace(chosen, loss=own[0], risk=own[1], each=(), draws=1)
        trials = [released if trial is chosen else trial for trial in trials]
        chosen = released
    shown = plan_map(trials, limits, chosen)
    if shown is None or release is None or not own or chosen is not None:
        return shown
    this = Mapped("this release", "", {shown.loss: own[0], shown.risk: own[1]}, chosen=True)
    return replace(shown, points=(*shown.points, this))


def _this_release(trials: Sequence[Trial], evaluation: Evaluation | None) -> tuple[float, float] | None:
    """Loss and risk of the release that the report is about, where the evaluation holds the two figures of the map."""
    if evaluation is None:
        return None
    measures = next((trial.measures for trial in trials if trial.measures is not None), None)
    found = [line.result for measure in measures or () for line in evaluation.lines if line.measure == measure]
    values = [result.value for result in found if isinstance(result, Measured)]
    return (values[0], values[1]) if len(values) == 2 else None


def _is_chosen(trial: Trial, release: Release | None) -> bool:
    """Whether the trial ran the steps of the release: the same methods on the same columns in the same way."""
    if release is None or not trial.steps:
        return False
    ran, released = (
        [(step.method, step.columns, step.given, step.step.by, step.step.missing) for step in steps]
        for steps in (trial.steps, release.steps)
    )
    return ran == released


TRIED_PLANS = Section(
    "What else was tried",
    _draw,
    "Each point is one method with one setting on the same data, named by its number below the map. The line joins "
    "those that no other beats in both: they have the first numbers. A ring marks the one that was chosen. A cross is "
    "a release in which records break a rule of the data: the line passes it over.",
)
