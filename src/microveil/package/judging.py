"""What ends a run before anything is written: promises given up, rules broken, figures lost, limits not kept.

A refusal names changes that were run on these data and keep everything that is asked for, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from microveil.core.errors import BrokenPromise, OverLimit
from microveil.core.words import counted, list_all
from microveil.engines import FileRelease
from microveil.measure import Pair, Scenario, count_broken_rules
from microveil.package.measured_changes import (
    Asked,
    changes_for_figures,
    changes_for_limits,
    tell_changes,
    unjudged_keys,
)
from microveil.package.published_figures import TO_DO
from microveil.plan.published_totals import compare_published
from microveil.plan.utility_reached import Reached
from microveil.plan.verdict import Verdict, verdict_of
from microveil.run.release import Release
from microveil.study import Held

_NOTHING = "Nothing was written"


def refuse_lost(release: Release | FileRelease, accepted: bool) -> None:
    """Promises that later steps ended are accepted by word only."""
    if release.lost and not accepted:
        raise BrokenPromise(
            f"promises were given up: {'; '.join(release.lost)}; change the order of the steps, or accept it "
            "(accept_lost=True)"
        )


def refuse_unjudged_keys(release: Release, scenarios: Sequence[Scenario], stated: Sequence[str]) -> None:
    """A key that no step changed, and neither a scenario nor a k is about, leaves by word only: nothing judges it."""
    refuse_keys(unjudged_keys(release, scenarios, stated))


def refuse_keys(names: Sequence[str]) -> None:
    """Refuse a release with keys that leave as they are and that no limit is about."""
    if names:
        one = len(names) == 1
        it, leaves = ("it", "is a key that leaves") if one else ("them", "are keys that leave")
        raise BrokenPromise(
            f"{list_all(names)} {leaves} as in the file, and no scenario knows {it}, so that no limit is about {it}; "
            f"take {it} into a step of the plan that changes {it} or keeps a k in {it} (k-anonymise), or into the keys "
            f"of a scenario, give {it} another role, or state under release that this is meant "
            f"(as_they_are: [{', '.join(names)}]). {_NOTHING}"
        )


def refuse_broken_rules(pair: Pair) -> None:
    """A rule that more released records break than original ones ends the run."""
    worse = [rule for rule in count_broken_rules(pair).rules if rule.after > rule.before]
    if worse:
        told = "; ".join(f"{counted(rule.after, 'record')} break {str(rule.edit)!r}" for rule in worse)
        dated = [rule.edit for rule in worse if pair.before.is_of_days(rule.edit)]
        blocks = (
            f", and blocks: [[{', '.join(map(str, dated[-1].columns))}]] keeps dates of a record together"
            if dated
            else ""
        )
        raise BrokenPromise(
            f"rules of the data do not hold: {told}; use methods that keep rules (micro-hybrid does{blocks}), or take "
            f"out those that only happened to hold. {_NOTHING}"
        )


def refuse_broken_goals(release: Release, reached: Sequence[Reached], asked: Asked, advice: bool) -> None:
    """A figure that must survive and does not ends the run."""
    broken = [one for one in reached if not one.kept]
    if broken:
        changes = changes_for_figures(release, [name for one in broken for name in one.goal.columns])
        now = verdict_of(release, asked.scenarios)
        told = tell_changes(release, now, changes, asked) if advice else ()
        raise OverLimit(f"{_count(broken)} not survive. {_NOTHING}", (*(f"- {one.said}" for one in broken), *told))


def refuse_broken_totals(release: Release, pair: Pair, asked: Asked, advice: bool) -> None:
    """A published figure that the release does not give, or that cannot be compared with it, ends the run.

    The original gives it (`refuse_wrong_totals`), so that the plan is the cause.
    """
    broken = [one for one in compare_published(pair, asked.published) if not one.kept]
    if broken:
        needed = [name for one in broken for name in (*one.stated.where, one.stated.of) if name is not None]
        weights = [] if not any(one.weighted for one in broken) else release.original.names("weight")
        changes = changes_for_figures(release, [*needed, *weights])
        told = tell_changes(release, verdict_of(release, asked.scenarios), changes, asked) if advice else ()
        raise OverLimit(
            f"figures that were published do not stand; {TO_DO}. {_NOTHING}",
            (*(f"- {one.said}" for one in broken), *told),
        )


def refuse_over_limit(release: Release, verdict: Verdict, asked: Asked, advice: bool) -> None:
    """A limit of a scenario that is not kept, or not shown to be, ends the run."""
    if verdict.ok is False:
        changes = changes_for_limits(release, verdict, asked.scenarios)
        told = tell_changes(release, verdict, changes, asked) if advice else ()
        raise OverLimit(f"{verdict.because[0]} {_NOTHING}", (*_reasons(verdict), *told))


def refuse_over_search(held: Held) -> None:
    """A limit that the project states for its search ends the run, wherever the plan came from."""
    if held.broken:
        raise OverLimit(
            f"the search section of the project states what every plan must keep, and this release does not: "
            f"{'; '.join(held.broken)}. Search again (microveil search), state another plan, or allow more there. "
            f"{_NOTHING}"
        )


def _reasons(verdict: Verdict) -> Iterator[str]:
    """What else is found; and what the limits themselves suggest, which nobody measured."""
    yield from (f"- {one}" for one in verdict.because[1:])
    if verdict.help:
        yield f"To think about (not measured): {'; '.join(verdict.help)}."


def _count(broken: Sequence[Reached]) -> str:
    return "a figure that must survive does" if len(broken) == 1 else f"{len(broken)} figures that must survive do"
