"""The figures that may be axes of a map: measures by the question they answer, their parts, and each scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from microveil.core.measured import Better, Measured
from microveil.core.numbers import format_number
from microveil.loss import PIL
from microveil.measure import Measure
from microveil.plan.several_draws import mean_values, ranges_of
from microveil.plan.trial import Trial
from microveil.plan.worst_case import NAME as WORST

JUDGED = "what plans are judged by"
_IN_SCENARIO = re.compile(r"(.*), scenario (.+)")


@dataclass(frozen=True)
class Axis:
    """A figure that may be an axis: its name, its title for people, which end is good, the limit drawn as a line.

    `group` is the heading of a list under which it stands, `short` its title there; `part`: it is one of many parts.
    """

    name: str
    title: str
    better: Better = "lower"
    unit: str = ""
    limit: float | None = None
    group: str = ""
    short: str = ""
    about: Literal["loss", "risk"] = "risk"
    part: bool = False

    @property
    def heading(self) -> str:
        """The title with the unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def told(self, value: float | None) -> str:
        """A value of this figure for people."""
        return f"{format_number(value)} {self.unit}".strip() if value is not None else "not measured"


def axes_of(trials: Sequence[Trial], judged: tuple[Measure, Measure], limits: Mapping[str, float]) -> tuple[Axis, ...]:
    """Every figure that was taken of trials, and the parts of those they are judged by and of those of scenarios."""
    tried = {measure.name: measure for trial in trials for measure in (*trial.tried, *(trial.measures or ()))}
    axes: list[Axis] = []
    for measure in tried.values():
        found = [trial.figures[measure.name] for trial in trials if measure.name in trial.figures]
        if not found and not any(trial.loss is not None for trial in trials if measure in (trial.measures or ())):
            continue
        about: Literal["loss", "risk"] = "loss" if measure.family == PIL.family or measure == judged[0] else "risk"
        group = JUDGED if measure in judged else _question(measure)
        title, limit = measure.title or measure.name, limits.get(measure.name)
        axes.append(Axis(measure.name, title, measure.better, measure.unit, limit, group, title, about))
        # what is good of a part is known only where less is better of the whole
        if measure.better == "lower" and (measure in judged or measure.stated_scenarios):
            axes += _parts_of(measure, found, limits, about)
    return tuple(axes)


def worst_in_scenario(scenario: str) -> str:
    """The name of the axis on which plans stand by the attack that finds most in a scenario."""
    return f"{WORST}: scenario {scenario}"


def values_of(trial: Trial) -> dict[str, float]:
    """Every figure of a trial by the name of its axis, with its parts and the worst of each scenario.

    Of several draws they are means.
    """
    values = mean_values(_in_draws(trial))
    for measure, figure in zip(trial.measures or (), (trial.loss, trial.risk), strict=False):
        if figure is not None:
            values[measure.name] = figure
    return values


def spreads_of(trial: Trial) -> dict[str, tuple[float, float]]:
    """The lowest and the highest draw of each of these figures; nothing of a trial that was run once."""
    return ranges_of(_in_draws(trial))


def _in_draws(trial: Trial) -> list[dict[str, float]]:
    return [_by_axis(figures) for figures in trial.each or (trial.figures,)]


def _by_axis(figures: Mapping[str, Measured]) -> dict[str, float]:
    """The figures of one draw by the names of their axes."""
    values: dict[str, float] = {}
    for name, found in figures.items():
        values[name] = found.value
        values |= {f"{name}: {part}": value for part, value in found.parts.items()}
    for scenario, value in _worst_by_scenario(figures.get(WORST)).items():
        values[worst_in_scenario(scenario)] = value
    return values


def _parts_of(
    measure: Measure, found: Sequence[Measured], limits: Mapping[str, float], about: Literal["loss", "risk"]
) -> Iterator[Axis]:
    title = measure.title or measure.name
    unit = measure.unit if measure.name == WORST else ""
    parts = tuple(dict.fromkeys(part for one in found for part in _whole_file(one.parts)))
    scenarios = dict.fromkeys(scenario for one in found for scenario in _worst_by_scenario(one))
    for scenario in scenarios:
        name, said = worst_in_scenario(scenario), f"Worst case in scenario {scenario}"
        yield Axis(name, said, "lower", unit, limits.get(name), "by scenario", said, about)
    for part in parts:
        words = measure.words_of_parts.get(part, part)
        inside = _IN_SCENARIO.fullmatch(part) if measure.name == WORST else None
        group = f"single attacks in scenario {inside[2]}" if inside else f"parts of: {title}"
        if measure.name == WORST and not inside:
            group = "single attacks"
        if measure.stated_scenarios:
            group = "by scenario"
        short = inside[1] if inside else words
        name = f"{measure.name}: {part}"
        yield Axis(
            name, f"{title}: {words}", "lower", unit, limits.get(name), group, short, about, part=group != "by scenario"
        )


def _question(measure: Measure) -> str:
    """The question that a measure answers, as an evaluation asks it: for whom something is lost or at risk."""
    questions = measure.described.questions
    named = next((one for one in questions if measure.name in one.names), None)
    return (named or questions[-1]).title if questions else measure.described.title


def _worst_by_scenario(found: Measured | None) -> dict[str, float]:
    worst: dict[str, float] = {}
    for part, value in (found.parts if found is not None and found.name == WORST else {}).items():
        inside = _IN_SCENARIO.fullmatch(part)
        if inside:
            worst[inside[2]] = max(worst.get(inside[2], value), value)
    return worst


def _whole_file(parts: Iterable[str]) -> Iterator[str]:
    """The parts that are figures of the whole file; those of single columns and pairs would be too many."""
    return (name for name in parts if "[" not in name)
