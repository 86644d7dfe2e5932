"""New identifiers that say nothing about the old ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, OneToOne
from microveil.core.parameters import Range
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.mask.base import Mask
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class Pseudonymise(Mask, name="pseudonymise"):
    """Replace identifiers by random ones: equal stays equal, and nothing of the old ones remains.

    Use it when records of one person must stay linkable inside the release. The new identifiers are drawn at
    random, never computed from the old ones, so that nobody can test a guess; only the key of the run could
    repeat the draw. Missing stays missing.
    """

    prefix: Annotated[str, "text before the digits"] = ""
    digits: Annotated[int, Range(ge=1, le=18), "number of digits; grows where it would not be enough"] = 8

    passes: ClassVar[Passes] = "counts"
    kinds: ClassVar[tuple[str, ...]] = KINDS
    skips_missing: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("identifier",)
    reference = "Willenborg & de Waal 2001"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """One new identifier for each old one."""
        return (OneToOne(),)

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw new identifiers for every column."""
        return Outcome(
            {name: self._renamed(values, job.streams.at(name).generator()) for name, values in table.columns.items()}
        )

    def _renamed(self, values: Values, generator: np.random.Generator) -> Values:
        observed = ~values.missing
        codes = np.full(len(values.data), -1, dtype=np.int64)
        distinct, codes[observed] = np.unique(values.data[observed], return_inverse=True)
        numbers, digits = distinct_numbers(len(distinct), self.digits, generator)
        texts = [f"{self.prefix}{number:0{digits}d}" for number in numbers.tolist()]
        # levels in the order of the new identifiers: the old order is not to be seen in the category list
        order = np.argsort(numbers)
        place = np.full(len(order) + 1, -1, dtype=np.int64)  # the last entry is that of missing values
        place[order] = np.arange(len(order))
        return Values("nominal", place[codes], tuple(texts[i] for i in order.tolist()))


def distinct_numbers(count: int, digits: int, generator: np.random.Generator) -> tuple[np.ndarray, int]:
    """`count` different random numbers below 10^digits in random order; more digits where they would be crowded."""
    while 10**digits < 4 * count:
        digits += 1
    found = np.unique(generator.integers(10**digits, size=2 * count + 8))
    while len(found) < count:
        found = np.unique(np.concatenate([found, generator.integers(10**digits, size=count)]))
    return generator.permutation(found)[:count], digits
