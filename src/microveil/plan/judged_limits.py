"""What is found in a release, and whether the limits of scenarios are kept: the same for a verdict and for a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.measure import Pair, Scenario
from microveil.plan.evaluation import Evaluation
from microveil.plan.proven_limits import exceeds_bound
from microveil.plan.quick_attack import ScenarioSaid, attack_in_scenarios, measure_scenarios, quick_attacks
from microveil.plan.repeated_units import GroupedUnits, find_grouped_units
from microveil.plan.verdict_limits import Judged, Proof, attacks_in, is_about_nobody, judge, judge_units
from microveil.plan.worst_case import Said, most_bounded, most_copied


@dataclass(frozen=True)
class Looked:
    """What was said of a release: `said` is what the worst case is the highest of, `measured` every scenario.

    `people` are the scenarios about somebody, in which attacks were tried by what each knows.
    """

    said: tuple[Said, ...]
    measured: tuple[ScenarioSaid, ...]
    people: tuple[ScenarioSaid, ...]


@dataclass(frozen=True)
class Limits:
    """The scenarios that state limits, each judged; `breach` says that more is found than a proof allows.

    `copied` is the per cent of records that stand in the file as they are, `units` those that stand in several records.
    """

    judged: tuple[Judged, ...]
    breach: tuple[str, ...] = ()
    copied: float = 0.0
    units: GroupedUnits | None = None


def look_at(
    pair: Pair, seen: Pair, scenarios: Sequence[Scenario], agreeing: Sequence[str], evaluation: Evaluation | None = None
) -> Looked:
    """What attacks and scenarios say of both files: `seen` has the columns that are compared, `pair` all of them.

    Gaps of the columns `agreeing` agree with any value. Figures that an evaluation holds are taken from it.
    """
    measured = measure_scenarios(pair, scenarios, agreeing)
    people = [one for one in measured if not is_about_nobody(pair, one[0].scenarios[0])]
    return Looked(tuple(_said(seen, people, evaluation)), tuple(measured), tuple(people))


def judge_limits(pair: Pair, looked: Looked, proven_k: int | None) -> Limits:
    """Whether limits are kept: by what was found, or by a proof that one of `proven_k` records is found at most."""
    said = looked.said
    limited = [one for one in looked.measured if one[0].scenarios[0].thresholds]
    breach = _breach(said, pair.after.n, proven_k)
    copied, units = most_copied(said), find_grouped_units(pair)
    # what is proven speaks of rows: records that stand in another row as they are, and people with several, are found
    holds = proven_k is not None and copied <= 100 / proven_k and units is None
    proof = Proof(proven_k, bool(breach)) if holds else Proof(None, why_not=_why_not(proven_k, copied, units))
    judged = (
        judge(pair, measure, result, attacks_in(measure.scenarios[0], said), proof) for measure, result in limited
    )
    return Limits(tuple(judge_units(one, units) for one in judged), breach, copied, units)


def _why_not(proven_k: int | None, copied: float, units: GroupedUnits | None) -> str:
    """Why a proof does not decide, in a sentence; empty where nothing is proven."""
    if proven_k is None:
        return ""
    proof = f"The proof of 1/{proven_k} does not decide here"
    if units is not None:
        if units.of.are_households:
            return f"{proof}: it is about single records, and who knows one {units.of.name} looks for all its records."
        return f"{proof}: it is about records, of which each {units.of.name} has several, and not about units."
    return f"{proof}: {format_number(copied)} % of the records stand in the file as they are, in this place or another."


def _said(pair: Pair, people: Sequence[ScenarioSaid], evaluation: Evaluation | None) -> list[Said]:
    """What the worst case is the highest of: attacks that are quick, scenarios, and all that an evaluation holds.

    So it is the same with and without an evaluation, unless that tried attacks which take longer. One of other columns
    speaks for itself.
    """
    if evaluation is None:
        said = quick_attacks(pair)
    else:
        same = set(evaluation.columns) == set(pair.columns)
        tried = [line.measure.name for line in evaluation.lines]
        said = [*evaluation.said, *(quick_attacks(pair, tried) if same else ())]
    scenarios = [one for measure, _ in people for one in measure.stated_scenarios]
    return [*said, *people, *attack_in_scenarios(pair, scenarios, said)]


def _breach(said: Sequence[Said], records: int, proven_k: int | None) -> tuple[str, ...]:
    """A sentence where more was found than a proof allows."""
    found = most_bounded(said, records)
    if found is None or not exceeds_bound(*found, proven_k):
        return ()
    return (f"More records are found than the proof of 1/{proven_k} allows: do not release the file, and report it.",)
