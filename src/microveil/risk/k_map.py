"""k-map: the smallest class of the population that a released record may belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Better, Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.kernels.tables.over_records import count_records
from microveil.measure import Pair
from microveil.measure.keys import Missing
from microveil.risk.base import KeyRisk
from microveil.risk.population_counts import Source, population_counts


@dataclass(frozen=True, kw_only=True)
class KMap(KeyRisk, name="k-map"):
    """The number of people in the population who share the keys of the rarest released record.

    Use it for samples: k-anonymity asks for k records in the file, k-map only for k people in the
    population. Exact with a register (`KMap(population="original")(register, released)`), an estimate
    with survey weights. Never smaller than the class in the file.
    Reference: Sweeney 2002.
    """

    better: ClassVar[Better] = "higher"
    bounds: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    unit: ClassVar[str] = "records"
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "k-map"
    reference: ClassVar[str] = "Sweeney 2002"

    population: Source = "weights"
    missing: Missing = "own"

    @property
    def counts_original(self) -> bool:
        """Whether the original is the register."""
        return self.population == "original"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = population_counts(pair, self.population, self.missing)
        if isinstance(found, str):
            return self.not_applicable(found)
        f, F, absent = found
        k = float(F.min())
        parts = {f"records below {size}": float(count_records(size > F, pair.counts_after)) for size in (2, 3, 5, 20)}
        parts["smallest class in the file"] = float(f.min())
        estimated = "" if self.population == "original" else "estimated "
        reading = (
            f"Every released record may belong to at least {format_number(k, 4)} members of the {estimated}population."
        )
        notes = (f"{absent} records have keys the register lacks: their class in the file counts",) if absent else ()
        return self.measured(k, parts=parts, reading=reading, notes=(*self.key_notes(pair), *notes))
