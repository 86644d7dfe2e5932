"""The section of the report on other plans that were tried: a map of their loss and risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microveil.core.measured import Measured
from microveil.measure import Measure
from microveil.plan.comparison import Trial, frontier
from microveil.plan.evaluation import Evaluation
from microveil.report.chart_map import MapPoint, risk_utility_map
from microveil.report.section import Charts, Section, Told
from microveil.run.release import Release


def _draw(told: Told) -> Charts:
    return Charts((map_of_trials(told.trials, told.release, told.evaluation),) if told.trials else ())


def map_of_trials(trials: Sequence[Trial], release: Release | None = None, evaluation: Evaluation | None = None) -> str:
    """The map of trials, and of the release that was chosen among them, if there is one."""
    own = _this_release(trials, evaluation)
    # another draw of the chosen plan has other figures: the ring is where the released file is
    if own:
        trials = [replace(one, loss=own[0], risk=own[1]) if _is_chosen(one, release) else one for one in trials]
    originals = dict.fromkeys(trial.original for trial in trials if trial.original is not None)
    points = [MapPoint("original", *figures, reference=True) for figures in originals]
    points += [
        MapPoint(trial.label, trial.loss, trial.risk, False, _is_chosen(trial, release), _impossible(trial))
        for trial in trials
        if trial.loss is not None and trial.risk is not None
    ]
    if release is not None and own and not any(point.chosen for point in points):
        points.append(MapPoint("this release", *own, chosen=True))
    edge = [(trial.loss, trial.risk) for trial in frontier(trials) if trial.loss is not None and trial.risk is not None]
    measures = next((trial.measures for trial in trials if trial.measures is not None), None)
    if measures is None:
        return risk_utility_map(points, edge)
    loss, risk = measures
    side, height = ("right" if loss.better == "higher" else "left"), ("upper" if risk.better == "higher" else "lower")
    # steps go across and then down, which is the border only where less loss is better
    joined = edge if loss.better == "lower" else None
    return risk_utility_map(
        points, joined, loss_name=_axis(loss), risk_name=_axis(risk), better=f"{height} {side} is better"
    )


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


def _impossible(trial: Trial) -> int:
    return trial.rules.after if trial.breaks_rules else 0


def _axis(measure: Measure) -> str:
    name = measure.title or measure.name
    return f"{name}, {measure.unit}" if measure.unit else name


TRIED_PLANS = Section(
    "What else was tried",
    _draw,
    "Each point is one method with one setting on the same data, numbered from left to right and named below the map. "
    "The line joins those that no other beats in both; a ring marks the one that was chosen. A cross is a release in "
    "which records break a rule of the data: the line passes it over.",
)
