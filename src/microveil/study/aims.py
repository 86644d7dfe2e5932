"""What a search is for: the two figures that are made small, the limits, and the promises that plans must make."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from numbers import Real

from microveil.claims import Claim, registered_claims
from microveil.core.errors import BadInput, UnknownName
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.parameters import suggest
from microveil.core.registry import registered
from microveil.core.words import kind_of
from microveil.data.microdata import Microdata
from microveil.measure import Measure, Scenario
from microveil.plan.objectives import Objective, objective, usual_loss
from microveil.plan.overall_loss import NAME as OVERALL
from microveil.plan.utility_figures import check_goals
from microveil.plan.utility_plan import Goal, goals_of
from microveil.plan.worst_case import NAME as WORST
from microveil.plan.worst_case import scenario_of
from microveil.plan.worst_of_quick import WorstCase
from microveil.run.release import Release
from microveil.study.over import Over
from microveil.study.tried import Tried

Required = str | Claim | type[Claim]


@dataclass(frozen=True)
class Aims:
    """Two measures, scenarios that say who might attack, limits by name, promises and figures that plans must keep."""

    loss: Measure
    risk: Measure
    scenarios: tuple[Scenario, ...] = ()
    at_most: Mapping[str, float] | None = None
    require: tuple[Claim, ...] = ()
    others: tuple[Measure, ...] = ()
    utility: tuple[Goal, ...] = ()

    @classmethod
    def of(
        cls,
        data: Microdata,
        objectives: Sequence[Objective] | None,
        scenarios: Sequence[Scenario],
        at_most: Mapping[str, float] | None,
        require: Sequence[Required],
        measures: Sequence[Objective] = (),
        utility: Sequence[Goal | Mapping[str, object]] = (),
    ) -> Aims:
        """The aims as a user states them; whatever does not exist is told before anything runs."""
        if objectives is None:
            objectives = (usual_loss(data), WORST)
        if isinstance(objectives, str) or len(objectives) != 2:
            raise BadInput("objectives are two: a measure of loss and one of risk, as in ('pil', 'worst-case')")
        loss, risk = (objective(one, scenarios) for one in objectives)
        limits = _limits(at_most)
        named = {one.name for one in scenarios}
        if named & limits.keys() and not isinstance(risk, WorstCase):
            raise BadInput(f"a limit for a scenario is one on the worst case; make {WORST!r} the second objective")
        known = {loss.name, risk.name, *named}
        limited = [name for name in limits if name not in known]
        _check_known(limited, named)
        asked = [objective(one, scenarios) for one in (*limited, *measures) if one not in known]
        others = {one.name: one for one in asked if one.name not in known}
        _check_less_is_better(limits, (loss, risk, *others.values()))
        goals = goals_of(utility)
        check_goals(data, goals)
        return cls(loss, risk, tuple(scenarios), limits, tuple(map(_claim, require)), tuple(others.values()), goals)

    def judged_by(self, loss: str, risk: str) -> Aims:
        """The same with two other measures as loss and risk, of those that are taken."""
        known = {one.name: one for one in self.measures}
        for name in (loss, risk):
            if name not in known:
                raise UnknownName(f"{name!r} was not measured in this study{suggest(name, known)}")
        others = tuple(one for one in self.measures if one.name not in (loss, risk))
        return replace(self, loss=known[loss], risk=known[risk], others=others)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two figures."""
        return self.loss.name, self.risk.name

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Everything that is measured of a plan that stays, loss and risk first."""
        return (self.loss, self.risk, *self.others)

    @property
    def is_limited(self) -> bool:
        """Whether anybody stated a limit."""
        stated = bool(self.at_most) or bool(self.utility)
        return stated or any(scenario.thresholds for scenario in self.scenarios)

    def over(self, trial: Tried, more: Mapping[str, float] | None = None) -> tuple[Over, ...]:
        """The limits that a trial does not keep, `more` of them besides those of the study; the worst first."""
        found = [
            Over(name, value, allowed, self._instead_of(name, trial, value, allowed))
            for name, allowed in self._limits(more).items()
            if (value := self.value(name, trial)) is None or value > allowed
        ]
        for scenario in self.scenarios:
            if scenario.name in trial.over:
                share = trial.scenarios.get(scenario.name)
                limit = f"the per cent of records at risk in scenario {scenario.name!r}"
                found.append(Over(limit, share, scenario.limit("share")))
        found += [
            Over.of_goal(goal, trial.reached.get(goal.name)) for goal in self.utility if not _survives(goal, trial)
        ]
        return tuple(sorted(found, key=lambda one: -one.excess))

    def value(self, name: str, trial: Tried) -> float | None:
        """What was found of a limited figure or scenario; None where it was not measured.

        Of a scenario in which there is nobody to look for it is what all other attacks found: no intruder finds more.
        """
        if name in trial.figures:
            return trial.figures[name].value
        worst = trial.figures.get(WORST)
        if worst is None or name not in {one.name for one in self.scenarios}:
            return None
        inside = [value for part, value in worst.parts.items() if scenario_of(part) == name]
        return max(inside) if inside else worst.value if name in trial.nobody else None

    def unjudged(self, trial: Tried, more: Mapping[str, float] | None = None) -> dict[str, str]:
        """The limits that no attack could judge, each in words; where other attacks find more they are not kept."""
        return {
            name: f"{_no_attack(name)}: not judged; other attacks found {format_number(value)}, where "
            f"{format_number(allowed)} may be found at most"
            for name, allowed in self._limits(more).items()
            if self._is_unjudged(name, trial) and (value := self.value(name, trial)) is not None and value <= allowed
        }

    def _limits(self, more: Mapping[str, float] | None) -> dict[str, float]:
        return {**(self.at_most or {}), **(more or {})}

    def _is_unjudged(self, name: str, trial: Tried) -> bool:
        worst = trial.figures.get(WORST)
        parts = () if worst is None else worst.parts
        return name in trial.nobody and name not in trial.figures and name not in map(scenario_of, parts)

    def _instead_of(self, name: str, trial: Tried, value: float | None, allowed: float) -> str:
        """What is said of a limit that no attack could judge, where others found more than it allows."""
        if value is None or not self._is_unjudged(name, trial):
            return ""
        return f"{_no_attack(name)}, and other attacks found {value:.4g}, where {allowed:.4g} may be found at most"

    def check_limits(self, at_most: Mapping[str, float]) -> dict[str, float]:
        """Limits that are asked for afterwards: only of what was measured."""
        limits = _limits(at_most)
        known = [*(one.name for one in self.measures), *(one.name for one in self.scenarios)]
        for name in limits:
            if name not in known:
                raise UnknownName(f"{name!r} was not measured in this study{suggest(name, known)}")
        _check_less_is_better(limits, self.measures)
        return limits

    def unpromised(self, release: Release) -> tuple[Claim, ...]:
        """The required promises that a release does not make for all columns it is about."""
        return tuple(wanted for wanted in self.require if not _is_promised(wanted, release))

    def to_json(self) -> Json:
        """The aims in plain terms: a study that is taken up again must have the same."""
        utility = {"utility": [one.to_spec() for one in self.utility]} if self.utility else {}
        return utility | {
            "objectives": [
                one.to_spec() if one.name not in (WORST, OVERALL) else one.name for one in self.measures[:2]
            ],
            "scenarios": [one.to_spec() for one in self.scenarios],
            "at_most": dict(self.at_most or {}),
            "require": sorted(map(repr, self.require)),
            "measures": sorted(one.name for one in self.others),
        }


def _no_attack(scenario: str) -> str:
    return f"no attack of scenario {scenario!r} applies to these records, which are synthetic"


def _limits(at_most: Mapping[str, float] | None) -> dict[str, float]:
    if at_most is not None and not isinstance(at_most, Mapping):
        raise BadInput(f"at_most is {kind_of(at_most)}; give names and limits, as in {{'worst-case': 5}}")
    for name, limit in (at_most or {}).items():
        if isinstance(limit, bool) or not isinstance(limit, Real) or not 0 <= limit < inf:
            raise BadInput(f"the limit of {name} is {limit!r}; give a number that is not below 0")
    return {name: float(limit) for name, limit in (at_most or {}).items()}


def _check_known(limited: Sequence[str], scenarios: Collection[str]) -> None:
    """A limit is on a measure or a scenario: whoever mistypes one is offered those of both."""
    known = [*scenarios, WORST, OVERALL, *(cls.name for cls in registered(Measure))]
    for name in limited:
        if name not in known:
            raise UnknownName(f"a limit is on {name!r}, and no measure or scenario is called so{suggest(name, known)}")


def _check_less_is_better(limits: Mapping[str, float], measures: Sequence[Measure]) -> None:
    """A limit says what a figure may be at most: of one of which more is better that would ask for the worst."""
    for measure in measures:
        if measure.name in limits and measure.better == "higher":
            raise BadInput(
                f"more of {measure.name} is better, so that a limit of what it may be at most makes no sense; take it "
                "out of at_most, and look for it in the study (measures, study.trials)"
            )


def _survives(goal: Goal, trial: Tried) -> bool:
    """Whether a trial keeps a figure; one of which nothing is known does not."""
    found = trial.reached.get(goal.name)
    return found is not None and found.kept


def _claim(given: Required) -> Claim:
    if isinstance(given, Claim):
        return given
    known = {cls.__name__: cls for cls in registered_claims()}
    if isinstance(given, str) and given not in known:
        raise UnknownName(f"no promise is called {given!r}{suggest(given, known)}")
    cls = known[given] if isinstance(given, str) else given
    if not (isinstance(cls, type) and issubclass(cls, Claim)):
        raise BadInput(f"{given!r} is no promise; give one such as microveil.claims.MeansKept()")
    return cls()


def _is_promised(wanted: Claim, release: Release) -> bool:
    """Whether promises of this kind and these settings cover its columns: its own, or all that were changed."""
    alike = [claim for claim in release.claims if type(claim) is type(wanted) and _settings(claim) == _settings(wanted)]
    covered = {name for claim in alike for name in claim.columns}
    return bool(alike) and set(wanted.columns or _spoken_of(wanted, release)) <= covered


def _spoken_of(claim: Claim, release: Release) -> tuple[str, ...]:
    """The changed columns that a promise can be about: categories have no moments."""
    if claim.seen_by != "moments":
        return release.columns
    return tuple(name for name in release.columns if release.original.kinds[name] == "continuous")


def _settings(claim: Claim) -> dict[str, object]:
    return {one.name: getattr(claim, one.name) for one in fields(claim) if one.name != "columns"}
