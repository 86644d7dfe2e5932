"""Changes of a plan that would let a refused run pass: each is run on the data and judged by all that ends a run."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from microveil.claims import Claim
from microveil.claims.groups import RowsAlike
from microveil.core.errors import MicroveilError, NothingHidden
from microveil.core.numbers import format_number
from microveil.core.streams import Key
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.mask import LocalSuppression
from microveil.measure import Pair, Scenario, count_broken_rules
from microveil.measure.sampling import drawn_rows
from microveil.package.published_figures import published_faults
from microveil.plan.advised_changes import PlanChange, changes_against
from microveil.plan.advising import DRAWS, succeeding
from microveil.plan.compared import compare_columns
from microveil.plan.evaluating import evaluate
from microveil.plan.evaluation import Measures
from microveil.plan.milder_changes import milder_changes
from microveil.plan.plan import Plan
from microveil.plan.plan_words import in_words
from microveil.plan.release_plan import Published
from microveil.plan.untouched import find_untouched
from microveil.plan.utility_plan import Goal
from microveil.plan.utility_reached import reach_goals
from microveil.plan.verdict import Verdict, verdict_of
from microveil.run.contract import Step
from microveil.run.release import Release
from microveil.study import SearchLimits

MOST_RECORDS = 20_000  # records on which changed plans are run
MOST_TRIED, MOST_NAMED = 8, 3


@dataclass(frozen=True)
class Asked:
    """All that ends a run: limits of scenarios and of the search, figures that must survive or were published.

    `as_they_are` are columns that may leave as in the file.
    """

    scenarios: tuple[Scenario, ...] = ()
    goals: tuple[Goal, ...] = ()
    published: tuple[Published, ...] = ()
    measures: Measures = None
    search: SearchLimits | None = None
    as_they_are: tuple[str, ...] = ()


def unjudged_keys(release: Release, scenarios: Sequence[Scenario], stated: Sequence[str]) -> list[str]:
    """The keys that no step changed and nothing judges, without those of which it is stated that they may leave."""
    known = judged_keys(release.claims, scenarios)
    keys = [name for name in release.as_they_are.columns if release.original.roles[name] == "key"]
    return [name for name in keys if name not in known and name not in stated]


def judged_keys(claims: Iterable[Claim], scenarios: Sequence[Scenario]) -> set[str]:
    """The columns that a scenario knows, or in which records are shown to be alike, though nothing had to change."""
    alike = {name for claim in claims if isinstance(claim, RowsAlike) and claim.k > 1 for name in claim.columns}
    return alike | {name for one in scenarios for name in one.columns}


def changes_for_figures(release: Release, needed: Iterable[str]) -> Iterator[PlanChange]:
    """Milder settings, and columns that are left as they are, where figures of these columns do not survive."""
    yield from milder_changes([(record.step, record.columns) for record in release.steps], needed)


def changes_for_limits(release: Release, verdict: Verdict, scenarios: Sequence[Scenario]) -> Iterator[PlanChange]:
    """Settings that protect more, steps for columns that none touched, and cells of keys hidden."""
    steps = tuple(record.step for record in release.steps)
    pair = compare_columns(Pair.of(release.original, release)).pair
    yield from _hidden_keys(steps, pair, scenarios)
    attacks, every = succeeding(verdict.attacked)
    yield from changes_against(steps, attacks, every, pair, find_untouched(pair, release.columns))


def _hidden_keys(steps: tuple[Step, ...], pair: Pair, scenarios: Sequence[Scenario]) -> Iterator[PlanChange]:
    """Cells suppressed in the keys of every scenario whose limit on the risk asks for classes of some size."""
    added = []
    for scenario in scenarios:
        limit = (scenario.thresholds or {}).get("risk")
        keys = [name for name in scenario.keys if name in pair.columns and pair.before.kinds[name] != "continuous"]
        if limit and keys:
            added.append(Step(LocalSuppression(k=max(2, math.ceil(1 / limit))), keys, missing="mask"))
    if added:
        words = " and ".join(f"{in_words(step.method)} on {list_all(list(step.columns or ()))}" for step in added)
        yield PlanChange(f"{words}, at the end", (*steps, *added))


def tell_changes(release: Release, now: Verdict, changes: Iterator[PlanChange], asked: Asked) -> tuple[str, ...]:
    """The changes after which nothing would end the run, a line for each; or that none of those tried is one."""
    data = _some_records(release.original)
    named, tried = [], list[str]()
    for change in islice(changes, MOST_TRIED):
        tried.append(change.words)
        verdict = _passes(data, change.steps, asked)
        if verdict is not None:
            named.append(f"- {change.words}: {_cost(now, verdict)}.")
        if len(named) == MOST_NAMED:
            break
    if not tried:
        return ("No change of this plan is known that could be tried.",)
    among = "these" if data.n == release.original.n else f"{data.n:,} of the"
    on = f"on {among} {counted(release.original.n, 'record')}"
    if not named:
        them = "The change that was tried does not keep" if len(tried) == 1 else f"None of {len(tried)} changes keeps"
        return (f"{them} every limit, rule and figure {on}. What was tried:", *(f"- {words}" for words in tried))
    return (f"What would help: every limit, rule and figure was kept {on} by", *named)


def _passes(data: Microdata, steps: Sequence[Step], asked: Asked) -> Verdict | None:
    """The verdict on a plan that keeps everything under all keys tried; None if it does not, or cannot be run."""
    draws = DRAWS if any(step.method.random for step in steps) else 1
    found = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingHidden)
            releases = [Plan(steps).run(data, seed=Key.of(key)) for key in range(1, draws + 1)]
        for release in releases:
            if not _keeps(release, asked) or verdict_of(release, asked.scenarios).ok is False:
                return None
        for release in releases:  # and by all measures of the run itself, which take longer
            figures = evaluate(data, release, measures=asked.measures, scenarios=asked.scenarios)
            found = verdict_of(release, asked.scenarios, figures)
            if found.ok is False:
                return None
    except MicroveilError:
        return None  # this change cannot be made
    return found


def _keeps(release: Release, asked: Asked) -> bool:
    pair = Pair.of(release.original, release)
    return not (
        release.lost
        or release.exposed  # nor would it be written
        or unjudged_keys(release, asked.scenarios, asked.as_they_are)
        or any(rule.after > rule.before for rule in count_broken_rules(pair).rules)
        or any(not one.kept for one in reach_goals(pair, asked.goals))
        or published_faults(pair, asked.published)
        or (asked.search is not None and asked.search.hold(release).broken)
    )


def _cost(now: Verdict, then: Verdict) -> str:
    told = [
        f"{name} {format_number(before or 0.0)} -> {format_number(after or 0.0)} %"
        for name, before, after in (
            ("loss of amounts (PIL)", now.loss, then.loss),
            ("loss of categories (tables, classes spread)", now.loss_of_categories, then.loss_of_categories),
        )
        if before is not None or after is not None
    ]
    return ", ".join(told) or "no loss is measured"


def _some_records(data: Microdata) -> Microdata:
    if data.n <= MOST_RECORDS:
        return data
    rows = drawn_rows(np.arange(data.n), MOST_RECORDS, "records on which changes are tried")
    return data.with_(data.narwhal[rows.tolist()].to_native())
