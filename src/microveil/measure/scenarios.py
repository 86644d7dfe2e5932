"""How a measure uses scenarios: which ones, the columns they know in a pair, and whether limits are kept, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microveil.core.errors import BadInput
from microveil.measure.keys import choose_keys
from microveil.measure.pair import Pair
from microveil.measure.scenario import THRESHOLDS, Scenario


def at_risk_part(scenario: Scenario) -> str:
    """What the part of a figure is called that tells the per cent of records above the risk a scenario tolerates."""
    return f"{scenario.name}: records at risk (%)"


def at_most_part(scenario: Scenario) -> str:
    """What the part of a figure is called that tells up to where that per cent may go, told from a sample."""
    return f"{scenario.name}: records at risk at most (%)"


def tolerated_share(scenario: Scenario) -> float:
    """The per cent of records found that may be expected at most where the limits of a scenario are kept.

    The share that may exceed the risk may be found for sure, every other record with that risk.
    """
    share = scenario.limit("share") / 100
    return 100 * (share + (1 - share) * scenario.limit("risk"))


def refuse_same_names(scenarios: Sequence[Scenario]) -> None:
    """Refuse scenarios that share a name: figures are told by it."""
    names = [scenario.name for scenario in scenarios]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadInput(f"several scenarios are called {twice}; give each its own name")


def assume_scenarios(stated: Sequence[Scenario], pair: Pair) -> tuple[Scenario, ...]:
    """The scenarios stated, or else one that knows all keys; none where there is no key."""
    if stated:
        return tuple(stated)
    keys = choose_keys(pair, None)
    return (Scenario("all keys", keys),) if keys else ()


def resolve_columns(scenarios: Sequence[Scenario], pair: Pair) -> tuple[str, ...]:
    """Every column that one of the scenarios knows, in both files; an unknown one is an error."""
    common = [name for name in pair.before.columns if name in pair.after.columns]
    for scenario in scenarios:
        scenario.check_columns(common)
    return tuple(dict.fromkeys(name for scenario in scenarios for name in scenario.columns))


def judge_limits(stated: Sequence[Scenario], shares: Mapping[str, float]) -> str:
    """Whether the limits that somebody stated are kept, as the end of a sentence; nothing where there are none.

    `shares` holds the per cent of records at risk in each scenario.
    """
    judged = [scenario for scenario in stated if scenario.thresholds]
    failed = [scenario.name for scenario in judged if shares[scenario.name] > scenario.limit("share")]
    if failed:
        return f"; more than the limits allow in: {', '.join(failed)}"
    if not judged:
        return ""
    every = len(judged) == len(stated)
    return f"; within the limits of {'every scenario' if every else ', '.join(one.name for one in judged)}"


def say_assumptions(stated: Sequence[Scenario], used: Sequence[Scenario]) -> str:
    """What was taken for granted where nobody stated a scenario or a limit, as sentences; nothing otherwise."""
    counted = f"records with a risk above {100 * THRESHOLDS['risk']:g} % are counted"
    if not stated:
        keys = ", ".join(map(str, used[0].keys))
        return f" Nobody stated a scenario or a limit: the intruder is taken to know {keys}, and {counted}."
    without = [scenario.name for scenario in stated if "risk" not in scenario.thresholds]
    return f" Nobody stated a limit of risk for {', '.join(without)}: {counted}." if without else ""
