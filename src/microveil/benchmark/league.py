"""The league table of a benchmark: plans by one bounded figure of loss and risk, each method at its best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from microveil.benchmark.figures import PIL, WORST, taken
from microveil.benchmark.journal import Result
from microveil.plan import Plan
from microveil.report.mapped import Axis, Mapped, PlanMap


@dataclass(frozen=True)
class Ranked:
    """A plan with its place: `bounded` is half of the probabilistic loss and half of the worst case, in per cent."""

    place: int
    result: Result
    bounded: float


def league(results: Sequence[Result]) -> tuple[Ranked, ...]:
    """The plans that have both figures, the lowest bounded score first; equal scores share their place."""
    scored = sorted(
        ((bounded_score(result.figures), result) for result in results if {PIL, WORST} <= set(result.figures)),
        key=lambda pair: (pair[0], pair[1].label),
    )
    found: list[Ranked] = []
    for number, (score, result) in enumerate(scored, start=1):
        place = found[-1].place if found and found[-1].bounded == score else number
        found.append(Ranked(place, result, score))
    return tuple(found)


def bounded_score(figures: Mapping[str, float]) -> float:
    """The score of 2001 with a bounded loss and the worst case in place of linkage and intervals.

    >>> bounded_score({"PIL": 20.0, "worst": 10.0})
    15.0
    """
    from microveil import loss
    from microveil.plan import WorstCase
    from microveil.score import Score

    return Score(loss=loss.PIL(), risk=WorstCase()).joined({"loss": figures[PIL], "risk": figures[WORST]})["score"]


def best_of_each_method(ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Every method once, at its best setting."""
    found: dict[str, Ranked] = {}
    for one in ranked:
        found.setdefault(method_of(one.result), one)
    return tuple(found.values())


def method_of(result: Result) -> str:
    """The name of the method that a plan runs first."""
    return Plan.from_mapping(json.loads(result.text)).steps[0].method.name


def map_of(results: Sequence[Result]) -> PlanMap:
    """The map of all plans by any two figures, with the unprotected file as the corner that loses nothing."""
    axes = tuple(Axis(name, one.measure.title or name, one.better, one.measure.unit) for name, one in taken().items())
    points = [Mapped(result.label, "", dict(result.figures), problem=result.problem) for result in results]
    return PlanMap(axes, tuple(points), PIL, WORST)
