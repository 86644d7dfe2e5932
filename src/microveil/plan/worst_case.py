"""The worst case: the per cent of records re-identified, over all attacks and stated scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.registry import registered
from microveil.measure import Measure
from microveil.risk.base import Risk, share_interval

NAME = "worst-case"


def worst_case(said: Iterable[tuple[Measure, Measured | NotApplicable]], records: int) -> Measured | NotApplicable:
    """The highest of the figures that measures of re-identification gave, with the attack and the scenario.

    `records` is the number of protected records.
    """
    found: dict[str, float] = {}
    intervals: dict[str, tuple[float, float] | None] = {}
    reasons: list[str] = []
    lower: set[str] = set()
    for measure, result in said:
        if not isinstance(measure, Risk):
            continue
        if isinstance(result, NotApplicable):
            reasons += [result.reason] if measure.attack else []
            continue
        title = measure.title or measure.name
        for scenario, value in measure.reidentified(result).items():
            name = f"{title}, scenario {scenario}" if scenario else title
            found[name] = value
            lower |= {name} if measure.understates(result) else set()
            # a figure from a sample has a wider interval of its own
            intervals[name] = result.interval if value == result.value else None
    if not found:
        why = "; ".join(dict.fromkeys(reasons)) or "no measure of record linkage was asked for"
        return NotApplicable(NAME, why)
    attack = max(found, key=lambda name: found[name])
    untried = untried_attacks(found)
    about = "at least about" if attack in lower else "about"
    reading = f"In the worst case an intruder finds {about} {format_number(found[attack])} % of the records ({attack})."
    if untried:
        reading += f" Not tried, so that more may be found: {', '.join(untried)}."
    value = found[attack]
    return Measured(
        NAME,
        value,
        "lower",
        (0.0, 100.0),
        parts=found,
        interval=intervals[attack] or share_interval(value, records),
        unit="%",
        reading=reading,
    )


def untried_attacks(found: Mapping[str, float]) -> tuple[str, ...]:
    """The attacks of which a worst case holds no figure, by their titles."""
    attacks = (cls for cls in registered(Measure) if issubclass(cls, Risk) and cls.attack)
    return tuple(title for cls in attacks if (title := cls.title or cls.name) not in found)
