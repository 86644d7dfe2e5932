"""The map of a study: every plan that was tried, its frontier that of the study, with limits and scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microveil.measure import Scenario
from microveil.measure.scenarios import at_risk_part
from microveil.report.map_axis import Axis, worst_in_scenario
from microveil.report.mapped import Mapped, PlanMap, plan_map
from microveil.risk import ScenarioRisk
from microveil.study import Study, Tried


def study_map(study: Study) -> PlanMap | None:
    """The map of all trials; the recommended plan is marked, and what is known of each beside its figures is told."""
    recommended = study.best() if study.keeping() else None
    shown = plan_map(study.trials, _limits(study), recommended)
    if shown is None:
        return None
    originals = len(shown.points) - len(study.trials)
    judged = _judged(study)
    told = [
        _told(point, trial, remark, judged)
        for point, trial, remark in zip(shown.points[originals:], study.trials, _remarks(study), strict=True)
    ]
    axes = (*shown.axes, *map(_axis, judged))
    return replace(shown, axes=axes, points=(*shown.points[:originals], *told))


def _limits(study: Study) -> dict[str, float]:
    """The limits of figures by the names of axes; a limit of a scenario is one on the worst case in it."""
    names = {scenario.name for scenario in study.aims.scenarios}
    return {
        worst_in_scenario(name) if name in names else name: limit for name, limit in (study.aims.at_most or {}).items()
    }


def _judged(study: Study) -> list[Scenario]:
    return [
        scenario for scenario in study.aims.scenarios if any(scenario.name in one.scenarios for one in study.trials)
    ]


def _axis(scenario: Scenario) -> Axis:
    title = f"Records at risk in scenario {scenario.name}"
    limit = scenario.limit("share") if scenario.thresholds else None
    return Axis(_name(scenario), title, "lower", "%", limit, "by scenario", title)


def _name(scenario: Scenario) -> str:
    return f"{ScenarioRisk.name}: {at_risk_part(scenario)}"


def _remarks(study: Study) -> list[str]:
    """What is told of each trial besides: of the best plans what their table says, of others which limit they break."""
    best = {id(trial): row[-1] for trial, row in zip(study.frontier, study.rows, strict=True)}
    return [best[id(trial)] if id(trial) in best else _over(trial, study) for trial in study.trials]


def _over(trial: Tried, study: Study) -> str:
    over = study.aims.over(trial) if trial.is_candidate else ()
    return f"not kept: {over[0].words}" if over else ""


def _told(point: Mapped, trial: Tried, remark: str, judged: Sequence[Scenario]) -> Mapped:
    at_risk = {_name(one): trial.scenarios[one.name] for one in judged if one.name in trial.scenarios}
    return replace(point, values={**point.values, **at_risk}, remark=remark)
