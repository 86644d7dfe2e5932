"""Several plans on the same data, run and measured alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from microveil.core.errors import BadInput, MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.core.progress import stage, told_apart, within
from microveil.core.streams import Key
from microveil.data.microdata import AnyData, Microdata
from microveil.measure import Measure, Pair, Scenario, count_broken_rules
from microveil.plan.compared_plans import Comparison as Comparison
from microveil.plan.labelled import AnyPlans, label_plans
from microveil.plan.objectives import usual_loss
from microveil.plan.plan import Plan
from microveil.plan.several_draws import mean_figure
from microveil.plan.trial import Trial as Trial
from microveil.plan.trial import frontier as frontier
from microveil.plan.utility_figures import check_goals
from microveil.plan.utility_plan import Goal, goals_of
from microveil.plan.utility_reached import Reached, reach_goals
from microveil.plan.verdict import Verdict, verdict_of
from microveil.plan.worst_of_quick import WorstCase
from microveil.run.release import AnyFile, Release

# the share of a trial after which it was run, measured and judged, about as these take
_RUN, _MEASURED, _JUDGED = 0.3, 0.6, 0.9


def compare(
    data: AnyData,
    plans: AnyPlans,
    loss: Measure | None = None,
    risk: Measure | None = None,
    *,
    measures: Sequence[Measure] = (),
    scenarios: Sequence[Scenario] = (),
    utility: Sequence[Goal | Mapping[str, object]] = (),
    draws: int = 1,
    seed: int | str | bytes | Key | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Run every plan and measure it; a plan that fails is kept with its reason.

    `plans` is a mapping of names or a list, of plans, methods or paths of plan or project files. They are judged by
    `loss` (unless said, that of a search: the probabilistic information loss, and where there are categories the
    largest of that and of what categories lose) and `risk` (unless said, the worst case over the attacks that take
    seconds, on all that is released); `measures` are taken besides. Loss and other figures are those of the columns
    that any of the plans changes, the same for all plans. `draws`: every plan is run under so many keys, the same for
    all, and figures are means with the lowest and the highest. `scenarios` are tried by the worst case, and their
    limits are judged; `utility` are figures that must survive, each with what is tolerated, as in a project.
    """
    if draws < 1:
        raise BadInput(f"draws={draws} is less than 1; a plan is run once at least")
    source, labelled = Microdata.of(data), label_plans(plans)
    goals = goals_of(utility)
    check_goals(source, goals)
    both = (loss or usual_loss(source), risk or WorstCase(scenarios=tuple(scenarios)))
    measuring = Measuring(source, both, tuple(measures), list(labelled.values()), scenarios, goals)
    keys = _keys(Key.of(seed), draws)
    trials = []
    for number, (label, plan) in enumerate(labelled.items(), start=1):
        with stage(progress, label, number, len(labelled)):
            trials.append(try_plan(label, plan, measuring, keys))
    return Comparison(trials)


class Measuring:
    """All measures on one source; figures of the source itself are taken once for the same columns.

    `plans` are all that will be tried: figures are those of the columns that any of them changes.
    """

    def __init__(
        self,
        source: Microdata,
        both: tuple[Measure, Measure],
        others: Sequence[Measure],
        plans: Sequence[Plan],
        scenarios: Sequence[Scenario],
        goals: Sequence[Goal] = (),
    ) -> None:
        self.source, self.both = source, both
        self.scenarios, self.goals = tuple(scenarios), tuple(goals)
        self.all = _one_of_each_name((*both, *others))
        self._changed = {name for plan in plans for name in _changed_columns(plan, source)}
        self._originals: dict[tuple[str, ...], dict[str, float]] = {}

    def columns(self, release: Release) -> tuple[str, ...]:
        """The columns to measure a release on: those that any of the plans changes, in the order of the file."""
        there = set(release.narwhal.columns)
        wanted = {*release.columns, *(name for name in self._changed if name in there)}
        return tuple(name for name in self.source.columns if name in wanted)

    def figures(self, protected: AnyFile, columns: tuple[str, ...]) -> dict[str, Measured | NotApplicable]:
        """What every measure says, by its name; attacks know all that is released, whatever was changed."""
        found = told_apart(self.all, 0.0, 1.0, lambda measure: self._take(measure, protected, columns))
        return {measure.name: one for measure, one in zip(self.all, found, strict=True)}

    def _take(self, measure: Measure, protected: AnyFile, columns: tuple[str, ...]) -> Measured | NotApplicable:
        try:
            return measure(self.source, protected, columns=None if isinstance(measure, WorstCase) else columns)
        except MicroveilError as problem:
            # what a measure refuses is told beside the plan; the others are measured all the same
            return NotApplicable(measure.name, str(problem))

    def judge(self, release: Release) -> Verdict | None:
        """The verdict by the limits of the scenarios; None where none is stated."""
        stated = any(scenario.thresholds for scenario in self.scenarios)
        return verdict_of(release, self.scenarios) if stated else None

    def reach(self, release: Release) -> tuple[Reached, ...]:
        """What became of the figures that must survive."""
        return reach_goals(Pair.of(self.source, release), self.goals)

    def of_original(self, columns: tuple[str, ...]) -> dict[str, float]:
        """The figures of the unprotected file."""
        if columns not in self._originals:
            found = self.figures(self.source, columns)
            self._originals[columns] = {name: one.value for name, one in found.items() if isinstance(one, Measured)}
        return self._originals[columns]


def _one_of_each_name(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """The measures, each once; figures are kept by name, so that two of one name would hide one another."""
    found: dict[str, Measure] = {}
    for measure in measures:
        if found.setdefault(measure.name, measure) != measure:
            raise BadInput(f"two measures are called {measure.name}, with other parameters; compare by one at a time")
    return tuple(found.values())


def _changed_columns(plan: Plan, source: Microdata) -> tuple[str, ...]:
    """The columns that a plan changes, as far as that is known before it runs."""
    found: list[str] = []
    for step in plan.steps:
        try:
            found += step.method.resolve(source, step)[0]
        except MicroveilError:
            continue  # told when the plan is run
    return tuple(found)


def _keys(first: Key, draws: int) -> list[Key]:
    """The keys of the draws: the one given, and others that follow from it."""
    return [first, *(first.for_data(f"draw {number}") for number in range(2, draws + 1))]


def try_plan(label: str, plan: Plan, measuring: Measuring, keys: Sequence[Key]) -> Trial:
    """Run one plan under each key and take every figure; one that fails is kept with its reason."""
    begun = time.perf_counter()
    both, tried = measuring.both, measuring.all
    try:
        releases = told_apart(keys, 0.0, _RUN, lambda key: plan.run(measuring.source, seed=key))
    except MicroveilError as problem:
        seconds = time.perf_counter() - begun
        return Trial(label, plan, problem=str(problem), measures=both, tried=tried, seconds=seconds)
    first = releases[0]
    columns = measuring.columns(first)
    each = told_apart(releases, _RUN, _MEASURED, lambda release: measuring.figures(release, columns))
    found = _means(each)
    judged = told_apart(releases, _MEASURED, _JUDGED, measuring.judge)
    verdicts = [one for one in judged if one is not None]
    reached = [measuring.reach(release) for release in releases] if measuring.goals else []
    survived = [all(one.kept for one in each) for each in reached]
    seconds = time.perf_counter() - begun
    with within(_JUDGED, 1.0):
        before = measuring.of_original(columns)
    silent = [found[one.name] for one in both]
    trial = Trial(
        label,
        plan,
        problem="; ".join(dict.fromkeys(one.reason for one in silent if isinstance(one, NotApplicable))),
        steps=first.steps,
        rules=count_broken_rules(Pair.of(measuring.source, first)),
        figures=_measured(found),
        each=tuple(map(_measured, each)) if len(each) > 1 else (),
        figures_before=before,
        tried=tried,
        seconds=seconds,
        draws=len(keys),
        left_out=max(measuring.source.n - len(first), 0),
        limits=(sum(bool(one.ok) for one in verdicts), len(verdicts)) if verdicts else None,
        about_limits=next((one.because for one in sorted(verdicts, key=lambda one: bool(one.ok))), ()),
        survive=(sum(survived), len(survived)) if survived else None,
        about_survival=tuple(one.said for one in reached[survived.index(min(survived))]) if survived else (),
    )
    return trial.judged_by(both[0].name, both[1].name)


def _means(draws: Sequence[Mapping[str, Measured | NotApplicable]]) -> dict[str, Measured | NotApplicable]:
    """The figures of several draws: means, with the lowest and the highest; of one draw as they are."""
    if len(draws) == 1:
        return dict(draws[0])
    found: dict[str, Measured | NotApplicable] = {}
    for name, first in draws[0].items():
        each = [draw[name] for draw in draws]
        told = [one for one in each if isinstance(one, Measured)]
        if not isinstance(first, Measured) or len(told) < len(each):
            found[name] = next(one for one in each if isinstance(one, NotApplicable))
            continue
        found[name] = mean_figure(told)
    return found


def _measured(found: Mapping[str, Measured | NotApplicable]) -> dict[str, Measured]:
    return {name: one for name, one in found.items() if isinstance(one, Measured)}
