"""What each attack found, whether it succeeds, and what to do against it: the table below the worst case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from microveil.attack import Attack
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import list_all
from microveil.measure import Measure, Scenario
from microveil.measure.scenarios import at_risk_part, tolerated_share
from microveil.measure.shares import share_interval
from microveil.plan.proven_limits import exceeds_bound, is_kept_by_proof
from microveil.plan.worst_case import Said, part_name

_CLEARLY = 1.0  # per cent of the records above what guessing finds
_LEAST_TOLD = 0.001  # per cent
_MOST_NAMED = 3  # columns


@dataclass(frozen=True)
class Attacked:
    """What an attack found in its strongest way: per cent of records, beside what guessing finds.

    `counts`: it says whose record is whose, so that the worst case takes it in. `succeeds`: it finds clearly more than
    guessing does and than a proof allows, or more than the limits of its scenario tolerate.
    """

    measure: Measure
    scenario: str
    found: float
    guessing: float
    counts: bool
    succeeds: bool
    certain: float | None = None  # per cent of the records that it claims with confidence; None: it claims none so
    unknown: tuple[str, ...] = ()  # released columns that one without a scenario does not know

    @property
    def who(self) -> str:
        """By whom it was tried, in words."""
        if self.scenario:
            return f"scenario {self.scenario}"
        if not self.unknown:
            return "one who knows all columns"
        few = len(self.unknown) <= _MOST_NAMED
        return f"one who knows all columns but {list_all(self.unknown) if few else f'{len(self.unknown)} of them'}"

    @property
    def label(self) -> str:
        """The title, with what else is to be known of the figure."""
        title = self.title if self.counts else f"{self.title} (beside the worst case)"
        return f"{title}, ahead of guessing" if self.measure.gains else title

    @property
    def title(self) -> str:
        """The attack's name for people, in the way that found most."""
        return self.measure.attack_title

    @property
    def advice(self) -> str:
        """What it means and which change helps; empty where it does not succeed."""
        return self.measure.advice if self.succeeds else ""

    @property
    def guessing_text(self) -> str:
        """What guessing finds, for people."""
        return format_number(self.guessing, 2) if self.guessing >= _LEAST_TOLD or not self.guessing else "< 0.001"

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {
            "attack": self.title,
            "scenario": self.scenario,
            "by": self.who,
            "found": self.found,
            "certain": self.certain,
            "guessing": self.guessing,
            "succeeds": self.succeeds,
            "advice": self.advice,
        }


def attacked(
    said: Sequence[Said],
    records: int,
    proven_k: int | None,
    unknown: Sequence[str] = (),
    told_by: int | None = None,
) -> tuple[Attacked, ...]:
    """What every attack found, that which found most first; of several ways of comparing the strongest.

    `records` are the protected ones, `told_by` those that intervals are told by (None: all); `proven_k`: it is proven
    that one of so many records is found at most. `unknown` are the released columns that no intruder is taken to know
    unless a scenario says so.
    """
    best: dict[tuple[str, str], Attacked] = {}
    for measure, result in said:
        if not isinstance(result, Measured):
            continue
        sample = records if told_by is None else told_by
        for one in (*_counting(measure, result, records, sample, proven_k), *_beside(measure, result, records)):
            place = (measure.name, one.scenario)
            if place not in best or one.found > best[place].found:
                best[place] = replace(one, certain=result.parts.get("certain"), unknown=tuple(unknown))
    return tuple(sorted(best.values(), key=_place))


def _place(one: Attacked) -> tuple[bool, float, str]:
    """Those that count first, then by what they found; of several that found as many as the worst case takes them."""
    return not one.counts, -one.found, part_name(one.title, one.scenario)


def _counting(
    measure: Measure, result: Measured, records: int, sample: int, proven_k: int | None
) -> Iterator[Attacked]:
    """What the worst case takes in, by scenario."""
    scenarios = {scenario.name: scenario for scenario in measure.stated_scenarios}
    guessing = measure.beside_guessing(result, records)[1]
    for name, found in measure.reidentified(result).items():
        interval = (result.interval if found == result.value else None) or share_interval(found, sample)
        if proven_k is not None and measure.bounded_by_k:
            succeeds = exceeds_bound(found, interval, proven_k)
        else:
            succeeds = _is_clearly_above(guessing, found, interval)
        scenario = scenarios.get(name)
        if scenario is not None and not is_kept_by_proof(scenario, proven_k):
            succeeds = succeeds or _is_over_limit(scenario, found, result)
        yield Attacked(measure, name, found, guessing, True, succeeds)


def _beside(measure: Measure, result: Measured, records: int) -> Iterator[Attacked]:
    """What an attack found that does not say whose record is whose."""
    if isinstance(measure, Attack) and not measure.reidentifies:
        found, guessing = measure.beside_guessing(result, records)
        interval = (result.interval if found == result.value else None) or share_interval(found, records)
        yield Attacked(measure, "", found, guessing, measure.gains, _is_clearly_above(guessing, found, interval))


def _is_clearly_above(guessing: float, found: float, interval: tuple[float, float]) -> bool:
    return interval[0] > guessing and found >= guessing + _CLEARLY


def _is_over_limit(scenario: Scenario, found: float, result: Measured) -> bool:
    if not scenario.thresholds:
        return False
    at_risk = result.parts.get(at_risk_part(scenario))
    return found > tolerated_share(scenario) if at_risk is None else at_risk > scenario.limit("share")


def advice_lines(found: Sequence[Attacked]) -> list[str]:
    """What to do against the attacks that succeed, each advice once, with the attack that finds most."""
    lines: dict[str, str] = {}
    for one in found:
        if one.advice:
            where = f" in scenario {one.scenario}" if one.scenario else ""
            text = f"{one.title}{where}: {format_number(one.found)} % (guessing: {one.guessing_text} %). {one.advice}"
            lines.setdefault(one.advice, text)
    return list(lines.values())
