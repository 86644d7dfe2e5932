"""New identifiers that say nothing about the old ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, OneToOne
from microveil.core.arrays import Ints, Vector
from microveil.core.parameters import Range
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.mask.base import RowWise
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.statistics import gather_orders


@dataclass(frozen=True, kw_only=True)
class Pseudonymise(RowWise, name="pseudonymise"):
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
    finds_levels: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("identifier",)
    reference = "Willenborg & de Waal 2001"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """One new identifier for each old one."""
        return (OneToOne(),)

    def learn(self, table: Table, job: Job) -> Mapping[str, _Renaming]:
        """New identifiers for the different values of every column."""
        found = gather_orders(table, job)
        return {name: self._renaming(found[name].values, job.streams.at(name).generator()) for name in table.names}

    def act(self, table: Table, job: Job, known: Mapping[str, _Renaming]) -> Outcome:
        """Rename some records."""
        return Outcome({name: known[name].renamed(values) for name, values in table.columns.items()})

    def _renaming(self, distinct: Vector, generator: np.random.Generator) -> _Renaming:
        numbers, digits = distinct_numbers(len(distinct), self.digits, generator)
        texts = [f"{self.prefix}{number:0{digits}d}" for number in numbers.tolist()]
        # levels in the order of the new identifiers: the old order is not to be seen in the category list
        order = np.argsort(numbers)
        place = np.full(len(order) + 1, -1, dtype=np.int64)  # the last entry is that of missing values
        place[order] = np.arange(len(order))
        return _Renaming(distinct, place, tuple(texts[i] for i in order.tolist()))


@dataclass(frozen=True)
class _Renaming:
    """The different values of a column in their order, and the level that each becomes."""

    values: Vector
    place: Ints
    levels: tuple[str, ...]

    def renamed(self, values: Values) -> Values:
        observed = ~values.missing
        codes = np.full(len(values.data), -1, dtype=np.int64)
        codes[observed] = np.searchsorted(self.values, values.numbers[observed])
        return Values("nominal", self.place[codes], self.levels)


def distinct_numbers(count: int, digits: int, generator: np.random.Generator) -> tuple[np.ndarray, int]:
    """`count` different random numbers below 10^digits in random order; more digits where they would be crowded."""
    while 10**digits < 4 * count:
        digits += 1
    found = np.unique(generator.integers(10**digits, size=2 * count + 8))
    while len(found) < count:
        found = np.unique(np.concatenate([found, generator.integers(10**digits, size=count)]))
    return generator.permutation(found)[:count], digits
