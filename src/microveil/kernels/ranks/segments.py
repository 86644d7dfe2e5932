"""Partners in rank of files of any size: parts of at most some million ranks are paired by themselves.

Up to 2^20 ranks are one part. More are cut where nobody but the key knows, so that any engine can pair one part at a
time. A width that reaches over more than an eighth of a part is kept by lanes: each of some neighbouring ranks, drawn
by a word, goes to another lane, and lanes are paired by themselves in a width that is smaller by their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.streams import Streams

SEGMENT = 2**20
_WIDTHS = 8  # that a segment holds at least
_FEW_LANES = 16  # up to which drawing for all lanes and choosing one is faster than drawing by rank

Pairing = Callable[[Floats, int], Ints]


@dataclass(frozen=True)
class Segments:
    """Where so many ranks are cut into parts whose ranks are exchanged at most `width` ranks away."""

    ranks: int
    width: int
    by_rank: Streams
    segment: int

    @classmethod
    def of(cls, ranks: int, width: int, streams: Streams, segment: int | None = None) -> Segments:
        """The parts of one column."""
        return cls(ranks, width, streams.by_rank(), SEGMENT if segment is None else segment)

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return 1 if self.ranks <= self.segment else max(1, -(-self.width * _WIDTHS // self.segment))

    def lanes_between(self, start: int, stop: int) -> list[Ints]:
        """The ranks of each lane from a multiple of the number of lanes on, rising.

        Of every so many neighbours each lane has one, drawn by their words; of the last ones in turn.
        """
        lanes = self.lanes
        if lanes == 1:
            return [np.arange(start, stop)]
        full = min(stop, self.ranks // lanes * lanes)
        words = self.by_rank.at("lane").words(start, full)[:, 0].reshape(-1, lanes)
        drawn = np.argsort(words, axis=1, kind="stable") + np.arange(start, full, lanes)[:, None]
        return [np.append(drawn[:, j], np.arange(full + j, stop, lanes)) for j in range(lanes)]

    def cuts(self, lane: int, length: int) -> list[tuple[int, int]]:
        """Where the parts of a lane begin and end.

        Every `segment` ranks from a drawn one on, none shorter than half of that.
        """
        if self.ranks <= self.segment:
            return [(0, length)]
        first = int(self.by_rank.at("border").uniforms(lane, lane + 1)[0, 0] * self.segment)
        inner = (at for at in range(first, length, self.segment) if self._far_from_ends(at, length))
        return list(pairwise([0, *inner, length]))

    def _far_from_ends(self, at: int, length: int) -> bool:
        return self.segment // 2 <= at <= length - self.segment // 2

    def partners(self, pair: Pairing, own: Ints) -> Ints:
        """Partners of the rising ranks of one part, by their number among them."""
        lanes = self.lanes
        # within groups of `lanes` ranks one may stand first and its partner last
        width = self.width if self.ranks <= self.segment else (self.width - lanes + 1) // lanes
        return pair(self._draws(own), width)

    def _draws(self, own: Ints) -> Floats:
        if not len(own):
            return np.zeros(0)
        first, last = int(own[0]), int(own[-1]) + 1
        if last - first <= _FEW_LANES * len(own):
            drawn = self.by_rank.uniforms(first, last)[:, 0]
            return drawn if len(own) == last - first else drawn[own - first]
        return self.by_rank.of_rows(own).uniforms(0, len(own))[:, 0]
