"""Whether the limits of scenarios are kept, why, what would help, and what speaks against taking that for safety."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Pair, Scenario
from microveil.measure.scenarios import at_risk_part, tolerated_share
from microveil.plan.key_figures import KeyFigures
from microveil.plan.proven_limits import is_kept_by_proof
from microveil.plan.repeated_units import GroupedUnits
from microveil.plan.worst_case import Said
from microveil.risk import ScenarioRisk

_ASKS_NOTHING = (
    " The original keeps this limit too, so that it asks for nothing: it does not say that the file is safe."
)

State = Literal["kept", "doubtful", "not kept", "not shown", "not stated"]
_TITLES: dict[State, str] = {
    "kept": "The limits stated are kept",
    "doubtful": "The limits stated are kept, but ",
    "not kept": "The limits stated are not kept: this file may not be released",
    "not shown": "The limits stated are not shown to be kept: this file may not be released before they are",
    "not stated": "Nobody stated limits",
}
NO_LIMITS = "Nobody stated limits, so that nothing says whether this file may be released."


def state_of(ok: bool | None, measured: bool, doubts: Sequence[str]) -> State:
    """Whether limits are kept (`ok`; None: nobody stated any); if not, whether one is known to be exceeded."""
    if ok is None:
        return "not stated"
    if not ok:
        return "not kept" if measured else "not shown"
    return "doubtful" if doubts else "kept"


def title_of(state: State, doubts: Sequence[str]) -> str:
    """The decision in one line: whether the limits stated are kept, and what speaks against relying on it."""
    return _TITLES[state] + "; and ".join(doubts if state == "doubtful" else ())


@dataclass(frozen=True)
class Judged:
    """One scenario: whether its limits are kept, why in a sentence, what would help.

    `asks`: the original does not keep them, so that they ask for something. `measured`: something says so. `proven`: a
    proof does, whatever chance did in this draw.
    """

    scenario: Scenario
    kept: bool
    said: str
    help: str = ""
    asks: bool = True
    measured: bool = True
    proven: bool = False


@dataclass(frozen=True)
class Proof:
    """What is proven of a release: one of `k` records is found at most; `breached`: attacks find clearly more.

    `why_not` says why a proof that there is does not decide.
    """

    k: int | None = None
    breached: bool = False
    why_not: str = ""


NO_PROOF = Proof()


@dataclass(frozen=True)
class InIt:
    """What an attack found in a scenario: per cent of records, and of those above its risk where that is told.

    `bounded`: a proof that one of k records is found speaks of it; one who looks for whole households is another.
    """

    attack: str
    found: float
    at_risk: float | None = None
    bounded: bool = True

    def breaks(self, scenario: Scenario) -> bool:
        """Whether more is found than the limits of the scenario allow."""
        if self.at_risk is not None:
            return self.at_risk > scenario.limit("share")
        return self.found > tolerated_share(scenario)


def attacks_in(scenario: Scenario, said: Sequence[Said]) -> list[InIt]:
    """What attacks found that were tried with what the intruder of a scenario knows."""
    return [
        InIt(measure.attack_title, result.worst, _at_risk(scenario, result), measure.bounded_by_k)
        for measure, result in said
        if measure.reidentifies and isinstance(result, Measured) and measure.stated_scenarios == (scenario,)
    ]


def _at_risk(scenario: Scenario, result: Measured) -> float | None:
    """The per cent of records above the risk tolerated, in the worst subdomain; None where that is not told."""
    parts = [part.parts for part in result.domains.values()] or [result.parts]
    return max((found for part in parts if (found := part.get(at_risk_part(scenario))) is not None), default=None)


def judge(
    pair: Pair,
    measure: ScenarioRisk,
    measured: Measured | NotApplicable,
    attacks: Sequence[InIt] = (),
    proof: Proof = NO_PROOF,
) -> Judged:
    """Whether a protected file keeps the limits of a scenario, of which the measure said this and attacks found that.

    The highest share at risk counts, by whatever attack; where a proof bounds the risk of every record by what is
    tolerated it decides, unless attacks find clearly more than it allows, or one that it does not speak of finds more
    than is tolerated.
    """
    (scenario,) = measure.scenarios
    limit, allowed = scenario.limit("risk"), scenario.limit("share")
    named = f"Scenario {scenario.name!r}"
    if is_about_nobody(pair, scenario):
        return Judged(scenario, True, f"{named} is kept: every record is synthetic and has no original to link.")
    broken = [one for one in attacks if one.breaks(scenario)]
    if is_kept_by_proof(scenario, proof.k) and all(one.bounded for one in broken):
        return _judge_by_proof(pair, measure, measured, proof)
    share = measured.value if isinstance(measured, Measured) else 0.0
    if broken and (share <= allowed or any(one.at_risk is not None and one.at_risk > share for one in broken)):
        said = f"{named} is not kept: {_tell_broken(scenario, broken)}."
        return Judged(scenario, False, said, remedy(pair, scenario, limit))
    if not isinstance(measured, Measured):
        said = f"{named} is not shown to be kept, since it could not be measured: {measured.reason}."
        return Judged(scenario, False, said, _remedy_unmeasured(pair, scenario), measured=False)
    found = (
        f"{format_number(measured.value)} % of the records have a risk above {limit:g}, where at most {allowed:g} % "
        f"are allowed{_other_reading(pair, measure, measured)}"
    )
    if measured.value > allowed:
        return Judged(scenario, False, f"{named} is not kept: {found}.", remedy(pair, scenario, limit))
    asks = _asks(pair, measure)
    # whoever reads that another scenario is proven asks why this one is not
    why = f" {proof.why_not or _why_unproven(scenario, proof)}".rstrip()
    return Judged(scenario, True, f"{named} is kept: {found}.{why}{'' if asks else _ASKS_NOTHING}", asks=asks)


def _why_unproven(scenario: Scenario, proof: Proof) -> str:
    """Why a proof says nothing about a scenario, in a sentence; empty where there is none."""
    if proof.k is None:
        return ""
    if is_kept_by_proof(scenario, proof.k):
        return f"The proof of 1/{proof.k} does not decide here, since it does not speak of all that was tried."
    return f"The proof of 1/{proof.k} does not decide here, since it allows more than {scenario.limit('risk'):g}."


def judge_units(judged: Judged, units: GroupedUnits | None) -> Judged:
    """The same, unless units with several records hold more of their groups than a scenario tolerates."""
    scenario = judged.scenario
    at_risk = None if units is None else units.at_risk(scenario)
    if units is None or at_risk is None or at_risk <= scenario.limit("share"):
        return judged
    name = units.of.name
    said = (
        f"Scenario {scenario.name!r} is not kept for each {name}: {format_number(at_risk)} % of the records stand in "
        f"groups of which their {name} holds more than {scenario.limit('risk'):g}, where at most "
        f"{scenario.limit('share'):g} % are allowed. There are {units.of.counts}; {units.in_groups}, so that what is "
        f"released of such a group is about that {name}. Figures of linkage count records."
    )
    before = "" if judged.kept else f"{judged.said} "
    return Judged(scenario, False, f"{before}{said}", units.of.way_out, asks=judged.asks)


def _other_reading(pair: Pair, measure: ScenarioRisk, measured: Measured) -> str:
    """The share at risk if a missing key is a value of its own, where the release takes it to agree with any."""
    if measure.missing == "own":
        return ""
    own = measure.reading_gaps(()).on(pair)
    if not isinstance(own, Measured) or own.value == measured.value:
        return ""
    return (
        f", with a missing value agreeing with any; with it counted as a value it is {format_number(own.value)} % of "
        "the records"
    )


def _judge_by_proof(pair: Pair, measure: ScenarioRisk, measured: Measured | NotApplicable, proof: Proof) -> Judged:
    """A scenario whose limit of risk is no lower than what is proven for every record."""
    (scenario,) = measure.scenarios
    named = f"Scenario {scenario.name!r}"
    limit = scenario.limit("risk")
    if proof.breached:
        said = f"{named} is not kept: attacks find more records than the proof of 1/{proof.k} allows."
        return Judged(scenario, False, said, remedy(pair, scenario, limit))
    asks = _asks(pair, measure)
    linked = (
        f" In this draw {format_number(measured.value)} % of the records happen to be linked, alone or with few others."
        if isinstance(measured, Measured) and measured.value > 0
        else ""
    )
    said = (
        f"{named} is kept: it is proven that no record is found with a probability above 1/{proof.k}, where {limit:g} "
        f"is allowed.{linked}{'' if asks else _ASKS_NOTHING}"
    )
    return Judged(scenario, True, said, asks=asks, proven=True)


def _asks(pair: Pair, measure: ScenarioRisk) -> bool:
    """Whether the original does not keep the limit of a scenario."""
    already = measure.on(Pair.of(pair.before))
    return not (isinstance(already, Measured) and already.value <= measure.scenarios[0].limit("share"))


def _tell_broken(scenario: Scenario, broken: Sequence[InIt]) -> str:
    """The attack that puts most records at risk, in words."""
    counted = [one for one in broken if one.at_risk is not None]
    if counted:
        worst = max(counted, key=lambda one: one.at_risk or 0.0)
        return (
            f"{format_number(worst.at_risk)} % of the records have a risk above {scenario.limit('risk'):g} "
            f"({worst.attack}), where at most {scenario.limit('share'):g} % are allowed"
        )
    worst = max(broken, key=lambda one: one.found)
    return (
        f"{format_number(worst.found)} % of the records are found ({worst.attack}), where its limits tolerate "
        f"{format_number(tolerated_share(scenario))} % at most"
    )


def doubts_about(
    judged: Sequence[Judged],
    after: KeyFigures,
    pair: Pair,
    linked: bool,
    unmeasured: Sequence[str],
    copied: float,
    units: GroupedUnits | None,
) -> tuple[str, ...]:
    """What speaks against taking limits that are kept for safety, each as the end of a sentence.

    `linked`: an attack was tried. `unmeasured`: released columns that tell records apart and that no measured intruder
    knows. `copied`: per cent of the records that stand in the file as they are, or nearly so. `units`: those that stand
    in several records.
    """
    idle = [one.scenario.name for one in judged if not one.asks]
    found = []
    if len(idle) == len(judged):
        found.append("the original keeps them too, so that they ask for nothing")
    elif idle:
        found.append(f"the original keeps that of {', '.join(map(repr, idle))} too, so that it asks for nothing")
    # the worst case is one intruder's: what the most lenient scenario tolerates is tolerated
    tolerated = max(tolerated_share(one.scenario) for one in judged)
    proven = any(one.proven for one in judged)
    is_linked_beyond = after.linked is not None and after.linked > tolerated and not proven
    if is_linked_beyond:
        found.append(
            f"an intruder finds about {format_number(after.linked)} % of the records in the worst case, where the "
            f"scenarios tolerate {format_number(tolerated)} % at most"
        )
    if not linked and not is_synthetic(pair):
        unknown = "nobody knows which rows belong together, and the private log would tell"
        found.append(f"linking was not tried: {unknown if pair.link is None else 'it does not apply here'}")
    if copied > tolerated and not is_linked_beyond:
        found.append(
            f"{format_number(copied)} % of the records stand in the file as they are in the original, or nearly so, "
            "beyond what chance gives"
        )
    if units is not None:
        found.append(units.doubt)
    if unmeasured:
        names = ", ".join(map(str, unmeasured))
        one = len(unmeasured) == 1
        tell = "tells records apart as it is released" if one else "tell records apart as they are released"
        found.append(f"{names} {tell}, and no intruder that was measured knows {'it' if one else 'them'}")
    return tuple(found)


def is_about_nobody(pair: Pair, scenario: Scenario) -> bool:
    """Whether no record has an original to link, and none shows true keys."""
    return bool(pair.after.n) and all(name in pair.perturbed for name in scenario.keys) and is_synthetic(pair)


def is_synthetic(pair: Pair) -> bool:
    """Whether no protected record has an original."""
    return pair.link is not None and bool((pair.link < 0).all())


def _remedy_unmeasured(pair: Pair, scenario: Scenario) -> str:
    if pair.link is None:
        return "give the private log (--log LOG on the command line): it tells which rows belong together"
    return f"state a scenario that can be measured in place of {scenario.name!r}"


def remedy(pair: Pair, scenario: Scenario, limit: float) -> str:
    """What would make a limit hold."""
    columns = scenario.columns
    perturbed = [name for name in columns if name in pair.perturbed]
    others = [name for name in scenario.keys if name not in perturbed]
    ways = []
    if others:
        size = (
            f"to classes of at least {math.ceil(1 / limit)}" if limit > 0 and pair.after.weights is None else "further"
        )
        ways.append(f"recode or suppress {', '.join(map(str, others))} {size}")
    if perturbed:
        ways.append(f"perturb {', '.join(map(str, perturbed))} more")
    known = [name for name in scenario.known if name not in perturbed]
    if known:
        ways.append(f"protect {', '.join(map(str, known))}")
    return " and ".join(ways) + ", or leave some of these columns out"
