"""SUDA: special uniques and the score of their risk."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.tables.over_records import all_records, count_records, sum_over_records
from microveil.measure import Pair
from microveil.risk.base import RecordRisk

_MOST_WORK = 1e9  # records times combinations of keys that an overview searches


@dataclass(frozen=True, kw_only=True)
class Suda(RecordRisk, name="suda"):
    """The largest DIS-SUDA score: the risk that a match with the most special unique is correct.

    Use it to find records that a few keys already single out, and the keys that do it. A record is rated
    by its minimal sample uniques, combinations of keys that single it out while no part of them does:
    the more and the smaller, the higher. Missing values single nobody out unless missing="own".
    Reference: Elliot, Manning & Ford 2002; Manning, Haglin & Keane 2008.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    overview_limit: ClassVar[int] = 500_000
    by_counts: ClassVar[bool] = True
    title: ClassVar[str] = "Special uniques (SUDA)"
    reference: ClassVar[str] = "Elliot, Manning & Ford 2002; Manning, Haglin & Keane 2008"

    max_size: Annotated[int | None, Range(ge=1), "largest combination of keys looked at; None: all keys"] = None
    fraction: Annotated[float, Range(gt=0, lt=1), "sampling fraction assumed for the DIS score"] = 0.01
    score: Annotated[
        Literal["elliot", "ihsn"], Grid(("elliot", "ihsn")), "score of a minimal unique: products of sizes, or shares"
    ] = "elliot"
    missing: Annotated[
        Literal["skip", "own"], Grid(("skip", "own")), "a missing key singles nobody out, or is a value of its own"
    ] = "skip"

    def too_long_for_overview(self, pair: Pair) -> str:
        keys = len(self.choose(pair))
        if self.max_size is None and max(pair.before.n, pair.after.n) * 2.0**keys > _MOST_WORK:
            return (
                f"{keys} keys have too many combinations to be searched in an overview; ask for it by its name with "
                "fewer keys or a max_size"
            )
        return super().too_long_for_overview(pair)

    def scores(self, pair: Pair) -> tuple[Floats, Floats]:
        """SUDA score of every row, and of every row through each key (a column per key); 0 for rows of several."""
        from microveil.kernels.tables.minimal_uniques import minimal_uniques

        codes = self.key_codes(pair)
        if self.missing == "own":
            codes = np.where(codes < 0, codes.max(axis=0) + 1, codes)
        width = codes.shape[1]
        largest = min(self.max_size or width, width)
        found = minimal_uniques(_with_twins(codes, pair.counts_after), largest)
        worth = np.array([0.0, *(unique_score(size, width, largest, self.score) for size in range(1, width + 1))])
        points = worth[found.sizes]
        total = np.bincount(found.record, weights=points, minlength=len(codes)).astype(np.float64)
        by_key = np.empty((len(codes), width))
        for j in range(width):
            there = (found.columns >> j) & 1
            by_key[:, j] = np.bincount(found.record, weights=points * there, minlength=len(codes))
        return total, by_key

    def record_values(self, pair: Pair) -> Floats:
        return self._dis(pair, self.scores(pair)[0])

    def _dis(self, pair: Pair, scores: Floats) -> Floats:
        from microveil.kernels.tables.sizes import class_sizes

        records = pair.counts_after
        f = class_sizes(self.key_codes(pair), records=records)[0]
        uniques, pairs = count_records(f == 1, records), count_records(f == 2, records)
        return dis_scores(scores, uniques, pairs, len(pair.columns), self.fraction)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        scores, by_key = self.scores(pair)
        dis = self._dis(pair, scores)
        parts = {
            "records with a minimal unique": float((scores > 0).sum()),
            "records above 0.1": float((dis > 0.1).sum()),
            "largest score": float(scores.max()),
        }
        whole = sum_over_records(scores)
        parts |= {
            f"contribution of {name} (%)": 100.0 * (sum_over_records(part) / whole) if whole else 0.0
            for name, part in zip(pair.columns, by_key.T, strict=True)
        }
        special = int((scores > 0).sum())
        everyone = all_records(len(scores), pair.counts_after)
        reading = (
            f"{special:,} of {everyone:,} records are singled out by few keys;"
            f" a match with the most special one is right with probability {format_number(dis.max(), 2)}."
        )
        if not special:
            reading = f"None of the {everyone:,} records is singled out by its keys (score 0)."
        return self.measured(float(dis.max()), parts=parts, reading=reading, notes=self.key_notes(pair))


def unique_score(size: int, width: int, largest: int, form: str) -> float:
    """The score of a minimal unique of `size` of `width` keys when combinations up to `largest` are looked at."""
    if form == "ihsn":
        return float((2 ** (width - size) - 1) * factorial(size) * factorial(width - size) / factorial(width))
    return float(np.prod([width - i for i in range(size, min(largest, width - 1) + 1)]))


def _with_twins(codes: Ints, records: Ints | None) -> Ints:
    """The rows, followed by a twin of each that stands for several records: these single nobody out."""
    return codes if records is None else np.concatenate([codes, codes[records > 1]])


def dis_scores(scores: Floats, uniques: int, pairs: int, width: int, fraction: float) -> Floats:
    """DIS-SUDA scores: the data intrusion simulation spread over the records by their SUDA scores.

    `uniques` and `pairs` are the records that are alone with all of their keys, and that share them with one other.
    """
    out = np.zeros(len(scores))
    special = scores > 0
    if not special.any():
        return out
    dis = uniques * fraction / (uniques * fraction + pairs * (1.0 - fraction))
    power = 1.0 + (8 - width) / 20.0
    s = scores[special] ** power
    out[special] = 1.0 / (1.0 + (uniques / dis - uniques) / (s * sum_over_records(1.0 / s)))
    return out
