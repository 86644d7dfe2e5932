"""The worst case over the attacks that are quick: what a verdict and a risk page say without an evaluation."""

from __future__ import annotations

from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, Pair
from microveil.measure.sampling import drawn_from
from microveil.plan.worst_case import Said, in_every_way, worst_case
from microveil.risk import DistanceLinkage, GlobalLinkage, ProbabilisticLinkage

# more records than these are not searched for one by one: some of them tell the share, with an interval
MOST_SEARCHED = DistanceLinkage.overview_sample.most
_MOST_ATTACKED = 3_000  # one-to-one and probabilistic linkage of more records take longer than a verdict may


def quick_worst_case(pair: Pair) -> Measured | NotApplicable:
    """The per cent of records linked in the worst case, over attacks that take seconds."""
    tried = [*_attacked(DistanceLinkage(), pair)]
    if max(pair.before.n, pair.after.n) <= _MOST_ATTACKED:
        tried += [*_attacked(GlobalLinkage(), pair), *_attacked(ProbabilisticLinkage(), pair)]
    return worst_case(tried, pair.after.n)


def _attacked(attack: Measure, pair: Pair) -> tuple[Said, ...]:
    def take(one: Measure) -> Measured | NotApplicable:
        sample = one.sample_of_many
        return one.of_pair(pair if sample is None else drawn_from(pair, sample).pair)

    return in_every_way(attack, take(attack), pair, take)
