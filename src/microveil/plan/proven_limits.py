"""What a proven bound on linkage says about limits, and when attacks find more than it allows."""

from __future__ import annotations

from microveil.measure import Scenario

_ROUNDING = 1e-12


def is_kept_by_proof(scenario: Scenario, k: int | None) -> bool:
    """Whether a proof of 1/k bounds the risk of every record by what a scenario tolerates.

    The proof holds against somebody who knows every original value, hence against the intruder of any scenario. Which
    records are linked in one draw is chance then, and more of them than on average are no reason to refuse a file.
    """
    return k is not None and 1 / k <= scenario.limit("risk") + _ROUNDING


def exceeds_bound(value: float, interval: tuple[float, float], k: int | None) -> bool:
    """Whether more records are found, in per cent, than a proof of 1/k allows.

    Figures scatter, and the worst is the highest of several: only what lies beyond twice the interval counts.
    """
    return k is not None and value - 2 * (value - interval[0]) > 100 / k
