"""k-anonymity: the size of the smallest class of records with equal keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.measured import Better, Measured, NotApplicable
from microveil.measure import Pair
from microveil.measure.keys import Missing
from microveil.risk.base import KeyRisk


@dataclass(frozen=True, kw_only=True)
class KAnonymity(KeyRisk, name="k-anonymity"):
    """The size of the smallest class of records that share all keys.

    Use it for categorical or grouped keys. With missing="own" an intruder takes a missing value for a
    value; with "wildcard" it agrees with everything, the reading of local suppression. A file that keeps
    k only in the second reading leans on suppressed cells.
    Reference: Samarati & Sweeney 1998.
    """

    better: ClassVar[Better] = "higher"
    bounds: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    counts_alike: ClassVar[bool] = True
    unit: ClassVar[str] = "records"
    quick: ClassVar[bool] = True
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "k-anonymity"
    reference: ClassVar[str] = "Samarati & Sweeney 1998"

    missing: Missing = "own"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.tables.over_records import all_records, count_records, sum_over_records
        from microveil.kernels.tables.sizes import class_sizes

        records = pair.counts_after
        f, _ = class_sizes(self.key_codes(pair), self.missing, records=records)
        if not len(f):
            return self.not_applicable("there is no record")
        k = int(f.min())
        alone = count_records(f == 1, records)
        parts = {f"records below {size}": float(count_records(f < size, records)) for size in (2, 3, 5)}
        # by records: equals records / classes wherever classes exist
        mean = all_records(len(f), records) / sum_over_records(1.0 / f, records)
        parts |= {"unique records": float(alone), "mean class size": mean}
        alike = f"shares the keys with at least {k - 1} other record{'s' if k > 2 else ''}"
        reading = f"Every record {alike}." if k > 1 else _alone(alone)
        return self.measured(k, parts=parts, reading=reading, notes=self.key_notes(pair))


def _alone(count: int) -> str:
    return f"{count:,} records are alone with their keys." if count > 1 else "1 record is alone with its keys."
