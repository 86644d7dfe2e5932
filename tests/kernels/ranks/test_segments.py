"""Files of more ranks than one segment holds are paired in parts, and nothing moves further than the width."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.arrays import Ints
from microveil.core.streams import Streams
from microveil.kernels.ranks.segments import Pairing, Segments
from microveil.kernels.ranks.swap import partners_argus, partners_uniform
from tests.streams import streams_of

RANKS = 3_001


def partners_in_segments(pair: Pairing, ranks: int, width: int, streams: Streams, segment: int) -> Ints:
    """Partner of each rank (itself: none), at most `width` ranks away, by a pairing of uniform numbers."""
    parts = Segments.of(ranks, width, streams, segment)
    partner = np.arange(ranks)
    for number, lane in enumerate(parts.lanes_between(0, ranks)):
        for start, stop in parts.cuts(number, len(lane)):
            own = lane[start:stop]
            partner[own] = own[parts.partners(pair, own)]
    return partner


def test_few_ranks_are_one_segment():
    draws = streams_of(1).by_rank().uniforms(0, 50)[:, 0]
    assert np.array_equal(partners_in_segments(partners_argus, 50, 7, streams_of(1), 50), partners_argus(draws, 7))


@pytest.mark.parametrize("pair", [partners_argus, partners_uniform])
@pytest.mark.parametrize("width", [0, 1, 16, 17, 100, 1_000, RANKS])
def test_pairs_stay_within_the_width_and_use_it(pair, width):
    partner = partners_in_segments(pair, RANKS, width, streams_of(2), segment=128)
    assert np.array_equal(partner[partner], np.arange(RANKS))
    moved = np.abs(partner - np.arange(RANKS))
    assert moved.max() <= width
    assert (moved == 0).mean() <= (1 if width == 0 else 0.2)
    # lanes do not narrow what is exchanged: one segment of the whole file moves about as far
    whole = np.abs(partners_in_segments(pair, RANKS, width, streams_of(2), segment=RANKS) - np.arange(RANKS))
    assert moved.mean() == pytest.approx(whole.mean(), rel=0.25)


def test_segments_are_cut_elsewhere_under_another_key():
    crossed = [
        partners_in_segments(partners_argus, RANKS, 16, streams_of(seed), segment=128) // 128 != np.arange(RANKS) // 128
        for seed in range(40)
    ]
    assert all(np.any([pairs[at - 16 : at + 16].any() for pairs in crossed]) for at in range(128, RANKS - 128, 128))


def test_lanes_do_not_tell_which_ranks_may_be_partners():
    # with lanes by position alone, all shifts would be multiples of their number
    shifts = partners_in_segments(partners_argus, RANKS, 160, streams_of(3), segment=128) - np.arange(RANKS)
    lanes = 160 * 8 // 128
    counts = np.bincount(shifts[shifts != 0] % lanes, minlength=lanes)
    assert counts.min() > counts.mean() / 2
