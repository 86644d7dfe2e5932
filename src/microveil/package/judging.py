"""What ends a run before anything is written: promises given up, rules broken, figures lost, limits not kept.

Each refusal says which change would help, as measured on these data.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from microveil.core.errors import BrokenPromise, OverLimit
from microveil.core.words import counted
from microveil.measure import Pair, Scenario, count_broken_rules
from microveil.plan.advising import advise
from microveil.plan.utility_advice import advise_for_goals
from microveil.plan.utility_reached import Reached
from microveil.plan.verdict import Verdict
from microveil.run.release import Release
from microveil.study import Held

_MOST_SAID = 4
_NOTHING = "Nothing was written"


def refuse_lost(release: Release, accepted: bool) -> None:
    """Promises that later steps ended are accepted by word only."""
    if release.lost and not accepted:
        raise BrokenPromise(
            f"promises were given up: {'; '.join(release.lost)}; change the order of the steps, or accept it "
            "(--accept-lost; in Python accept_lost=True)"
        )


def refuse_broken_rules(pair: Pair) -> None:
    """A rule that more released records break than original ones ends the run."""
    worse = [rule for rule in count_broken_rules(pair).rules if rule.after > rule.before]
    if worse:
        told = "; ".join(f"{counted(rule.after, 'record')} break {str(rule.edit)!r}" for rule in worse)
        raise BrokenPromise(
            f"rules of the data do not hold: {told}; use methods that keep rules (micro-hybrid does), or take out "
            f"those that only happened to hold. {_NOTHING}"
        )


def refuse_broken_goals(
    release: Release, reached: Sequence[Reached], scenarios: Sequence[Scenario], advice: bool
) -> None:
    """A figure that must survive and does not ends the run."""
    broken = [one for one in reached if not one.kept]
    if broken:
        told = " ".join(one.said for one in broken)
        help_ = advise_for_goals(release, [one.goal for one in broken], scenarios) if advice else ()
        raise OverLimit(f"{told}{_what_helps(help_)} {_NOTHING}")


def refuse_over_limit(release: Release, verdict: Verdict, scenarios: Sequence[Scenario], advice: bool) -> None:
    """A limit of a scenario that is not kept, or not shown to be, ends the run."""
    if verdict.ok is False:
        said = f"{' '.join(verdict.because)} What would help: {'; '.join(verdict.help)}."
        help_ = advise(release, verdict.attacked, scenarios).lines if advice else ()
        raise OverLimit(f"{said}{_what_helps(help_)} {_NOTHING}")


def refuse_over_search(held: Held) -> None:
    """A limit that the project states for its search ends the run, wherever the plan came from."""
    if held.broken:
        raise OverLimit(
            f"the search section of the project states what every plan must keep, and this release does not: "
            f"{'; '.join(held.broken)}. Search again (microveil search), state another plan, or allow more there. "
            f"{_NOTHING}"
        )


def _what_helps(lines: Sequence[str]) -> str:
    said = " ".join(islice(lines, _MOST_SAID))
    return f" Changes that were measured: {said}" if said else ""
