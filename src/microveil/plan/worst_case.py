"""The worst case: the per cent of records re-identified, over all attacks and stated scenarios.

Attacks on membership and on confidential values count by their advantage over guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.progress import told_apart
from microveil.core.registry import registered
from microveil.measure import Measure, Pair, Scenario
from microveil.measure.measure import UNKNOWN_LINK
from microveil.measure.shares import share_interval
from microveil.plan.as_it_was import is_as_it_was
from microveil.plan.proven_limits import exceeds_bound
from microveil.plan.repeated_units import Units

NAME = "worst-case"
_SCENARIO = ", scenario "
_ADVANTAGE = " (advantage over guessing)"

Said = tuple[Measure, Measured | NotApplicable]
Take = Callable[[Measure], Measured | NotApplicable]


def worst_case(
    said: Sequence[Said],
    records: int,
    unknown: Sequence[str] = (),
    attacks: Sequence[str] | None = None,
    proven_k: int | None = None,
    units: Units | None = None,
) -> Measured | NotApplicable:
    """The highest of the figures that measures of re-identification gave, with the attack and the scenario.

    `records` is the number of protected records, `unknown` says what no attack made use of; `attacks` are the titles of
    those that could have been tried, None for all that there are. `proven_k`: it is proven that one of so many records
    is found at most; `units` have several records each, of which the proof says nothing.
    """
    found: dict[str, float] = {}
    intervals: dict[str, tuple[float, float] | None] = {}
    places: dict[str, str] = {}
    reasons: list[str] = []
    for measure, result in said:
        if isinstance(result, NotApplicable):
            asked = measure.reidentifies and (attacks is None or (measure.title or measure.name) in attacks)
            reasons += [result.reason] if asked else []
            continue
        title = measure.attack_title
        if measure.gains:
            found[f"{title}{_ADVANTAGE}"] = gained = measure.advantage(result)
            intervals[f"{title}{_ADVANTAGE}"] = result.interval if gained == result.value else None
        for scenario, value in measure.reidentified(result).items():
            name = part_name(title, scenario)
            if not 0 <= value <= 100:  # nor is NaN
                raise BadInput(
                    f"{measure.name} says that {value:g} % of the records are re-identified; a share lies between 0 "
                    "and 100: correct the measure"
                )
            if value < found.get(name, 0.0):
                continue  # told before of a subdomain in which more are found
            found[name] = value
            # a figure from a sample, or of a subdomain, has a wider interval of its own
            intervals[name] = result.interval if value == result.value else None
            for domain, part in result.domains.items():
                if part.value == value:
                    intervals[name], places[name] = part.interval, f" of the subdomain {domain}"
    linked = most_linked(found)
    # where nobody knows who is who, what other attacks are ahead of guessing says nothing about who can be found
    if not found or (linked is None and UNKNOWN_LINK in reasons):
        why = "; ".join(dict.fromkeys(reasons)) or "no measure of record linkage was asked for"
        return NotApplicable(NAME, why)
    attack = strongest(found)
    value = found[attack]
    interval = intervals[attack] or share_interval(value, records)
    sentences = []
    if attack.endswith(_ADVANTAGE):
        title = attack.removesuffix(_ADVANTAGE)
        sentences.append(f"In the worst case an intruder is {_about(value)} ahead of guessing ({title}).")
    if linked is not None:
        case = "By links an intruder finds" if sentences else "In the worst case an intruder finds"
        of_whom = f"of the records{places.get(linked[0], '')}"
        sentences.append(f"{case} {_about(linked[1])} {of_whom} ({linked[0]}).")
    if UNKNOWN_LINK in reasons and not is_linked(found):
        sentences.append(f"Keys alone were counted, because {UNKNOWN_LINK}: linking may find many more.")
    untried = find_untried(found, attacks, said)
    if untried:
        sentences.append(f"Not tried, so that more may be found: {', '.join(untried)}.")
    sentences += _tell_bound(most_bounded(said, records), proven_k, units)
    reading = " ".join([*sentences, *unknown])
    return Measured(
        NAME,
        value,
        "lower",
        (0.0, 100.0),
        parts=found,
        interval=interval,
        unit="%",
        reading=reading,
    )


def _about(value: float) -> str:
    # somebody may think of a better attack
    return f"at least about {format_number(value)} %"


def most_linked(found: Mapping[str, float]) -> tuple[str, float] | None:
    """The attack that re-identifies most records, and how many per cent; None where none was tried."""
    linked = {name: value for name, value in found.items() if not name.endswith(_ADVANTAGE)}
    if not linked:
        return None
    best = strongest(linked)
    return best, linked[best]


def part_name(title: str, scenario: str) -> str:
    """What the figure of an attack is called among the parts of a worst case."""
    return f"{title}{_SCENARIO}{scenario}" if scenario else title


def scenario_of(part: str) -> str:
    """The scenario that a part of a worst case is about, by its whole name; empty where it is about none.

    >>> scenario_of("Distance-based record linkage, scenario neighbour in town"), scenario_of("Membership")
    ('neighbour in town', '')
    """
    return part.partition(_SCENARIO)[2]


def strongest(found: Mapping[str, float]) -> str:
    """The attack that found most; of several that found as many the first by name, whatever their order.

    >>> strongest({"linkage": 3.0, "copies": 3.0, "filter": 1.0})
    'copies'
    """
    return min(found, key=lambda name: (-found[name], name))


def most_bounded(said: Sequence[Said], records: int) -> tuple[float, tuple[float, float]] | None:
    """The highest per cent found, with its interval, by those whom a proof of one in k records speaks of.

    It says nothing of one who looks for several records at once. None where nobody else was tried.
    """
    best: tuple[float, tuple[float, float]] | None = None
    for measure, result in said:
        if isinstance(result, NotApplicable) or not measure.bounded_by_k:
            continue
        for value in measure.reidentified(result).values():
            told = next((part.interval for part in result.domains.values() if part.value == value), None)
            interval = (result.interval if value == result.value else told) or share_interval(value, records)
            if best is None or value > best[0]:
                best = value, interval
    return best


def most_copied(said: Sequence[Said]) -> float:
    """The highest per cent of records that stand in a release as they are, or nearly so, beyond chance."""
    copies = [
        measure.advantage(result) for measure, result in said if measure.counts_copies and isinstance(result, Measured)
    ]
    return max(copies, default=0.0)


def _tell_bound(found: tuple[float, tuple[float, float]] | None, k: int | None, units: Units | None) -> tuple[str, ...]:
    """What a proven bound says about the per cent of records found, as a sentence; nothing where none is proven."""
    if k is None or found is None:
        return ()
    allowed = f"1 of {k} records, {format_number(100 / k)} %"
    if exceeds_bound(*found, k):
        return (f"This is more than the proof allows ({allowed}): do not release the file, and report it.",)
    if units is not None and not units.are_households:
        about = f"The proof of 1 of {k} is about records, of which each {units.name} has several"
        return (f"{about}: of one who looks for one {units.name} it says nothing.",)
    return (f"The proof allows {allowed}, at most on average, to one who looks for single records.",)


def worst_said(worst: Measured | NotApplicable) -> str:
    """A worst case in a sentence, or why there is none."""
    if isinstance(worst, Measured):
        return worst.reading
    return f"The worst case, how many records an intruder finds, was not measured: {worst.reason}."


def in_every_way(measure: Measure, result: Measured | NotApplicable, pair: Pair, take: Take) -> tuple[Said, ...]:
    """What a measure said and, if it is an attack that may compare in other ways, what it says in these."""
    first = (measure, result)
    if not measure.reidentifies or not isinstance(result, Measured):
        return (first,)
    amounts = [name for name in pair.of_kind("continuous") if name in measure.choose(pair)]
    changed = not all(is_as_it_was(pair, name) for name in amounts)
    return (first, *((other, take(other)) for other in measure.in_other_ways(changed)))


def in_scenarios(said: Sequence[Said], scenarios: Sequence[Scenario], pair: Pair, take: Take) -> list[Said]:
    """What attacks that were tried with all released columns known find in each scenario, by what its intruder knows.

    `said` holds what each found, comparing in several ways: in scenarios the way that found most is taken. What was
    told of a scenario before is not asked again. True keys alone are counted by the risk by scenario; linking adds
    nothing to that.
    """
    before = {(measure.name, one.name) for measure, _ in said for one in measure.stated_scenarios}
    changed = [one for one in scenarios if one.known or any(name in pair.perturbed for name in one.keys)]
    asked = [
        attack
        for measure in _strongest_ways(said)
        for scenario in changed
        if (measure.name, scenario.name) not in before and (attack := measure.in_scenario(scenario)) is not None
    ]
    return told_apart(asked, 0.0, 1.0, lambda attack: (attack, take(attack)))


def _strongest_ways(said: Sequence[Said]) -> list[Measure]:
    """Of each measure the way that found most."""
    best: dict[str, Said] = {}
    for measure, result in said:
        if not measure.stated_scenarios and _value(result) > _value(best.get(measure.name, (measure, None))[1]):
            best[measure.name] = (measure, result)
    return [measure for measure, _ in best.values()]


def _value(result: Measured | NotApplicable | None) -> float:
    return -1.0 if result is None else result.value if isinstance(result, Measured) else 0.0


def is_linked(found: Mapping[str, float]) -> bool:
    """Whether a worst case holds a figure of an attack, and not of scenarios alone."""
    return any(_is_in(found, title) for title in attacks_on(None))


def find_untried(
    found: Mapping[str, float], attacks: Sequence[str] | None = None, said: Sequence[Said] = ()
) -> tuple[str, ...]:
    """The attacks of which a worst case holds no figure, by their titles; of these alone, or of all that there are.

    Attacks that were tried and do not apply (what was `said`) are none of them.
    """
    silent = {
        measure.title or measure.name
        for measure, result in said
        if isinstance(result, NotApplicable) and not result.left_out
    }
    titles = attacks_on(None) if attacks is None else attacks
    return tuple(title for title in titles if title not in silent and not _is_in(found, title))


def attacks_on(pair: Pair | None) -> tuple[str, ...]:
    """The titles of the attacks that the methods of a release make possible; of all attacks without one."""
    found = [cls for cls in registered(Measure) if cls.reidentifies and (pair is None or cls.concerns(pair))]
    return tuple(cls.title or cls.name for cls in found)


def _is_in(found: Mapping[str, float], title: str) -> bool:
    """Whether an attack gave a figure, by itself or in a scenario."""
    return any(name == title or name.startswith(f"{title}{_SCENARIO}") for name in found)
