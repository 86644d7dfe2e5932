"""Key ranking: which combinations of keys single people out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range
from microveil.measure import Pair
from microveil.risk.base import KeyRisk
from microveil.risk.uniqueness import MOST_COMBINATIONS


@dataclass(frozen=True, kw_only=True)
class KeyRanking(KeyRisk, name="key-ranking"):
    """Per cent of records in rare cells of the most revealing combination of keys; the ranking is in the parts.

    Use it to decide which keys to recode first. A cell of the table of some keys is rare when it holds at
    most `threshold` records. Missing values are a category of their own.
    Reference: Willenborg & de Waal 2001.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    title: ClassVar[str] = "Most revealing keys"
    reference: ClassVar[str] = "Willenborg & de Waal 2001"

    sizes: Annotated[tuple[int, ...], Range(ge=1), Example([1, 2, 3]), "numbers of keys combined"] = (1, 2, 3)
    threshold: Annotated[int, Range(ge=1), "cells with at most so many records are rare"] = 1
    count: Annotated[
        Literal["records", "cells"], Grid(("records", "cells")), "per cent of records in rare cells, or number of cells"
    ] = "records"
    top: Annotated[int | None, Range(ge=1), "how many combinations are listed; None: all"] = 20

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        codes, width = self.key_codes(pair), len(pair.columns)
        sizes = [size for size in dict.fromkeys(self.sizes) if size <= width]
        total = sum(comb(width, size) for size in sizes)
        if not sizes:
            return self.not_applicable(f"there are {width} keys; sizes is {list(self.sizes)}")
        if total > MOST_COMBINATIONS:
            raise BadInput(f"{total} combinations of {width} keys are too many; use smaller sizes than {sizes}")
        rated = {
            " x ".join(pair.columns[j] for j in subset): self._rate(codes[:, subset])
            for size in sizes
            for subset in combinations(range(width), size)
        }
        # fewer keys first among equals: what one key reveals needs no second
        ranked = dict(sorted(rated.items(), key=lambda item: (-item[1], item[0].count(" x "))))
        name, value = next(iter(ranked.items()))
        what = (
            f"{format_number(value)} % of the records" if self.count == "records" else f"{format_number(value)} cells"
        )
        rare = "alone" if self.threshold == 1 else f"in groups of at most {self.threshold}"
        return self.measured(
            value,
            unit="%" if self.count == "records" else "cells",
            parts=dict(list(ranked.items())[: self.top]),
            reading=f"The most revealing keys are {name}: they leave {what} {rare}.",
            notes=self.key_notes(pair),
        )

    def _rate(self, codes: Ints) -> float:
        from microveil.kernels.tables.classes import class_counts

        counts = class_counts(list(codes.T))
        rare = counts <= self.threshold
        return float(rare.sum()) if self.count == "cells" else 100.0 * float(np.sum(counts[rare])) / len(codes)
