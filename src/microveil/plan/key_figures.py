"""What the keys of one file give away, in the few figures that are set side by side before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microveil.core.arrays import Ints
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.kernels.tables.individual import individual_risk
from microveil.kernels.tables.sizes import class_sizes
from microveil.measure.keys import read_gaps
from microveil.risk.individual_risk import household_risk

SMALL_CLASS = 3


@dataclass(frozen=True)
class KeyFigures:
    """What one file gives away: by counting equal keys, and by linking its records to the original's.

    `k` is the smallest number of records that share their keys, `uniques` how many records are alone with theirs,
    `below_three` how many share them with at most one other, `expected` how many re-identifications are to be
    expected and `through_households` how many if a household is known once a member is. None: it cannot be told.
    `linked` is the per cent of originals whose record is found by all compared columns, with its 95 % interval
    where the file is a release; `untried` names the attacks that were not tried and might find more.
    """

    records: int
    k: int | None = None
    uniques: int | None = None
    below_three: int | None = None
    expected: float | None = None
    through_households: float | None = None
    linked: float | None = None
    linked_interval: tuple[float, float] | None = None
    untried: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The figures in plain JSON terms."""
        interval = None if self.linked_interval is None else list(self.linked_interval)
        return {**vars(self), "linked_interval": interval, "untried": list(self.untried)}


def count_keys(data: Microdata, table: Table, keys: Sequence[str], agreeing: Sequence[str]) -> dict[str, Any]:
    """The figures that come from counting equal keys, by the names of `KeyFigures`; none without keys or records.

    Gaps of the columns `agreeing` agree with any value; those of others are a value of their own.
    """
    if not keys or not data.n:
        return {}
    sizes, weighted = class_sizes(read_gaps(table, agreeing), "wildcard" if agreeing else "own", data.weights)
    risk = 1.0 / sizes if data.weights is None else individual_risk(sizes, weighted)
    found: dict[str, Any] = {
        "k": int(sizes.min()),
        "uniques": int((sizes == 1).sum()),
        "below_three": int((sizes < SMALL_CLASS).sum()),
        "expected": float(risk.sum()),
    }
    households: Ints | None = data.households
    if households is not None:
        found["through_households"] = float(household_risk(risk, households).sum())
    return found


def link_to_itself(table: Table) -> dict[str, Any]:
    """The per cent of records found in their own file by all its columns: each is hidden among its equals only."""
    whole = ~table.incomplete
    if not whole.any():
        return {}
    sizes, _ = class_sizes(table.codes()[whole])
    return {"linked": 100.0 * float((1.0 / sizes).mean())}
