"""Top and bottom coding: the tails of a column share one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept, TailsAtLeast
from microveil.core.arrays import Vector
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, Range, Safer, When, nearest
from microveil.data.table import Table, Values
from microveil.mask.aggregate import group_means
from microveil.mask.base import Mask, depends
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome

Threshold = float | str | Mapping[str, float | str] | None


@dataclass(frozen=True, kw_only=True)
class TopBottomCode(Mask, name="top-bottom-code"):
    """Give all values beyond a threshold one common value.

    Use it against the extremes that everybody recognises. State where the tails begin by thresholds (`top`,
    `bottom`: a value, or a value per column), by their `share` of the records or by a `count`; without any,
    5 % at each end chosen by `tails`. Inner values stay; `replacement="mean"` keeps the mean of amounts. A
    tail of fewer than `k` records grows until it has k.
    """

    tails: Annotated[Literal["top", "bottom", "both"], "which ends are coded by share or count"] = "both"
    share: Annotated[
        float | None, Range(gt=0, le=0.5, grid=(0.02, 0.1)), Safer("twice"), "share of the records in a tail"
    ] = None
    count: Annotated[int | None, Range(ge=1), When(share=None), "number of records in a tail"] = None
    top: Annotated[
        Threshold,
        Range(),
        When(share=None, count=None),
        Example({"age": 85, "income": 200000}),
        "values from here on are coded (one value, or one per column)",
    ] = None
    bottom: Annotated[
        Threshold,
        Range(),
        When(share=None, count=None),
        Example({"age": 15, "income": 0}),
        "values up to here are coded (one value, or one per column)",
    ] = None
    replacement: Annotated[Literal["threshold", "mean", "median"], "the value a tail gets"] = "threshold"
    k: Annotated[int, Range(ge=1), "smallest number of records in a tail"] = 3

    kinds: ClassVar[tuple[str, ...]] = depends(
        ("continuous", "ordinal"),
        lambda mask: ("continuous",) if mask.replacement == "mean" else ("continuous", "ordinal"),
    )
    # means of tails are sums that depend on the order of the records, in their last bits
    passes: ClassVar[Passes] = depends("order", lambda mask: "file" if mask.replacement == "mean" else "order")
    columns_apart: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = True
    random: ClassVar[bool] = False
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = True
    reference = "Willenborg & de Waal 2001"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Tails of k records; the mean where tails get theirs."""
        ends: dict[tuple[bool, bool], list[str]] = {}
        for name in columns:
            ends.setdefault((self._coded("top", name), self._coded("bottom", name)), []).append(name)
        tails = [
            TailsAtLeast(columns=tuple(names), k=self.k, top=top, bottom=bottom)
            for (top, bottom), names in ends.items()
            if top or bottom
        ]
        return (*((MeansKept(),) if self.replacement == "mean" else ()), *tails)

    def run(self, table: Table, job: Job) -> Outcome:
        """Code every column."""
        self._check_names(table)
        notes: list[str] = []
        coded = {name: self._column(name, values, notes) for name, values in table.columns.items()}
        return Outcome(coded, notes=tuple(notes))

    def _column(self, name: str, values: Values, notes: list[str]) -> Values:
        observed = ~values.missing
        x = values.numbers[observed]
        if not len(x):
            return values
        if len(x) < self.k:
            raise NotEnoughRecords(f"a tail of {name!r} needs k={self.k} records: {len(x)} given")
        top = self._threshold("top", name, x, values, notes) if self._coded("top", name) else np.inf
        bottom = -self._threshold("bottom", name, -x, values, notes) if self._coded("bottom", name) else -np.inf
        if bottom > top:
            raise BadInput(
                f"the tails of {name!r} cross: everything up to {self._shown(bottom, values)} and from"
                f" {self._shown(top, values)} on; take smaller tails"
            )
        data = values.data.copy()
        data[observed] = self._replaced(x, bottom, top)
        return values.with_data(data)

    def _replaced(self, x: Vector, bottom: float, top: float) -> Vector:
        low, high = x <= bottom, x >= top
        if (low & high).any():  # one value is in both tails: they are one tail
            low = low | high
            high = np.zeros(len(x), dtype=bool)
        out = x.copy()
        for tail, threshold in ((low, bottom), (high, top)):
            if tail.any():
                out[tail] = self._centre(x[tail], threshold)
        return out

    def _centre(self, tail: Vector, threshold: float) -> float:
        if self.replacement == "threshold":
            return threshold
        if self.replacement == "mean":
            return float(group_means(tail, np.zeros(len(tail), dtype=np.int64))[0])
        return float(np.sort(tail)[(len(tail) - 1) // 2])

    # -- where the tails begin -------------------------------------------------------------------

    def _coded(self, end: Literal["top", "bottom"], name: str) -> bool:
        if self.top is None and self.bottom is None:
            return self.tails in (end, "both")
        given = self.top if end == "top" else self.bottom
        return name in given if isinstance(given, Mapping) else given is not None

    def _threshold(
        self, end: Literal["top", "bottom"], name: str, x: Vector, values: Values, notes: list[str]
    ) -> float:
        """Where the tail begins, in a column turned so that the tail is at the top."""
        descending = -np.sort(-x)
        given = self.top if end == "top" else self.bottom
        if given is None:
            share = 0.05 if self.share is None else self.share
            wanted = self.count if self.count is not None else int(np.floor(share * len(x) + 1e-9))
            return float(descending[min(max(wanted, self.k), len(x)) - 1])
        value = given[name] if isinstance(given, Mapping) else given
        place = _position(name, value, values)
        threshold = place if end == "top" else -place
        if int((x >= threshold).sum()) < self.k:
            threshold = float(descending[self.k - 1])
            notes.append(
                f"fewer than {self.k} records of {name!r} lie beyond the {end} threshold {value!r}; it moved inward"
            )
        return threshold

    def _check_names(self, table: Table) -> None:
        for end, given in (("top", self.top), ("bottom", self.bottom)):
            for name in given if isinstance(given, Mapping) else ():
                if name not in table.names:
                    raise BadInput(
                        f"{end} names {name!r}, not among the columns to protect {list(table.names)}"
                        f"{nearest(name, table.names)}"
                    )

    @staticmethod
    def _shown(number: float, values: Values) -> object:
        return number if values.levels is None else values.levels[int(number)]


def _position(name: str, value: float | str, values: Values) -> float:
    """A threshold as a number: itself, or the place of a level."""
    if values.levels is None:
        if isinstance(value, str):
            raise BadInput(f"{name!r} is continuous; the threshold {value!r} is not a number")
        return float(value)
    if value not in values.levels:
        raise BadInput(f"{value!r} is not a level of {name!r}; there are {list(values.levels)[:30]}")
    return float(values.levels.index(value))
