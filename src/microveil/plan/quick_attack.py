"""The worst case over the attacks that are quick: what a verdict and a risk page say without an evaluation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from microveil.core.measured import Measured, NotApplicable
from microveil.core.progress import told_apart, within
from microveil.core.registry import registered
from microveil.measure import Measure, Pair, Scenario
from microveil.plan.sampled import take_sample
from microveil.plan.worst_case import Said, attacks_on, in_every_way, in_scenarios, worst_case
from microveil.risk import DistanceLinkage, ScenarioRisk

# more records than these are not searched for one by one: some of them tell the share, with an interval
MOST_SEARCHED = DistanceLinkage.overview_sample.most
_BY_THEMSELVES = 0.6  # of the work, about: the rest is what they find in scenarios
ScenarioSaid = tuple[ScenarioRisk, Measured | NotApplicable]


def quick_worst_case(pair: Pair, scenarios: Sequence[Scenario] = ()) -> Measured | NotApplicable:
    """The per cent of records found in the worst case, over attacks that take seconds and over the scenarios."""
    return worst_of_said(pair, quick_said(pair, scenarios))


def quick_said(pair: Pair, scenarios: Sequence[Scenario] = ()) -> list[Said]:
    """What every quick attack finds, by itself and in each scenario."""
    with within(0.0, _BY_THEMSELVES if scenarios else 1.0):
        said = [*quick_attacks(pair), *measure_scenarios(pair, scenarios)]
    with within(_BY_THEMSELVES, 1.0):
        return [*said, *attack_in_scenarios(pair, scenarios, said)]


def worst_of_said(pair: Pair, said: Sequence[Said]) -> Measured | NotApplicable:
    """The worst of what was said of a pair."""
    return worst_case(said, pair.after.n, attacks=attacks_on(pair))


def measure_scenarios(pair: Pair, scenarios: Sequence[Scenario], agreeing: Sequence[str] = ()) -> list[ScenarioSaid]:
    """Every scenario with what is found in it; gaps of the columns `agreeing` agree with any value."""
    asked = [ScenarioRisk().take_scenarios([scenario], agreeing) for scenario in scenarios]
    return [(measure, measure.on(pair)) for measure in asked]


def attack_in_scenarios(pair: Pair, scenarios: Sequence[Scenario], said: Sequence[Said]) -> list[Said]:
    """What the attacks that were tried find in scenarios of which nobody asked them yet."""
    return in_scenarios(said, scenarios, pair, lambda attack: take_sample(attack, pair))


def quick_attacks(pair: Pair, tried: Collection[str] = ()) -> list[Said]:
    """What the attacks that take seconds find, on other scales too; not those whose names were `tried` before."""
    records = max(pair.before.n, pair.after.n)

    def is_wanted(cls: type[Measure]) -> bool:
        is_quick = (cls.reidentifies or cls.gains) and records <= cls.verdict_limit
        return is_quick and cls.needs_nothing() and cls.name not in tried

    def in_its_ways(cls: type[Measure]) -> Sequence[Said]:
        if not cls.concerns(pair):
            return ()
        attack = cls()
        return in_every_way(attack, take_sample(attack, pair), pair, lambda other: take_sample(other, pair))

    attacks = [cls for cls in registered(Measure) if is_wanted(cls)]
    return [one for said in told_apart(attacks, 0.0, 1.0, in_its_ways) for one in said]
