"""The best full-domain generalisation: a search over all combinations of levels that ends with a proof."""

from __future__ import annotations

import heapq
import math
import time
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.progress import advance
from microveil.mask.lattice_judge import Judge
from microveil.mask.lattice_losses import NodeLoss
from microveil.mask.lattice_rows import Levels

_NEAR = 1e-12  # losses this near to one another, as a part of them, are the same
_LOOKS = 512  # nodes between two reports of progress
_WIDE = 100_000  # nodes from which on it pays to look for better bounds


@dataclass(frozen=True, order=True)
class Node:
    """A feasible node: its loss, the level of each column, and how many records are left out."""

    loss: float
    levels: Levels
    dropped: int = field(compare=False)


class _Known(NamedTuple):
    """What is remembered of a node that was judged: itself where it is feasible, and a bound for it and all above."""

    node: Node | None
    bound: float


@dataclass(frozen=True)
class Limits:
    """The levels that a search may take, and when it must end: after so many nodes or seconds."""

    lowest: Levels
    highest: Levels
    nodes: int | None = None
    seconds: float | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        out = 1
        for low, high in zip(self.lowest, self.highest, strict=True):
            out *= high - low + 1
        return out


@dataclass(frozen=True)
class Found:
    """The best nodes, the best first, and what is proven: no node loses less than `bound`."""

    best: tuple[Node, ...]
    bound: float
    looked_at: int
    counted: int
    size: int
    complete: bool


def search(judge: Judge, loss: NodeLoss, limits: Limits, best: int = 1) -> Found:
    """The nodes of least loss among the feasible ones.

    Best first: a node's bound holds for itself and everything above it, so that the search ends with a proof when the
    least bound left is not below the loss of the best nodes found (compare Samarati 2001, which finds the least
    height). Where the judge proves that a node too fine follows from one that is (`Judge.closed_below`), nodes are
    tried in the middle of ways to the top (Kohlmayer et al. 2012), and what lies below a failure is passed over. A node
    on some columns only, all others at the top, is such a node, too.
    """
    return _Search(judge, loss, limits, best).run()


class _Search:
    def __init__(self, judge: Judge, loss: NodeLoss, limits: Limits, best: int) -> None:
        self.judge, self.loss, self.limits, self.wanted = judge, loss, limits, best
        self.best: list[Node] = []
        self.known: dict[Levels, _Known] = {}
        # what is known to hold for everything below: records left out at least, where it is too many the node fails
        self._above = _Ceilings(len(limits.lowest))
        self.looked_at = 0
        self._began = time.monotonic()

    def run(self) -> Found:
        limits = self.limits
        bottom, wide = limits.lowest, limits.size > _WIDE
        heap = [(self.loss.bound(bottom), bottom, 0)]
        self._descend()
        while heap and heap[0][0] < self.worst - self._near and not self._ended():
            bound, levels, last = heapq.heappop(heap)
            self.looked_at += 1
            raised = self._raised(levels, last) if wide else bound
            if raised > bound + self._near:
                # nothing feasible is as near as it seemed: its turn comes later, if at all
                if raised < self.worst - self._near:
                    heapq.heappush(heap, (raised, levels, last))
                continue
            known = self._look(levels)
            if known is not None:
                bound = max(bound, known.bound)
            # each node is reached on one way only: columns are raised from left to right
            for j in range(last, len(levels)):
                if levels[j] < limits.highest[j]:
                    above = (*levels[:j], levels[j] + 1, *levels[j + 1 :])
                    heapq.heappush(heap, (max(bound, self.loss.bound(above)), above, j))
        self._refine()
        complete = not heap or heap[0][0] >= self.worst - self._near
        # what was looked at loses no less than the best, what was not no less than its bound
        left = [node.loss for node in self.best[:1]] + [bound for bound, *_ in heap[:1]]
        return Found(
            tuple(self.best), min(left, default=float("inf")), self.looked_at, len(self.known), limits.size, complete
        )

    def _refine(self) -> None:
        """Of nodes that lose the same, the finer one: what is joined without loss needs not be joined."""
        while len(self.best) == 1:
            best = self.best[0]
            below = [self._judge(levels).node for levels in self._below(best.levels)]
            same = [node for node in below if node is not None and node.loss <= best.loss + self._near]
            if not same:
                return
            self.best = [min(same)]

    @property
    def worst(self) -> float:
        """The loss that a node must be below to be among the best."""
        return self.best[-1].loss if len(self.best) == self.wanted else float("inf")

    @property
    def _near(self) -> float:
        return _NEAR * max(abs(self.best[-1].loss), 1.0) if self.best else 0.0

    def _ended(self) -> bool:
        limits = self.limits
        if limits.nodes is not None and self.looked_at >= limits.nodes:
            return True
        if self.looked_at % _LOOKS == 0:
            advance(min(self.looked_at / limits.size, 1.0))
        # one node at least, so that the number of nodes can say where the clock ended
        timed = limits.seconds is not None and self.looked_at > 0
        return timed and time.monotonic() - self._began > (limits.seconds or 0.0)

    def _raised(self, levels: Levels, last: int) -> float:
        """A bound on what is feasible among a node and those reached from it, by raising columns from `last` on.

        Below a node that is too fine nothing is feasible: what is must be above it in some column.
        """
        ceilings = self._above.too_fine(levels, self.judge.largest_drop)
        return self.loss.bound_beyond(levels, last, ceilings, self.limits.highest) if len(ceilings) else -math.inf

    def _look(self, levels: Levels) -> _Known | None:
        """Judge a node unless what is known of others says that it is not among the best; None where it was not."""
        if levels in self.known:
            return self.known[levels]
        dropped = self._above.least_below(levels)
        if dropped > self.judge.largest_drop:
            return None
        if dropped and self.loss.bound_at(levels, dropped) >= self.worst - self._near:
            return None
        if self.judge.closed_below:
            # a failure half way to the top spares this node and all others below it
            self._bisect(levels)
            return self.known.get(levels)
        return self._judge(levels)

    def _judge(self, levels: Levels) -> _Known:
        known = self.known.get(levels)
        if known is not None:
            return known
        judged = self.judge.judge(levels)
        node = None
        if judged.kept is not None:
            node = Node(self.loss.of(judged.classes, judged.kept), levels, judged.dropped)
            if node.loss < self.worst - self._near:
                insort(self.best, node)
                del self.best[self.wanted :]
        if judged.dropped_below:
            self._above.add(levels, judged.dropped_below)
        known = self.known[levels] = _Known(node, self.loss.bound_above(judged.classes))
        return known

    def _below(self, levels: Levels) -> list[Levels]:
        lowest = self.limits.lowest
        return [(*levels[:j], levels[j] - 1, *levels[j + 1 :]) for j in range(len(levels)) if levels[j] > lowest[j]]

    def _bisect(self, levels: Levels) -> Levels | None:
        """Judge nodes on a way from here to the top until two neighbours differ; the upper one, if feasible.

        It is the lowest one that is feasible where everything below a failure fails.
        """
        way = [levels, *self._way_up(levels)]
        low, high = 0, len(way)  # below low none is feasible, from high on all are
        while low < high:
            middle = (low + high) // 2
            if self._judge(way[middle]).node is None:
                low = middle + 1
            else:
                high = middle
        return way[high] if high < len(way) else None

    def _way_up(self, levels: Levels) -> Iterator[Levels]:
        """Steps to the top, each time the one whose bound rises least."""
        now = levels
        while True:
            above = [(*now[:j], now[j] + 1, *now[j + 1 :]) for j in range(len(now)) if now[j] < self.limits.highest[j]]
            if not above:
                return
            now = min(above, key=self.loss.bound)
            yield now

    def _descend(self) -> None:
        """A good node to begin with: down from the top, by the step that spares most, as long as one is feasible.

        Where failures prove nothing about other nodes it may find none: it is a guess where to look first.
        """
        node = self._bisect(self.limits.lowest)
        while node is not None and not self._ended():
            self.looked_at += 1
            below = sorted(self._below(node), key=self.loss.bound)
            node = next((one for one in below if self._judge(one).node is not None), None)


class _Ceilings:
    """Nodes with the number of records that everything below them leaves out at least."""

    def __init__(self, columns: int) -> None:
        self._levels = np.empty((64, columns), dtype=np.int64)
        self._dropped = np.empty(64, dtype=np.int64)
        self._count = 0

    def add(self, levels: Levels, dropped: int) -> None:
        if self._count == len(self._dropped):
            self._levels = np.concatenate([self._levels, np.empty_like(self._levels)])
            self._dropped = np.concatenate([self._dropped, np.empty_like(self._dropped)])
        self._levels[self._count], self._dropped[self._count] = levels, dropped
        self._count += 1

    def too_fine(self, levels: Levels, most: int) -> Ints:
        """The nodes known to leave out more than so many records that a node is below, or one of them."""
        known = self._levels[: self._count][self._dropped[: self._count] > most]
        return known[(known >= np.array(levels)).all(axis=1)]

    def least_below(self, levels: Levels) -> int:
        """What is known to be left out at a node."""
        covers = (self._levels[: self._count] >= np.array(levels)).all(axis=1)
        return int(self._dropped[: self._count][covers].max(initial=0))
