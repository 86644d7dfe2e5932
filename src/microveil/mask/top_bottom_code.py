"""Top and bottom coding: the tails of a column share one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept, TailsAtLeast
from microveil.core.arrays import Bools
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, OfColumns, Range, Safer, When, nearest
from microveil.data.table import Table, Values
from microveil.kernels.summaries.order import Order
from microveil.mask.aggregate import group_means
from microveil.mask.base import RowWise, depends
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.statistics import gather_orders

Threshold = float | str | Mapping[str, float | str] | None


@dataclass(frozen=True, kw_only=True)
class TopBottomCode(RowWise, name="top-bottom-code"):
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
        OfColumns("keys"),
        Example({"age": 85, "income": 200000}),
        "values from here on are coded (one value, or one per column)",
    ] = None
    bottom: Annotated[
        Threshold,
        Range(),
        When(share=None, count=None),
        OfColumns("keys"),
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
    gathers: ClassVar[bool] = depends(True, lambda mask: mask.replacement != "mean")
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

    def learn(self, table: Table, job: Job) -> _Learnt:
        """Where the tails of every column begin, and what stands for them."""
        self._check_names(table)
        orders = gather_orders(table, job)
        notes: list[str] = []
        tails = {name: self._tails(name, table[name], orders[name], notes) for name in table.names}
        return _Learnt(tails, tuple(notes))

    def act(self, table: Table, job: Job, known: _Learnt) -> Outcome:
        """Code some records of every column."""
        return Outcome({name: known.tails[name].coded(values) for name, values in table.columns.items()})

    def settle(self, found: Outcome, table: Table, job: Job, known: _Learnt) -> Outcome:
        """Thresholds that moved."""
        return replace(found, notes=known.notes)

    def _tails(self, name: str, values: Values, order: Order, notes: list[str]) -> _Tails:
        if not order.observed:
            return _Tails(-np.inf, np.inf, 0.0, 0.0)
        if order.observed < self.k:
            raise NotEnoughRecords(f"a tail of {name!r} needs k={self.k} records: {order.observed} given")
        top = self._threshold("top", name, order, values, notes) if self._coded("top", name) else np.inf
        turned = Order(-order.values[::-1], order.counts[::-1], order.missing)
        bottom = -self._threshold("bottom", name, turned, values, notes) if self._coded("bottom", name) else -np.inf
        if bottom > top:
            raise BadInput(
                f"the tails of {name!r} cross: everything up to {self._shown(bottom, values)} and from"
                f" {self._shown(top, values)} on; take smaller tails"
            )
        low, high = order.values <= bottom, order.values >= top
        if (low & high).any():  # one value is in both tails: they are one tail
            low, high, top = low | high, np.zeros_like(high), np.inf
            bottom_ends = float(order.values[-1])
            return _Tails(bottom_ends, top, self._centre(order, low, values, bottom), 0.0)
        return _Tails(bottom, top, self._centre(order, low, values, bottom), self._centre(order, high, values, top))

    def _centre(self, order: Order, tail: Bools, values: Values, threshold: float) -> float:
        """What stands for a tail, some of the different values of the column."""
        if self.replacement == "threshold" or not tail.any():
            return threshold
        if self.replacement == "mean":
            x = values.numbers[~values.missing]
            inside = x[np.isin(x, order.values[tail])]
            return float(group_means(inside, np.zeros(len(inside), dtype=np.int64))[0])
        part = Order(order.values[tail], order.counts[tail], 0)
        return float(part.at(np.array([(part.observed - 1) // 2]))[0])

    # -- where the tails begin -------------------------------------------------------------------

    def _coded(self, end: Literal["top", "bottom"], name: str) -> bool:
        if self.top is None and self.bottom is None:
            return self.tails in (end, "both")
        given = self.top if end == "top" else self.bottom
        return name in given if isinstance(given, Mapping) else given is not None

    def _threshold(
        self, end: Literal["top", "bottom"], name: str, order: Order, values: Values, notes: list[str]
    ) -> float:
        """Where the tail begins, in a column turned so that the tail is at the top."""
        n = order.observed

        def highest(count: int) -> float:
            return float(order.at(np.array([n - count]))[0])

        given = self.top if end == "top" else self.bottom
        if given is None:
            share = 0.05 if self.share is None else self.share
            wanted = self.count if self.count is not None else int(np.floor(share * n + 1e-9))
            return highest(min(max(wanted, self.k), n))
        value = given[name] if isinstance(given, Mapping) else given
        place = _position(name, value, values)
        threshold = place if end == "top" else -place
        if int(order.counts[order.values >= threshold].sum()) < self.k:
            threshold = highest(self.k)
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


@dataclass(frozen=True)
class _Tails:
    """Up to where the lower tail of a column goes, from where on the upper one does, and what stands for each."""

    bottom: float
    top: float
    low: float
    high: float

    def coded(self, values: Values) -> Values:
        """Some records of the column."""
        x, data = values.numbers, values.data.copy()
        for tail, value in ((x <= self.bottom, self.low), (x >= self.top, self.high)):
            if tail.any():
                data[tail] = value
        return values.with_data(data)


@dataclass(frozen=True)
class _Learnt:
    tails: Mapping[str, _Tails]
    notes: tuple[str, ...]


def _position(name: str, value: float | str, values: Values) -> float:
    """A threshold as a number: itself, or the place of a level."""
    if values.levels is None:
        if isinstance(value, str):
            raise BadInput(f"{name!r} is continuous; the threshold {value!r} is not a number")
        return float(value)
    if value not in values.levels:
        raise BadInput(f"{value!r} is not a level of {name!r}; there are {list(values.levels)[:30]}")
    return float(values.levels.index(value))
