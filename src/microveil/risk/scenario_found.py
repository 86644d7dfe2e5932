"""The risk of records in one scenario, by counts of keys or by links, before it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.individual import individual_risk
from microveil.measure import Scenario

COUNTED_ALONE = "the keys are true and nothing else is known, so that the risk comes from counting them alone"


def risk_by_counts(f: Ints, F: Floats, weighted: bool) -> Floats:
    """The risk of records that share their keys with f in the file and, by their weights, with F people."""
    return individual_risk(f, F) if weighted else 1.0 / f


@dataclass(frozen=True)
class RisksFound:
    """The risk of rows in a scenario, in each way to link; rows stand for so many `records` (None: one each).

    `unlinked` says why linkage was not tried. `sampled`: rows are a random sample of all records. `on_average` holds
    risks that are right on average over records, where `risks` are bounds for each.
    """

    scenario: Scenario
    risks: Sequence[Floats]
    records: Ints | None = None
    unlinked: str = ""
    sampled: bool = False
    notes: tuple[str, ...] = ()
    on_average: Sequence[Floats] = ()
