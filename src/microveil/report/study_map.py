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
    shown = plan_map(study.shown, _limits(study), recommended)
    if shown is None:
        return None
    originals = len(shown.points) - len(study.shown)
    judged = _judged(study)
    told = [
        _told(point, trial, study.remark(trial), judged)
        for point, trial in zip(shown.points[originals:], study.shown, strict=True)
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


def _told(point: Mapped, trial: Tried, remark: str, judged: Sequence[Scenario]) -> Mapped:
    at_risk = {_name(one): trial.scenarios[one.name] for one in judged if one.name in trial.scenarios}
    return replace(point, values={**point.values, **at_risk}, remark=remark)
