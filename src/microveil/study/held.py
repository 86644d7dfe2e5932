"""A release held to the limits that were stated for a search, by the same code as every plan of the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.core.open_types import Stated
from microveil.data.microdata import Microdata
from microveil.measure import Scenario
from microveil.plan.plan import Plan
from microveil.run.release import Release
from microveil.study.aims import Aims
from microveil.study.measuring import Bench
from microveil.study.tried import Tried, figure_of


@dataclass(frozen=True)
class Held:
    """What a release keeps of the limits of a search, what it breaks, and what no attack could judge, in words."""

    kept: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """What is kept and what was not judged, in sentences."""
        return (*(f"A limit of the search is kept: {one}." for one in self.kept), *self.told_unjudged)

    @property
    def told_unjudged(self) -> tuple[str, ...]:
        """What was not judged, in sentences."""
        return tuple(f"A limit of the search was not judged: {one}." for one in self.unjudged)


class SearchLimits:
    """What the search section of a project states that plans must keep; unknown names are told when it is made."""

    def __init__(self, data: Microdata, asked: Stated, scenarios: Sequence[Scenario] = ()) -> None:
        at_most, require = asked.get("at_most"), asked.get("require", ())
        self._aims = Aims.of(data, asked.get("objectives"), scenarios, at_most, require) if at_most or require else None

    def hold(self, release: Release) -> Held:
        """Judge a release of the data, or of some of their records, by them; what was not measured is not kept."""
        if self._aims is None:
            return Held()
        found = Bench(release.original, self._aims).look_at(release)
        if found.state != "measured":
            return Held(broken=(found.problem,))
        figures = {name: figure_of(one) for name, one in found.figures.items()}
        steps = [record.step for record in release.steps]
        trial = Tried("", Plan(steps), figures=figures, scenarios=found.scenarios, nobody=found.nobody)
        limits = dict(self._aims.at_most or {})
        broken = {one.limit: one.words for one in self._aims.over(trial)}
        unjudged = self._aims.unjudged(trial)
        kept = [
            f"{name} may be {format_number(limit)} at most, and {value} was found"
            for name, limit in limits.items()
            if name not in broken and name not in unjudged and (value := format_number(self._aims.value(name, trial)))
        ]
        promised = [f"it is promised that {claim}" for claim in self._aims.require]
        return Held((*kept, *promised), tuple(broken.values()), tuple(unjudged.values()))
