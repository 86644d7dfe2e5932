"""Sampling: release a part of the records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import CellsUnchanged, Claim
from microveil.core.arrays import Ints, Vector
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.ordering import stable_order
from microveil.core.parameters import Range, Safer, When
from microveil.data.microdata import Microdata
from microveil.data.schema import KINDS
from microveil.data.table import Table
from microveil.mask.base import Mask
from microveil.mask.drawn_records import Drawn, drawn_of
from microveil.mask.stepped_records import Stepped, stepped_of
from microveil.run.by_rows import ByRowsAfar
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step, depends

_DESIGNS: dict[tuple[str, bool], Passes] = {
    ("simple", False): "order",
    ("systematic", False): "order",
    ("risk", False): "counts",
}


@dataclass(frozen=True, kw_only=True)
class Sample(ByRowsAfar, Mask, name="sample"):
    """Release a random part of the records, unchanged; weights grow by one over the inclusion probability.

    Use it with categorical keys: an intruder no longer knows who is in the file (unmasked amounts remain
    recognisable). `by=` draws in every stratum; `risk` draws frequent combinations of `columns` more often
    than rare ones; `households` keeps households (role `household`) whole. A column of the role `weight` is updated.
    """

    fraction: Annotated[float, Range(gt=0, le=1, grid=(0.5, 0.9)), Safer("half"), "share of the records released"] = 0.5
    size: Annotated[int | None, Range(ge=1), "number released (in each stratum) instead of a share"] = None
    design: Annotated[Literal["simple", "systematic", "risk"], "how records are drawn"] = "simple"
    households: Annotated[bool, When(design=("simple", "systematic")), "draw whole households"] = False

    passes: ClassVar[Passes] = depends("order", lambda mask: _DESIGNS.get((mask.design, mask.households), "file"))
    gathers: ClassVar[bool] = depends(True, lambda mask: mask.design != "risk" and not mask.households)
    kinds: ClassVar[tuple[str, ...]] = KINDS
    skips_missing: ClassVar[bool] = True
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = True
    form: ClassVar[str] = "sample"
    reference = "Willenborg & de Waal 2001"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Released records are original records."""
        return (CellsUnchanged(),) if columns else ()

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """Whole records: columns matter to the `risk` design alone; the weight comes along."""
        weight = dict.fromkeys(data.names("weight"), "continuous")
        if step.given:
            raise BadInput(f"{self.name} does not condition on other columns; leave given out")
        if step.columns is None and self.design != "risk":
            return {}, weight
        if step.columns is None:
            chosen = {name: data.kinds[name] for name in data.names("key")}
            if not chosen:
                raise BadInput(
                    "design='risk' needs the keys whose rare combinations are drawn less; name them in columns"
                )
            return chosen, weight
        chosen = super().resolve(data, replace(step, given=None))[0]
        return {name: kind for name, kind in chosen.items() if name not in weight}, weight

    def learn(self, table: Table, job: Job) -> Drawn | Stepped:
        """Up to which word records are drawn, by counting words; or where they stand."""
        size = self._size(table.rows)
        return drawn_of(table, job, size) if self.design == "simple" else stepped_of(table, job, size, _start(job))

    def act(self, table: Table, job: Job, known: Drawn | Stepped) -> Outcome:
        """Those of some records that are drawn, with their weights."""
        kept = known.among(table.rows, job)
        chance = known.size / known.records
        return Outcome(
            {name: values.with_data(values.numbers[kept] / chance) for name, values in job.given.columns.items()},
            origin=kept,
        )

    def settle(self, found: Outcome, table: Table, job: Job, known: Drawn | Stepped) -> Outcome:
        """How many were drawn, where no weight tells."""
        return found if job.given.names else replace(found, notes=self._told(known.drawn, known.records))

    @staticmethod
    def _told(kept: int, records: int) -> tuple[str, ...]:
        return (f"{kept} of {records} records were drawn; no column of the role 'weight' tells",)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Draw rows and divide their weights by the probability of being drawn."""
        start = _start(job)
        units = self._units(table.rows, job)
        number = int(units.max()) + 1
        size = self._size(number)
        if self.design == "risk":
            chance = risk_probabilities(table.codes(), size)
            drawn = systematic(chance, self._order(units, job), start)
        else:
            chance = np.full(number, size / number)
            if self.design == "simple":
                drawn = np.sort(self._order(units, job)[:size])
            else:
                drawn = systematic(chance, self._along(units, job), start)
        kept = np.flatnonzero(np.isin(units, drawn))
        weights = {
            name: values.with_data(values.numbers[kept] / chance[units[kept]])
            for name, values in job.given.columns.items()
        }
        return Outcome(weights, origin=kept, notes=() if weights else self._told(len(kept), table.rows))

    def _units(self, rows: int, job: Job) -> Ints:
        if not self.households:
            return np.arange(rows, dtype=np.int64)
        if job.households is None:  # everybody is a household of one
            return np.arange(rows, dtype=np.int64)
        return np.unique(job.households, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @staticmethod
    def _order(units: Ints, job: Job) -> Ints:
        """The units in random order, by a word of the first record of each."""
        first = np.unique(units, return_index=True)[1]
        return job.streams.of_rows(first).order(len(first))

    def _along(self, units: Ints, job: Job) -> Ints:
        """The units in the order of the file; households in that of their numbers."""
        return np.arange(int(units.max()) + 1) if self.households else stable_order(job.streams.places(len(units)))

    def _size(self, number: int) -> int:
        if self.size is None:
            # a stratum never disappears: its users would have nothing to weight up
            return max(1, int(np.floor(self.fraction * number + 0.5)))
        if self.size > number:
            raise NotEnoughRecords(f"a sample of size={self.size} cannot be drawn from {number}")
        return self.size


def _start(job: Job) -> float:
    """Where the first step along the file begins."""
    return float(job.streams.at("start").generator().random())


def risk_probabilities(codes: Ints, size: int) -> Vector:
    """Inclusion probabilities proportional to how often a record's combination occurs, at most 1, of sum `size`."""
    from microveil.kernels.tables.sizes import class_sizes

    frequency = class_sizes(codes)[0].astype(np.float64)
    certain = np.zeros(len(codes), dtype=bool)
    chance = np.ones(len(codes))
    while not certain.all():
        chance[~certain] = (size - certain.sum()) * frequency[~certain] / frequency[~certain].sum()
        above = (chance >= 1) & ~certain
        if not above.any():
            break
        certain |= above
        chance[certain] = 1.0
    return chance


def systematic(chance: Vector, order: Ints, start: float) -> Ints:
    """Rows drawn at equal steps along the cumulated probabilities, in the given order (Madow 1949)."""
    total = np.round(np.cumsum(chance[order]), 9)
    hits = np.floor(total - start) - np.floor(np.concatenate([[0.0], total[:-1]]) - start)
    return np.sort(order[hits > 0])
