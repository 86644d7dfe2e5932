"""Rank swapping: values change places with values of near rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import PERMUTE, Claim, RankShiftWithin, ValuesKept
from microveil.core.arrays import Ints, Vector
from microveil.core.parameters import Range, Safer
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.base import OrderMask
from microveil.run.by_order import Ordered
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class RankSwap(OrderMask, name="rank-swap"):
    """Exchange values, column by column, with values at most `p` per cent of the records away in rank.

    Use it to keep every column's distribution exactly while breaking the link between columns. `argus`
    pairs as mu-Argus does, `uniform` draws evenly among the records still free. Categories
    without an order are ranked by name and no ranks are promised of them: they change where two of them meet.
    Relations between columns suffer; an intruder who knows p can intersect columns.
    """

    p: Annotated[
        float,
        Range(ge=0, le=100, grid=(2, 7, 15), search=(1, 20), log=True),
        Safer("twice"),
        "widest exchange, in per cent of the records",
    ] = 10.0
    pairing: Annotated[Literal["argus", "uniform"], "how a partner is drawn among the next ranks"] = "argus"

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    change: ClassVar[str] = PERMUTE
    form: ClassVar[str] = "swap"
    attacks: ClassVar[tuple[str, ...]] = ("rank-swap-attack",)
    reference = "Moore 1996; Greenberg 1987"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The same values in every column, none far from its rank."""
        return (ValuesKept(), RankShiftWithin(percent=self.p))

    def tell(self, found: Outcome, table: Table) -> Outcome:
        """Of categories without an order no rank can be promised."""
        unordered = [name for name, values in table.columns.items() if values.kind == "nominal"]
        if not unordered:
            return found
        kept: tuple[Claim, ...] = (ValuesKept(columns=table.names),)
        ordered = tuple(name for name in table.names if name not in unordered)
        claims = (*kept, RankShiftWithin(columns=ordered, percent=self.p)) if ordered else kept
        note = (
            f"{', '.join(map(str, unordered))}: categories without an order were ranked by name, so that they were "
            "exchanged only where two of them meet; swap-in-groups or invariant-pram suit them better"
        )
        return replace(found, notes=(*found.notes, note), claims=claims)

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """All groups in one pass, each with the numbers that it would draw by itself; one by one beside gaps."""
        if any(values.kind == "nominal" or values.missing.any() for values in table.columns.values()):
            return None
        return Outcome({name: self._in_groups(name, table[name], job.streams, labels) for name in table.names})

    def _in_groups(self, name: str, values: Values, streams: Streams, labels: Ints) -> Values:
        from microveil.kernels.ranks.in_groups import order_in_groups, partners_in_groups
        from microveil.kernels.ranks.scores import random_rank_order

        x, clusters, groups = values.numbers, streams.at("cluster"), int(labels.max(initial=-1)) + 1
        order, start, tied = order_in_groups(x, labels, groups)
        for group in np.flatnonzero(tied).tolist():
            rows = np.sort(order[start[group] : start[group + 1]])
            own = clusters.at(group, name).of_rows(rows)
            order[start[group] : start[group + 1]] = rows[random_rank_order(x[rows], own)]
        widths = np.array([swap_width(size, self.p) for size in np.diff(start).tolist()], dtype=np.int64)
        keys = clusters.philox_keys(groups, name, "rank")
        swapped = np.empty_like(x)
        swapped[order] = x[order][partners_in_groups(start, widths, keys, self.pairing == "uniform")]
        return values.with_data(swapped.astype(values.data.dtype, copy=False))

    def along(self, ordered: Ordered, streams: Streams) -> Iterator[tuple[Ints, Vector]]:
        """Values exchanged inside each part of the ranks."""
        from microveil.kernels.ranks.segments import Segments
        from microveil.kernels.ranks.swap import partners_argus, partners_uniform

        pair = partners_argus if self.pairing == "argus" else partners_uniform
        parts = Segments.of(ordered.count, swap_width(ordered.count, self.p), streams)
        if parts.lanes == 1:
            for start, stop in parts.cuts(0, ordered.count):
                own = ordered.stretch(start, stop)
                yield own.places, own.values[parts.partners(pair, own.ranks)]
            return
        for number, lane in enumerate(ordered.split(parts.lanes_between, parts.lanes)):
            for start, stop in parts.cuts(number, len(lane.ranks)):
                partner = parts.partners(pair, lane.ranks[start:stop])
                yield lane.places[start:stop], lane.values[start:stop][partner]


def swap_width(records: int, p: float) -> int:
    """How many ranks `p` per cent of the records are."""
    # 1e-9: 7 % of 100 records are 7 although 100 * 7 / 100 may fall short by a rounding
    return int(np.floor(records * p / 100 + 1e-9))
