"""The worst case: the per cent of records re-identified, over all attacks and stated scenarios."""

from __future__ import annotations

from collections.abc import Iterable

from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure
from microveil.risk.base import Risk, share_interval

NAME = "worst-case"


def worst_case(said: Iterable[tuple[Measure, Measured | NotApplicable]], records: int) -> Measured | NotApplicable:
    """The highest of the figures that measures of re-identification gave, with the attack and the scenario.

    `records` is the number of protected records.
    """
    found: dict[str, float] = {}
    reasons: list[str] = []
    for measure, result in said:
        if not isinstance(measure, Risk):
            continue
        if isinstance(result, NotApplicable):
            reasons += [result.reason] if measure.attack else []
            continue
        title = measure.title or measure.name
        for scenario, value in measure.reidentified(result).items():
            found[f"{title}, scenario {scenario}" if scenario else title] = value
    if not found:
        why = "; ".join(dict.fromkeys(reasons)) or "no measure of record linkage was asked for"
        return NotApplicable(NAME, why)
    attack = max(found, key=lambda name: found[name])
    value = found[attack]
    return Measured(
        NAME,
        value,
        "lower",
        (0.0, 100.0),
        parts=found,
        interval=share_interval(value, records),
        unit="%",
        reading=f"In the worst case an intruder re-identifies about {value:.3g} % of the records ({attack}).",
    )
