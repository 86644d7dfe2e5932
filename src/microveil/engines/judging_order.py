"""Promises about columns too long for memory: judged on the values before and after, each in their order on disk."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from microveil.claims import Claim, Verdict
from microveil.claims.in_order import STEP, ColumnInOrder
from microveil.core.arrays import Floats, Ints, Vector
from microveil.engines.buckets import MOST_BUCKETS
from microveil.engines.judging_groups import Sides
from microveil.engines.ordering import OrderedOnDisk, Sampled, Sorting
from microveil.engines.part_rows import PLACE
from microveil.engines.workers import Workers
from microveil.kernels.summaries.together import Together

K = TypeVar("K", bound=Hashable)

SIDES = ("before", "after")


class BothSides(NamedTuple):
    """One column of some records: original values with the released ones, and released values with the originals."""

    before: Floats
    released_beside: Floats
    after: Floats
    original_beside: Floats
    places: Ints  # of the originals
    places_after: Ints  # of the originals of what is released
    made: bool  # whether some of it has no original

    @classmethod
    def of(cls, sides: Sides) -> BothSides:
        """From the evidence of a block."""
        places, released = (side[PLACE].to_numpy() for side in sides)
        before, after = (side["column 0"].to_numpy() for side in sides)
        at = np.minimum(np.searchsorted(places, released), max(len(places) - 1, 0))
        own = places[at] == released if len(places) else np.zeros(len(released), dtype=np.bool_)
        released_beside, original_beside = np.full(len(before), np.nan), np.full(len(after), np.nan)
        released_beside[at[own]], original_beside[own] = after[own], before[at[own]]
        return cls(before, released_beside, after, original_beside, places, released, not own.all())

    def side(self, which: str) -> tuple[Floats, Floats, Ints]:
        """The observed values of one side, what stands beside them, and where."""
        if which == "before":
            values, beside, places = self.before, self.released_beside, self.places
        else:
            values, beside, places = self.after, self.original_beside, self.places_after
        observed = ~np.isnan(values)
        return values[observed], beside[observed], places[observed]

    def sample(self, records: int) -> Together[str, Sampled]:
        """Some values of both sides, which tell how they are divided: into files that may be open together."""
        return Together(
            {
                which: Sampled.of(values, places.astype(np.uint64), places, records, MOST_BUCKETS // len(SIDES))
                for which in SIDES
                for values, _, places in (self.side(which),)
            }
        )


@dataclass(frozen=True)
class _Side:
    """One side in its order; in place of places stands what the records hold on the other side."""

    ordered: OrderedOnDisk
    rows: int

    @property
    def count(self) -> int:
        """The number of observed values."""
        return self.ordered.count

    def values(self, start: int, stop: int) -> Vector:
        """The values from one rank to another."""
        return self.ordered.values(start, stop)

    def beside(self, start: int, stop: int) -> Vector:
        """What their records hold on the other side."""
        return self.ordered.stretch(start, stop).places.view(np.float64)

    def intervals(self, asked: Vector) -> tuple[Ints, Ints]:
        """The least and the largest rank of some values."""
        if not len(asked) or not self.count:
            return np.zeros(len(asked), np.int64), np.full(len(asked), -1)
        held = np.memmap(self.ordered.folder / "values", np.float64, "r")
        start = int(np.searchsorted(held, asked.min(), "left"))
        stop = int(np.searchsorted(held, asked.max(), "right"))
        # most often they stand together
        among = self.values(start, stop) if stop - start <= 8 * STEP else held[start:stop]
        return start + np.searchsorted(among, asked, "left"), start + np.searchsorted(among, asked, "right") - 1


def judge_in_order(
    asked: Mapping[K, Sequence[Claim]],
    blocks: Iterable[Mapping[K, BothSides]],
    sampled: Mapping[K, Together[str, Sampled]],
    folder: Path,
    workers: Workers,
) -> dict[K, list[Verdict]]:
    """The verdicts on claims about each of some columns; `blocks` are all records, in the order of the file."""
    folder.mkdir()
    rows = {(key, which): 0 for key in asked for which in SIDES}
    made = dict.fromkeys(asked, False)
    with ExitStack() as open_files:
        sortings = {
            (key, which): open_files.enter_context(Sorting(folder / f"{number}-{which}", sampled[key].parts[which]))
            for number, key in enumerate(asked)
            for which in SIDES
        }
        for block in blocks:
            for (key, which), sorting in sortings.items():
                values, beside, places = block[key].side(which)
                sorting.put(values, places.astype(np.uint64), beside.view(np.int64))
                rows[key, which] += len(block[key].before if which == "before" else block[key].after)
                made[key] = made[key] or block[key].made
    found = {}
    for key, claims in asked.items():
        with ExitStack() as held:
            before, after = (
                _Side(held.enter_context(sortings[key, which].ordered(workers)), rows[key, which]) for which in SIDES
            )
            found[key] = [claim.check_in_order(ColumnInOrder(before, after), made[key]) for claim in claims]
    folder.rmdir()
    return found
