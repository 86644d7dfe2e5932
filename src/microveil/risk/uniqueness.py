"""Uniqueness: records that a combination of keys singles out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Range
from microveil.kernels.tables.over_records import all_records, count_records, share_of_records
from microveil.measure import Pair
from microveil.measure.keys import Missing
from microveil.risk.base import KeyRisk

MOST_COMBINATIONS = 20_000


@dataclass(frozen=True, kw_only=True)
class Uniqueness(KeyRisk, name="uniqueness"):
    """Per cent of records that are alone with their key values.

    Use it as the first look at a file. With `sizes` a record counts when at least one combination of
    that many keys singles it out: an intruder who knows two or three facts needs no more.
    Reference: Bethlehem, Keller & Pannekoek 1990.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    quick: ClassVar[bool] = True
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "Unique records"
    reference: ClassVar[str] = "Bethlehem, Keller & Pannekoek 1990"

    sizes: Annotated[
        tuple[int, ...] | None, Range(ge=1), Example([1, 2, 3]), "numbers of keys combined; None: all keys together"
    ] = None
    missing: Missing = "own"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        codes = self.key_codes(pair)
        width = len(pair.columns)
        sizes = (width,) if self.sizes is None else tuple(dict.fromkeys(s for s in self.sizes if s <= width))
        if not sizes or not len(codes):
            return self.not_applicable(f"there are {len(codes)} records and {width} keys; sizes is {self.sizes}")
        records = pair.counts_after
        unique = {size: unique_on_some(codes, size, self.missing, records) for size in sizes}
        together = np.logical_or.reduce(list(unique.values()))
        value = share_of_records(together, records)
        together_known = "the key" if width == 1 else f"the {width} keys"
        some = f"some {' or '.join(map(str, sizes))} of {_keys(width)}"
        known = together_known if self.sizes is None else some
        return self.measured(
            value,
            parts={_keys(size): share_of_records(found, records) for size, found in unique.items()},
            reading=(
                f"{count_records(together, records):,} of {all_records(len(codes), records):,} records "
                f"({format_number(value)} %)"
                f" are singled out by {known}."
            ),
            notes=self.key_notes(pair),
        )


def _keys(size: int) -> str:
    return f"{size} key{'s' if size > 1 else ''}"


def unique_on_some(codes: Ints, size: int, missing: Literal["own", "wildcard"], records: Ints | None = None) -> Bools:
    """Which records are alone on at least one combination of `size` columns; rows stand for so many `records`."""
    from microveil.kernels.tables.sizes import class_sizes

    width = codes.shape[1]
    if comb(width, size) > MOST_COMBINATIONS:
        raise BadInput(
            f"{comb(width, size)} combinations of {size} out of {width} keys are too many; use smaller sizes"
        )
    found = np.zeros(len(codes), dtype=np.bool_)
    for subset in combinations(range(width), size):
        found |= class_sizes(codes[:, subset], missing, records=records)[0] == 1
    return found
