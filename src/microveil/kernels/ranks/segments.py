"""Partners in rank of files of any size: parts of at most some million ranks are paired by themselves.

Up to 2^20 ranks are one part. More are cut where nobody but the key knows, so that any engine can pair one part at a
time. A width that reaches over more than an eighth of a part is kept by lanes: each of some neighbouring ranks, drawn
by a word, goes to another lane, and lanes are paired by themselves in a width that is smaller by their number.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.streams import Streams

SEGMENT = 2**20
_WIDTHS = 8  # that a segment holds at least

Pairing = Callable[[Floats, int], Ints]


def partners_in_segments(pair: Pairing, ranks: int, width: int, streams: Streams, segment: int = SEGMENT) -> Ints:
    """Partner of each rank (itself: none), at most `width` ranks away, by a pairing of uniform numbers."""
    by_rank = streams.by_rank()
    draws = by_rank.uniforms(0, ranks)[:, 0]
    if ranks <= segment:
        return pair(draws, width)
    lanes = max(1, -(-width * _WIDTHS // segment))
    partner = np.arange(ranks)
    for number, lane in enumerate(_lanes(ranks, lanes, by_rank)):
        borders = _borders(len(lane), segment, by_rank.at("border").uniforms(number, number + 1)[0, 0])
        for start, stop in pairwise(borders):
            own = lane[start:stop]
            # within groups of `lanes` ranks one may stand first and its partner last
            partner[own] = own[pair(draws[own], (width - lanes + 1) // lanes)]
    return partner


def _lanes(ranks: int, lanes: int, by_rank: Streams) -> list[Ints]:
    """The ranks of each lane, rising: of every so many neighbours one, drawn by their words; the last in turn."""
    if lanes == 1:
        return [np.arange(ranks)]
    full = ranks // lanes * lanes
    words = by_rank.at("lane").words(0, full)[:, 0].reshape(-1, lanes)
    drawn = np.argsort(words, axis=1, kind="stable") + np.arange(0, full, lanes)[:, None]
    return [np.append(drawn[:, j], np.arange(full + j, ranks, lanes)) for j in range(lanes)]


def _borders(length: int, segment: int, drawn: float) -> list[int]:
    """Where segments begin and end: every `segment` ranks from a drawn one on, none shorter than half of that."""
    inner = range(int(drawn * segment), length, segment)
    return [0, *(at for at in inner if segment // 2 <= at <= length - segment // 2), length]
