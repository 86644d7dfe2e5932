"""The search for the best plan: propose, measure, settle in order, confirm what is recommended."""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from statistics import fmean

from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.core.streams import Key
from microveil.core.words import kind_of
from microveil.data.microdata import AnyData, Microdata
from microveil.measure import Scenario
from microveil.plan.inspecting import inspect
from microveil.plan.labelled import AnyPlans, label_plans
from microveil.plan.objectives import Objective
from microveil.plan.plan import Plan
from microveil.plan.plan_words import words_of
from microveil.plan.space import Space, canonical_text
from microveil.plan.utility_plan import Goal
from microveil.study.aims import Aims, Required
from microveil.study.area import edge_of
from microveil.study.arms import Arms
from microveil.study.budget import budget_of, longest_trial
from microveil.study.confirming import DRAWS, Confirmed
from microveil.study.journal import VERSION, Journal, begun_before, mark_of_data, place_of
from microveil.study.lines import alone_in, mark_of_key
from microveil.study.measuring import Bench, Original, Point, Task, begin_measuring, lost
from microveil.study.proposing import Proposal, Proposer
from microveil.study.sampling import NO_SAMPLER, is_installed
from microveil.study.study import TIME_UP, Study
from microveil.study.tried import Found, Survived, Tried, figure_of
from microveil.study.workers import Answering, Workers

LAG = 8  # a proposal knows what was settled so many proposals before it, however many workers there are
_FOR_SEARCH = 0.85  # of the budget; the rest is for confirming what is recommended
_MOST_CONFIRMED = 5  # plans that are run again, one after the other, until the best keeps the limits in every draw

Progress = Callable[[str, int, int], None]


def search(
    data: AnyData,
    *,
    budget: str | float | None = None,
    trials: int | None = None,
    workers: int = 2,
    seed: int | str | bytes | Key | None = None,
    objectives: Sequence[Objective] | None = None,
    at_most: Mapping[str, float] | None = None,
    require: Sequence[Required] = (),
    scenarios: Sequence[Scenario] = (),
    measures: Sequence[Objective] = (),
    utility: Sequence[Goal | Mapping[str, object]] = (),
    columns: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    without: Sequence[str] = (),
    plans: AnyPlans = (),
    folder: str | Path | None = None,
    progress: Progress | None = None,
    watch: Callable[[Study], None] | None = None,
) -> Study:
    """Try methods and parameters on data and return the study: every trial, the best of them, and a recommendation.

    It ends after `budget` ("60 s" unless said, "5 min", "1 h", "40 trials") or after so many `trials`. `objectives` are
    the measures of loss and of risk, by name: ("pil", "worst-case") where all columns are amounts, and where there are
    categories ("overall-loss", "worst-case"); other `measures` are taken besides, and a study can be judged by them
    afterwards. `at_most` limits measures or what is found in scenarios, `require` names promises that every plan must
    make, and `utility` figures that must survive, each with what is tolerated, as in a project; rules of the data are
    always required. `columns` are those to protect, `methods` and `without` the methods to try and to leave out,
    `plans` are tried first and varied. In `folder` a journal is kept: the same search goes on there after it was
    stopped. The same seed gives the same study with any number of workers; a budget only cuts it earlier. `watch` is
    shown the study so far after each trial.
    """
    since = time.monotonic()
    source = Microdata.of(data)
    seconds, most = budget_of(budget, trials)
    _check_workers(workers)
    aims = Aims.of(source, objectives, scenarios, at_most, require, measures, utility)
    bench = Bench(source, aims)
    original = bench.original()
    place = None if folder is None else Path(folder)
    begun = _begin_with(source, plans, columns is None and methods is None, place)
    arms = Arms.of(source, columns, methods, without, begun)
    if not arms.single:
        raise BadInput("no method that may be tried suits these data; give other columns or methods")
    space: Json = {"columns": _listed(columns), "methods": _listed(methods), "without": list(without)}
    space["plans"] = [plan.to_mapping() for plan in begun]
    head = {"study": VERSION, "data": mark_of_data(source), "aims": aims.to_json(), "space": space}
    with alone_in(place, "the study"):
        journal = Journal(place, {**head, "key": mark_of_key(seed)})
        measurers = Workers(partial(begin_measuring, source, aims), workers, longest_trial(seconds), lost)
        try:
            run = Run(bench, original, arms, journal, measurers, Key.of(seed), progress, since, watch, workers)
            return run.study(seconds, most, _left_out(source, columns, methods, without))
        finally:
            measurers.close()


@dataclass
class _Waiting:
    proposal: Proposal
    found: Future[Found]
    noted: bool = False  # it stands in the journal already


class Run:
    """One search as it goes: the trials settled so far, and those under way."""

    def __init__(
        self,
        bench: Bench,
        original: Original,
        arms: Arms,
        journal: Journal,
        measurers: Answering[Task, Found],
        key: Key,
        progress: Progress | None = None,
        begun: float | None = None,
        watch: Callable[[Study], None] | None = None,
        workers: int = 1,
    ) -> None:
        self._side_by_side = workers
        self._aims, self._original = bench.aims, original
        self._proposer = Proposer(arms, (bench.aims.loss, bench.aims.risk), original[:2])
        self._journal, self._measurers, self._key, self._progress = journal, measurers, key, progress
        self._noted = deque(journal.trials)
        self._noted_draws = dict(journal.draws)
        journal.trials = []
        self._trials: list[Tried] = []
        self._begun = time.monotonic() if begun is None else begun
        self._watch = watch

    def study(self, seconds: float | None, trials: int | None, left_out: Mapping[str, str]) -> Study:
        """Search until the time or the number of trials is up, then confirm what is recommended."""
        ended = self._search(None if seconds is None else _FOR_SEARCH * seconds, seconds, trials)
        notes = () if is_installed() else (NO_SAMPLER,)
        study = Study(tuple(self._trials), self._aims, (), dict(left_out), self._seconds(), ended, notes)
        return self._confirmed(study, seconds)

    # -- searching -------------------------------------------------------------------------------

    def _search(self, until: float | None, whole: float | None, trials: int | None) -> str:
        waiting: deque[_Waiting] = deque()
        ended = self._until_the_end(waiting, until, whole, trials)
        for one in waiting:
            one.found.cancel()  # confirming does not wait for what nobody asks for any more
        return ended

    def _until_the_end(
        self, waiting: deque[_Waiting], until: float | None, whole: float | None, trials: int | None
    ) -> str:
        asked = 0
        while True:
            if len(waiting) == LAG and not self._settle(waiting, until):
                return TIME_UP
            late = until is not None and self._seconds() >= until and not self._noted
            if asked == trials or (late and asked):
                break
            proposal = self._proposer.next()
            if proposal is None and not waiting:
                return "no plan was left to try"
            if proposal is None:  # what is under way may lead to others
                if not self._settle(waiting, until):
                    return TIME_UP
                continue
            asked += 1
            waiting.append(self._begin(proposal))
            self._tell(proposal.candidate.plan, whole, trials)
        while waiting:
            if not self._settle(waiting, until):
                return TIME_UP
        return "all trials asked for were made" if asked == trials else TIME_UP

    def _begin(self, proposal: Proposal) -> _Waiting:
        """A plan under way: from the journal if it was measured before."""
        text = proposal.candidate.text
        if self._noted:
            known, found = self._noted.popleft()
            if known != text:
                raise BadInput(
                    "the journal holds other plans than this search would try, as after a change of the methods "
                    "installed; give another folder"
                )
            done: Future[Found] = Future()
            done.set_result(found)
            return _Waiting(proposal, done, noted=True)
        task = Task(proposal.candidate.plan, self._key_of(text), self._rivals(False), self._rivals(True))
        return _Waiting(proposal, self._measurers.submit(task))

    def _settle(self, waiting: deque[_Waiting], until: float | None) -> bool:
        """Take the result of the plan that was asked for first; False if the time is up before it is there.

        The first plan of all is measured however slow the machine is: a study of nothing helps nobody.
        """
        first = waiting[0]
        try:
            found = first.found.result(None if until is None or not self._trials else max(0.0, until - self._seconds()))
        except TimeoutError:
            return False
        waiting.popleft()
        text = first.proposal.candidate.text
        if first.noted:
            self._journal.trials.append((text, found))
        else:
            found = _as_noted(found)
            self._journal.note_trial(text, found)
        trial = self._tried(first.proposal, found, len(self._trials))
        self._trials.append(trial)
        self._proposer.told(first.proposal, trial)
        if self._watch is not None:
            self._watch(Study(tuple(self._trials), self._aims, seconds=self._seconds()))
        return True

    def _rivals(self, synthetic: bool) -> tuple[Point, ...]:
        """The best plans of one kind that keep every limit: by these alone others may be discarded early."""
        alike = [trial for trial in self._trials if trial.is_candidate and trial.synthetic == synthetic]
        return tuple(edge_of([trial.less_is_better for trial in alike if not self._aims.over(trial)]))

    def _tried(self, proposal: Proposal, found: Found, number: int) -> Tried:
        plan, text = proposal.candidate.plan, proposal.candidate.text
        return _trial_of(plan, text, proposal.arm.name, found, number, self._aims, self._original)

    def _key_of(self, *path: str | int) -> Key:
        """The key of one run: nobody learns that of the study from it."""
        place = json.dumps(["trial", *path], ensure_ascii=False).encode()
        digest = hashlib.blake2b(place, key=self._key.secret, digest_size=32, person=b"microveil-study")
        return Key(digest.digest(), self._key.strong)

    # -- confirming ------------------------------------------------------------------------------

    def _confirmed(self, study: Study, seconds: float | None) -> Study:
        """The study with the best plan run again, and the next best where a draw breaks a limit or it was lucky."""
        confirmed: list[Confirmed] = []
        for _ in range(_MOST_CONFIRMED):
            study = replace(study, confirmed=tuple(confirmed), seconds=self._seconds())
            chosen = study.contender()
            if chosen is None or study.confirmed_draws(chosen) is not None:
                return study
            # the first is confirmed however long it takes: nobody should decide on one draw
            draws = self._draws(chosen, seconds if confirmed else None, len(confirmed) + 1)
            if draws is None:
                return study
            confirmed.append(draws)
        return replace(study, confirmed=tuple(confirmed), seconds=self._seconds())

    def _draws(self, chosen: Tried, seconds: float | None, number_of_plan: int) -> Confirmed | None:
        """The plan under fresh keys; None if the time is up before."""
        known = {number: self._noted_draws.get((chosen.text, number)) for number in range(DRAWS)}
        begun = {
            number: self._measurers.submit(Task(chosen.plan, self._key_of(chosen.text, "draw", number)))
            for number, found in known.items()
            if found is None
        }
        draws = [chosen]
        for number, found in known.items():
            self._tell_draw(draws, number_of_plan)
            if found is None:
                try:
                    left = None if seconds is None else max(0.0, seconds - self._seconds())
                    found = _as_noted(begun[number].result(left))
                except TimeoutError:
                    return None
                self._journal.note_draw(chosen.text, number, found)
            draws.append(
                _trial_of(chosen.plan, chosen.text, chosen.arm, found, chosen.number, self._aims, self._original)
            )
        return Confirmed(tuple(draws))

    # -- time ------------------------------------------------------------------------------------

    def _seconds(self) -> float:
        return time.monotonic() - self._begun

    def _tell(self, plan: Plan, seconds: float | None, trials: int | None) -> None:
        if self._progress is None:
            return
        done, whole = (len(self._trials), trials or 0) if seconds is None else (int(self._seconds()), int(seconds))
        self._progress(f"plan {len(self._trials) + 1}, {words_of(plan)}", min(done, whole) + 1, whole + 1)

    def _tell_draw(self, draws: Sequence[Tried], number_of_plan: int) -> None:
        """How far confirming is: which plan of how many at most, which draw, and how long its draws may take."""
        if self._progress is None:
            return
        took = fmean(draw.seconds or 0.0 for draw in draws)
        left = took * ceil((DRAWS + 1 - len(draws)) / self._side_by_side)
        self._progress(
            f"confirming {draws[0].label} (plan {number_of_plan} of {_MOST_CONFIRMED} at most), draw {len(draws)} of "
            f"{DRAWS}, about {max(1, round(left))} s left for it",
            len(draws),
            DRAWS + 1,
        )


def _trial_of(plan: Plan, text: str, arm: str, found: Found, number: int, aims: Aims, original: Original) -> Tried:
    figures = {name: figure_of(one) for name, one in found.figures.items()}
    trial = Tried(
        words_of(plan),
        plan,
        problem=found.problem,
        rules=found.broken,
        figures=figures,
        figures_before=original.figures,
        tried=aims.measures,
        seconds=found.seconds,
        state=found.state,
        number=number,
        text=text,
        place=place_of(text),
        arm=arm,
        scenarios=found.scenarios,
        over=found.over,
        at_least=found.at_least,
        synthetic=found.synthetic,
        barely=original.barely,
        acted_on=found.acted_on,
        left_out=found.left_out,
        reached={name: Survived.from_json(one) for name, one in found.reached.items()},
        nobody=found.nobody,
    )
    return trial.judged_by(*aims.names)


def _as_noted(found: Found) -> Found:
    """What comes back from the journal: a study that is taken up again holds the very same."""
    return Found.from_json(json.loads(json.dumps(found.to_json())))


def _check_workers(workers: int) -> None:
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise BadInput(f"workers is {kind_of(workers)}; give a whole number from 1 to {LAG}")
    if not 1 <= workers <= LAG:
        raise BadInput(f"{workers} workers are not possible; give 1 to {LAG}, since more would wait for one another")


def _begin_with(data: Microdata, plans: AnyPlans, proposed: bool, folder: Path | None) -> tuple[Plan, ...]:
    """The plans given, and the one that a first look at data with keys proposes.

    A study that is taken up has those that it was begun with, if it knows all that are given now: a project may hold
    the plan that the study recommended by then.
    """
    given = list(label_plans(plans).values()) if plans else []
    before = None if folder is None else begun_before(folder)
    if before is not None and {canonical_text(plan) for plan in given} <= before.known:
        return before.plans
    if proposed and data.names("key"):
        found = inspect(data).plan
        given += [found] if found is not None and found not in given else []
    return tuple(given)


def _listed(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def _left_out(
    data: Microdata, columns: Sequence[str] | None, methods: Sequence[str] | None, without: Sequence[str]
) -> dict[str, str]:
    """Why methods are not tried."""
    space = Space.of(data, columns)
    asked = {name: "it was not asked for" for name in space.members if methods is not None and name not in methods}
    return {**space.left_out, **asked, **dict.fromkeys(without, "it was left out")}
