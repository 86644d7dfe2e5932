"""The figures of a utility plan in the original, with the intervals that its records leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.formula import parse_formula
from microveil.core.open_types import Json
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.loss.formulas import Fit
from microveil.loss.interval_overlap import IntervalOverlap
from microveil.measure import Pair
from microveil.plan.indicator_estimates import Estimate
from microveil.plan.utility_figures import Grouped, Side, figures_of, said_group
from microveil.plan.utility_plan import Goal

_DRAWS = 200
_MOST_DRAWN = 20_000  # records of a draw: intervals of more are narrowed by the root of their number
_TAIL = 0.025


@dataclass(frozen=True)
class Baseline:
    """A goal with its figures in the original, each with a 95 % interval, by what they are about."""

    goal: Goal
    figures: tuple[tuple[str, Estimate], ...]

    def to_json(self) -> Json:
        """The same in plain JSON terms; a figure that is not defined is None."""
        return {
            "name": self.goal.name,
            "figure": self.goal.text,
            "values": [
                {"of": name, "value": _number(one.value), "low": _number(one.low), "high": _number(one.high)}
                for name, one in self.figures
            ],
        }


def estimate_goals(data: Microdata, goals: Sequence[Goal]) -> tuple[Baseline, ...]:
    """Every goal in the original: intervals of the bootstrap, of regressions those of least squares.

    The same records give the same intervals. Of a large file fewer records are drawn, and the intervals are narrowed
    accordingly.
    """
    return tuple(Baseline(goal, tuple(_figures(data, goal))) for goal in goals)


def _figures(data: Microdata, goal: Goal) -> Iterator[tuple[str, Estimate]]:
    if goal.regression:
        fit = fit_alone(data, goal)
        if fit is not None:
            yield from coefficients(fit)
        return
    grouped = Grouped.of(goal, Side.of(data, {name: data.kinds[name] for name in goal.columns}))
    value = figures_of(goal, grouped)
    records = len(grouped.rows)
    drawn = min(records, _MOST_DRAWN)
    streams = Streams(Key.of(f"intervals of {goal.name}"))
    found = []
    for number in range(_DRAWS if records else 0):
        rows = streams.at(number).generator().integers(records, size=drawn)
        again = figures_of(goal, grouped.drawn(rows, records / drawn))
        found.append([again.get(group, float("nan")) for group in value])
    draws = np.array(found).reshape(len(found), len(value))
    for place, (group, figure) in enumerate(value.items()):
        known = draws[~np.isnan(draws[:, place]), place]
        low, high = np.quantile(known, [_TAIL, 1 - _TAIL]) if len(known) else (np.nan, np.nan)
        narrower = np.sqrt(drawn / records) if records else 1.0
        ends = (figure + narrower * (end - figure) for end in (low, high))
        yield said_group(group), Estimate(figure, *map(float, ends))


def fit_alone(data: Microdata, goal: Goal) -> Fit | None:
    """The regression of a goal in one file; None where it has too few records."""
    pair = Pair.of(data, data, columns=parse_formula(goal.regression).columns)
    fits, _ = IntervalOverlap(formulas=(goal.regression,)).fits(pair)
    return fits[0][1] if fits else None


def coefficients(fit: Fit) -> Iterator[tuple[str, Estimate]]:
    """The coefficients of a regression with their 95 % intervals."""
    from scipy.special import stdtrit  # the quantile of Student's t: all of scipy.stats would take a second to load

    half = stdtrit(fit.freedom, 1 - _TAIL) * fit.errors
    for term, value, width in zip(fit.terms, fit.coefficients.tolist(), half.tolist(), strict=True):
        yield term, Estimate(value, value - width, value + width)


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
