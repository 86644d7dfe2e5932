"""Random words by position are those that NumPy draws in order."""

import numpy as np
import pytest

from microveil.core.philox import words_at
from microveil.core.streams import Key, Streams

STREAMS = Streams(Key.of("positions")).at("noise", "income")


@pytest.mark.parametrize("key", [0, 1, 2**64 - 1, 2**64, 2**127 + 12345])
def test_words_at_positions_are_those_drawn_in_order(key):
    places = np.array([7, 0, 199, 64, 64, 3])
    for width in (1, 3, 4, 6):
        drawn = np.random.Philox(key=key).random_raw(200 * width).reshape(200, width)
        assert np.array_equal(words_at(key, places, width), drawn[places]), width


def test_a_record_keeps_its_numbers_whoever_is_left_out():
    everyone = STREAMS.normals(0, 1000, 2)
    some = np.array([999, 5, 17, 500])
    left = STREAMS.of_rows(some)
    assert np.array_equal(left.normals(0, 4, 2), everyone[some])
    assert np.array_equal(left.uniforms(1, 3), STREAMS.uniforms(0, 1000)[some[1:3]])
    assert np.array_equal(left.at("deeper").words(0, 4), STREAMS.at("deeper").words(0, 1000)[some])
    assert np.array_equal(left.of_rows(np.array([2, 0])).words(0, 2), STREAMS.words(0, 1000)[some[[2, 0]]])


def test_orders_are_by_words_of_positions():
    order = STREAMS.order(500)
    assert sorted(order.tolist()) == list(range(500))
    kept = np.flatnonzero(np.arange(500) % 3 > 0)
    # leaving records out does not change the order of the others
    assert np.array_equal(kept[STREAMS.of_rows(kept).order(len(kept))], order[np.isin(order, kept)])
    labels = np.arange(500) % 7
    inside = STREAMS.order_in_groups(labels)
    assert np.array_equal(labels[inside], np.sort(labels))
    assert np.array_equal(inside[labels[inside] == 2], order[labels[order] == 2])
