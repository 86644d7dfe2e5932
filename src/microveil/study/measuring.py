"""Measuring one plan: what is cheap first, and no further than it takes to know that the plan is beaten.

Loss comes first, then copies of originals, then linkage of some records, then every attack. Each stage gives a bound
that the risk does not fall below. A plan that another one beats by such a bound is discarded; it has no risk then, and
so never stands among the best. What stays was measured to the end, by the same worst case as an evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from microveil.attack import Verbatim
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Measure, Pair, count_broken_rules
from microveil.measure.keys import common_codes
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.plan.anonymity import agreeing_columns
from microveil.plan.compared import compare_columns
from microveil.plan.judged_limits import Looked, judge_limits, look_at
from microveil.plan.plan import Plan
from microveil.plan.quick_attack import worst_of_said
from microveil.plan.sampled import on_sample, take_sample
from microveil.plan.utility_reached import Reached, reach_goals
from microveil.plan.verdict_limits import attacks_in, is_about_nobody, is_synthetic
from microveil.plan.worst_case import NAME as WORST
from microveil.plan.worst_of_quick import WorstCase
from microveil.risk import DistanceLinkage
from microveil.run.release import Release
from microveil.study.aims import Aims
from microveil.study.tried import Found, Survived
from microveil.study.workers import Lost

_FEW = 200  # records by which compiled code is loaded
_SEARCHED = 300  # originals that the first linkage looks for, among all released records

Point = tuple[float, float]  # loss and risk, both turned so that less is better


@dataclass(frozen=True)
class Task:
    """One plan to measure: the key of its streams, and the plans by which it may be beaten.

    Those of synthetic records beat such plans alone (`rivals_synthetic`): their risk is that of other attacks.
    """

    plan: Plan
    key: Key
    rivals: tuple[Point, ...] = ()
    rivals_synthetic: tuple[Point, ...] = ()


class Original(NamedTuple):
    """Loss and risk of the unprotected file, and the risk from which on a plan is as good as unprotected.

    That is the end of the interval of its risk: records as few as these tell no more. `figures` are all, by name.
    """

    loss: float
    risk: float
    barely: float
    figures: Mapping[str, float]


class _Ended(Exception):
    """Measuring ends here; `found` says why."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.problem)
        self.found = found


def begin_measuring(source: Microdata, aims: Aims) -> Callable[[Task], Found]:
    """What measures plans in a process of its own.

    Compiled code is loaded by looking at a few records first, so that no plan is given up for that.
    """
    few = source.with_(source.narwhal[:_FEW, :].to_native())
    with suppress(MicroveilError):  # what does not suit so few records may suit all of them
        Bench(few, aims).original()
    return Bench(source, aims).measure


def lost(_: Task, why: Lost) -> Found:
    """What is told of a plan whose process was ended, or ended itself."""
    return Found("took too long" if why.too_long else "failed", why.seconds, why.problem)


class Bench:
    """The data and the aims of a study, on which plans are measured."""

    def __init__(self, source: Microdata, aims: Aims) -> None:
        self.source, self.aims = source, aims
        self._looked_at = aims.loss.choose(self._pair(source))

    def original(self) -> Original:
        """Loss and risk of the unprotected file; measures that say nothing of the data are an error."""
        pair = self._pair(self.source)
        found = {measure.name: _take(measure, pair) for measure in self.aims.measures}
        both = [found[name] for name in self.aims.names]
        silent = [f"{one.name}: {one.reason}" for one in both if isinstance(one, NotApplicable)]
        if silent:
            raise BadInput(f"these data cannot be judged by {'; '.join(silent)}; give other objectives=(loss, risk)")
        loss, risk = (one for one in both if isinstance(one, Measured))
        ends = risk.interval or (risk.value, risk.value)
        figures = {name: one.value for name, one in found.items() if isinstance(one, Measured)}
        return Original(loss.value, risk.value, ends[1] if risk.better == "higher" else ends[0], figures)

    def measure(self, task: Task) -> Found:
        """All that is found out about a plan, with the seconds it took."""
        begun = time.perf_counter()
        try:
            found = self._measure(task)
        except _Ended as ended:
            found = ended.found
        except MicroveilError as problem:
            found = Found("failed", 0.0, str(problem))
        except Exception as problem:  # noqa: BLE001 - a fault of one method must not end a search of hours
            found = Found("failed", 0.0, f"this is a fault of a method or measure: {type(problem).__name__}: {problem}")
        return replace(found, seconds=time.perf_counter() - begun)

    # -- the stages ------------------------------------------------------------------------------

    def look_at(self, release: Release) -> Found:
        """The same of a release of these data that somebody else made, to the end."""
        try:
            return self._of_release(release, (), ())
        except _Ended as ended:
            return ended.found

    def _measure(self, task: Task) -> Found:
        return self._of_release(task.plan.run(self.source, seed=task.key), task.rivals, task.rivals_synthetic)

    def _of_release(self, release: Release, rivals: Sequence[Point], rivals_synthetic: Sequence[Point]) -> Found:
        self._check_rules(release)
        self._check_promises(release)
        pair = self._pair(release)
        if _is_copy(pair):
            raise _Ended(Found("copies the original", 0.0, "the records are those of the original, in another order"))
        synthetic = is_synthetic(pair)
        loss = self._loss(pair)
        figures = {loss.name: loss}
        lost = _turned(self.aims.loss, loss.value)
        alike = rivals_synthetic if synthetic else rivals
        better = [risk for other, risk in alike if other < lost]
        if isinstance(self.aims.risk, WorstCase) and better:
            self._discard_early(pair, figures, min(better))
        whole = Pair.of(self.source, release)
        looked = self._look(whole, pair, release)
        for measure in (self.aims.risk, *self.aims.others):
            told = worst_of_said(pair, looked.said) if measure.name == WORST else _take(measure, pair)
            if isinstance(told, Measured):
                figures[measure.name] = told
            elif measure is self.aims.risk:
                raise _Ended(Found("not measured", 0.0, told.reason, _plain(figures)))
        proven_k = None if release.guarantee is None else release.guarantee.k
        shares, over = _judged(whole, looked, proven_k)
        acted_on = tuple(tuple(step.columns) for step in release.steps)
        left_out = max(self.source.n - len(release), 0)
        return Found(
            "measured",
            0.0,
            "",
            _plain(figures),
            shares,
            over,
            synthetic=synthetic,
            acted_on=acted_on,
            left_out=left_out,
            reached={one.goal.name: _survived(one).to_json() for one in reach_goals(whole, self.aims.utility)},
            nobody=tuple(one.name for one in self.aims.scenarios if is_about_nobody(whole, one)),
        )

    def _check_rules(self, release: Release) -> None:
        rules = count_broken_rules(Pair.of(self.source, release))
        if rules.after > rules.before:
            told = f"{rules.after} records break a rule of the data, {rules.before} do in the original"
            raise _Ended(Found("breaks rules", 0.0, told, rules=(rules.before, rules.after)))

    def _check_promises(self, release: Release) -> None:
        missing = self.aims.unpromised(release)
        if missing:
            told = "; ".join(str(claim) for claim in missing)
            raise _Ended(Found("promises too little", 0.0, f"it does not promise that {told}"))

    def _loss(self, pair: Pair) -> Measured:
        loss = _take(self.aims.loss, pair)
        if isinstance(loss, NotApplicable):
            raise _Ended(Found("not measured", 0.0, loss.reason))
        unseen = [name for name in self._looked_at if name not in self.aims.loss.choose(pair)]
        if unseen:
            told = f"{loss.name} says nothing of {', '.join(map(str, unseen))} as released"
            raise _Ended(Found("not measured", 0.0, told))
        return loss

    def _discard_early(self, pair: Pair, figures: Mapping[str, Measured], rival: float) -> None:
        """End if a plan that loses less has a risk of `rival`, and this one is known to have no lower one."""
        stages = (("loss alone", _nothing), ("copies of originals", _copied), ("linkage of some records", _linked))
        for stage, bound in stages:
            at_least = bound(pair)
            if at_least >= rival:
                told = f"another plan loses less at a risk of {rival:.4g}, and this one is no safer, as {stage} shows"
                raise _Ended(Found("discarded", 0.0, told, _plain(figures), at_least=at_least))

    def _look(self, whole: Pair, pair: Pair, release: Release) -> Looked:
        """What attacks and scenarios find, as in a verdict, where the worst case or limits of scenarios ask for it."""
        wanted = any(measure.name == WORST for measure in (self.aims.risk, *self.aims.others))
        limited = any(scenario.thresholds for scenario in self.aims.scenarios)
        if not wanted and not limited:
            return Looked((), (), ())
        return look_at(whole, pair, self.aims.scenarios, agreeing_columns(release))

    def _pair(self, release: Release | Microdata) -> Pair:
        """Both files as an evaluation sees them."""
        return compare_columns(Pair.of(self.source, release)).pair


def _judged(pair: Pair, looked: Looked, proven_k: int | None) -> tuple[dict[str, float], dict[str, str]]:
    """The per cent of records at risk in each scenario that states limits, and why some are not kept."""
    shares: dict[str, float] = {}
    for measure, result in looked.measured:
        (scenario,) = measure.scenarios
        if scenario.thresholds and isinstance(result, Measured):
            told = [one.at_risk for one in attacks_in(scenario, looked.said) if one.at_risk is not None]
            shares[scenario.name] = max([result.value, *told])
    judged = judge_limits(pair, looked, proven_k).judged
    return shares, {one.scenario.name: one.said for one in judged if not one.kept}


def _survived(reached: Reached) -> Survived:
    """What became of a figure, without what an infinite change cannot be in a journal."""
    found = reached.found
    return Survived(reached.kept, found if found is not None and isfinite(found) else None, reached.told)


def _take(measure: Measure, pair: Pair) -> Measured | NotApplicable:
    """What a measure says, of a large file from a sample as in an evaluation."""
    return measure.on(pair) if isinstance(measure, WorstCase) else take_sample(measure, pair)


def _turned(measure: Measure, value: float) -> float:
    return -value if measure.better == "higher" else value


def _is_copy(pair: Pair) -> bool:
    """Whether the release holds the very records of the original, in whatever order."""
    tables = pair.tables(pair.columns)
    if not pair.columns or len(pair.rows_before) != len(pair.rows_after):
        return False
    labels = group_rows(np.vstack(common_codes(*tables)))[0]
    before, after = np.split(labels, [len(pair.rows_before)])
    return bool(np.array_equal(np.sort(before), np.sort(after)))


def _nothing(_: Pair) -> float:
    """No risk is below this one."""
    return 0.0


def _copied(pair: Pair) -> float:
    """The per cent of records that stand there as they are, beyond chance: the worst case holds it too."""
    measure = Verbatim()
    found = measure.on(pair)
    return measure.advantage(found) if isinstance(found, Measured) else 0.0


def _linked(pair: Pair) -> float:
    """The lower end of the interval of what linkage finds, looking for some originals among all released records."""
    measure, sample = DistanceLinkage(), Sample("searched", _SEARCHED)
    if not measure.concerns(pair) or not sample.applies(pair):
        return 0.0
    found = on_sample(measure, pair, sample)
    if not isinstance(found, Measured):
        return 0.0
    return (found.interval or share_interval(found.value, _SEARCHED))[0]


def _plain(figures: Mapping[str, Measured]) -> dict[str, dict[str, object]]:
    return {name: one.to_json() for name, one in figures.items()}
