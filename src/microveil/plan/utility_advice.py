"""Which change of a plan would let a figure survive: milder settings and columns left out, each run and measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.streams import Key
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.measure import Pair, Scenario
from microveil.measure.sampling import drawn_rows
from microveil.plan.advised_changes import PlanChange
from microveil.plan.compared import compare_columns
from microveil.plan.plan import Plan
from microveil.plan.plan_words import in_words
from microveil.plan.quick_attack import quick_worst_case
from microveil.plan.safer_steps import safer_plans
from microveil.plan.utility_plan import Goal
from microveil.plan.utility_reached import Reached, reach_goals
from microveil.run.contract import Step
from microveil.run.release import Release

_MOST_TRIED = 3_000  # records on which changed plans are run
_MOST_CHANGES = 6


@dataclass(frozen=True)
class _Tried:
    """A plan that was run: what became of the goals, and per cent found by quick attacks."""

    reached: tuple[Reached, ...]
    found: float | None


def advise_for_goals(release: Release, broken: Sequence[Goal], scenarios: Sequence[Scenario] = ()) -> tuple[str, ...]:
    """What milder plans do to the figures that did not survive, in sentences; those that keep most of them first.

    Every plan is run with one key on the same records, and quick attacks are tried on it: a change that saves a figure
    and gives records away is told as such.
    """
    steps = tuple(record.step for record in release.steps)
    data = _some_records(release.original)
    changed = [(record.step, record.columns) for record in release.steps]
    now = _run(data, steps, broken, scenarios)
    tried = []
    for change in list(_changes(changed, broken))[:_MOST_CHANGES]:
        after = _run(data, change.steps, broken, scenarios)
        if after is not None:
            tried.append((change.words, after))
    tried.sort(key=lambda one: (-sum(goal.kept for goal in one[1].reached), one[1].found or 0.0))
    told = [f"{words}: {_told(after, now)}" for words, after in tried]
    if not told:
        return ("No change could be tried; state a larger tolerance, or protect other columns.",)
    how = f"Tried on {counted(data.n, 'record')} under one key:"
    return (how, *told)


def _changes(steps: Sequence[tuple[Step, Sequence[str]]], goals: Sequence[Goal]) -> Iterator[PlanChange]:
    """Milder settings of the steps that touch what a goal needs, and these steps without its columns."""
    wanted = {name for goal in goals for name in goal.columns}
    plain = tuple(step for step, _ in steps)
    concerned = [place for place, (_, columns) in enumerate(steps) if wanted & set(columns)]
    for words, changed in safer_plans(plain, concerned, milder=True):
        yield PlanChange(words, changed)
    for place in concerned:
        step, columns = steps[place]
        left = [name for name in columns if name not in wanted]
        words = f"{in_words(step.method)} without {list_all([name for name in columns if name in wanted])}"
        fewer = [Step(step.method, left, step.given, step.by, step.missing)] if left else []
        rest = (*plain[:place], *fewer, *plain[place + 1 :])
        if rest:
            yield PlanChange(words, rest)


def _told(after: _Tried, now: _Tried | None) -> str:
    goals = "; ".join(one.said.rstrip(".") for one in after.reached)
    if after.found is None or now is None or now.found is None:
        return f"{goals}."
    return f"{goals}; found by attacks {format_number(now.found)} -> {format_number(after.found)} % of the records."


def _run(data: Microdata, steps: Sequence[Step], goals: Sequence[Goal], scenarios: Sequence[Scenario]) -> _Tried | None:
    try:
        release = Plan(steps).run(data, seed=Key.of(1))
        pair = Pair.of(data, release)
        worst = quick_worst_case(compare_columns(pair).pair, scenarios)
        return _Tried(reach_goals(pair, goals), worst.value if isinstance(worst, Measured) else None)
    except MicroveilError:
        return None  # this change cannot be made


def _some_records(data: Microdata) -> Microdata:
    if data.n <= _MOST_TRIED:
        return data
    import numpy as np

    rows = drawn_rows(np.arange(data.n), _MOST_TRIED, "records on which changes are tried")
    return data.with_(data.narwhal[rows.tolist()].to_native())
