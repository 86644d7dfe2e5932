"""The search over the lattice as it was before classes were grown from one another: plain reference code.

The best full-domain generalisation: a search over all combinations of levels."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microveil.core.arrays import Bools, Codes
from microveil.core.errors import BadInput
from microveil.mask.ladders import Ladder

Broken = Callable[[Codes, int], Bools]
HoldsAmong = Callable[[Bools, Codes], bool]
Levels = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A feasible node: level of each column, which records are kept, and the loss between 0 and 1."""

    levels: Levels
    kept: Bools
    loss: float


def best_node(
    ladders: Sequence[Ladder], broken: Broken, largest_drop: int, holds_among: HoldsAmong | None = None
) -> Node:
    """The node of least loss at which at most so many records are in classes that break the model.

    `broken` tells which classes of a labelling break it; joining classes must never break it. `holds_among` tells
    whether the classes of the records kept still satisfy it without the others, where these count too. Best first: a
    node's loss without dropped records bounds that of itself and everything above it, so the search ends with
    the optimum (compare Samarati 2001, which finds the least height). A dropped record counts as fully lost.
    Nodes that fail on one or two columns alone are passed over (LeFevre, DeWitt & Ramakrishnan 2005).
    """
    lattice = _Lattice(ladders, broken, largest_drop, holds_among)
    losses = [[_values_hidden(ladder, level) for level in range(len(ladder.steps))] for ladder in ladders]

    def bound(levels: Levels) -> float:
        return sum(losses[j][level] for j, level in enumerate(levels)) / len(levels)

    bottom = lattice.lowest()
    heap, seen = [(bound(bottom), bottom)], {bottom}
    best: Node | None = None
    while heap and (best is None or heap[0][0] < best.loss - 1e-12):
        lower, levels = heapq.heappop(heap)
        node = lattice.evaluate(levels, lower) if lattice.promising(levels) else None
        if node is not None and (best is None or node.loss < best.loss - 1e-12):
            best = node
        if node is None or not node.kept.all():  # above a node that drops nobody everything loses more
            for above in _covers(levels, ladders):
                if above not in seen:
                    seen.add(above)
                    heapq.heappush(heap, (bound(above), above))
    if best is None:
        raise BadInput(
            "not even one class of all records satisfies the model; ask for less or allow more records to be dropped"
        )
    return best


def _values_hidden(ladder: Ladder, level: int) -> float:
    """How many of the other values a record can no longer be told from, on average."""
    lookup = ladder.steps[level].lookup
    counts = np.bincount(ladder.codes, minlength=len(lookup)).astype(np.float64)
    used = counts > 0
    together = np.bincount(lookup, weights=used)[lookup]
    return float((counts * (together - 1)).sum() / max(counts.sum() * (used.sum() - 1), 1.0))


def _covers(levels: Levels, ladders: Sequence[Ladder]) -> list[Levels]:
    """The nodes one level higher in one column."""
    return [
        (*levels[:j], level + 1, *levels[j + 1 :])
        for j, level in enumerate(levels)
        if level + 1 < len(ladders[j].steps)
    ]


class _Lattice:
    """Distinct rows of all columns, and what is known of their projections on one and two columns."""

    def __init__(
        self, ladders: Sequence[Ladder], broken: Broken, largest_drop: int, holds_among: HoldsAmong | None
    ) -> None:
        from microveil.kernels.tables.classes import group_rows

        self.ladders, self.broken, self.largest_drop, self.holds_among = ladders, broken, largest_drop, holds_among
        codes = np.column_stack([ladder.codes for ladder in ladders])
        self.of_record, sizes = group_rows(codes)
        first = np.empty(len(sizes), dtype=np.int64)
        first[self.of_record] = np.arange(len(codes))
        self.base = codes[first]
        self.known: dict[tuple[int, int, int, int], bool] = {}

    def kept(self, columns: Sequence[int], levels: Sequence[int]) -> Bools:
        """Which records are in classes that satisfy the model, judged on some columns."""
        labels, classes = self.classes(columns, levels)
        return np.asarray(~self.broken(labels, classes)[labels])

    def classes(self, columns: Sequence[int], levels: Sequence[int]) -> tuple[Codes, int]:
        """The class of each record on some columns at these levels, and how many there are."""
        from microveil.kernels.tables.classes import group_rows

        rows = [self.ladders[j].steps[level].lookup[self.base[:, j]] for j, level in zip(columns, levels, strict=True)]
        labels, sizes = group_rows(np.column_stack(rows))
        return labels[self.of_record], len(sizes)

    def lowest(self) -> Levels:
        """For each column the lowest level that is feasible on its own."""
        return tuple(
            next(
                (level for level in range(len(ladder.steps)) if self._enough(self.kept([j], [level]))),
                len(ladder.steps) - 1,
            )
            for j, ladder in enumerate(self.ladders)
        )

    def promising(self, levels: Levels) -> bool:
        """Whether the node is feasible on every pair of columns; each pair is looked at once."""
        if len(levels) < 3:
            return True
        for i, j in combinations(range(len(levels)), 2):
            pair = (i, j, levels[i], levels[j])
            if pair not in self.known:
                self.known[pair] = self._enough(self.kept([i, j], [levels[i], levels[j]]))
            if not self.known[pair]:
                return False
        return True

    def evaluate(self, levels: Levels, lower: float) -> Node | None:
        """The node, if feasible."""
        labels, classes = self.classes(range(len(levels)), levels)
        kept = np.asarray(~self.broken(labels, classes)[labels])
        if not self._enough(kept) or not kept.any():
            return None
        if self.holds_among is not None and not kept.all() and not self.holds_among(kept, labels):
            return None
        share = float((~kept).mean())
        return Node(levels, kept, lower * (1 - share) + share)

    def _enough(self, kept: Bools) -> bool:
        return int((~kept).sum()) <= self.largest_drop
