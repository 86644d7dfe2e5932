"""Random words of a Philox stream at any positions (Salmon, Moraes, Dror & Shaw 2011), as NumPy draws them in order."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.core.compiling import compiled, inlined

_ROUNDS = 10
_FIRST, _SECOND = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_FIRST_STEP, _SECOND_STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def words_at(key: int, positions: Ints, width: int = 1) -> Words:
    """`width` words for each position: word w of a stream is word w % 4 of the block with counter w // 4 + 1."""
    low, high = np.uint64(key & (2**64 - 1)), np.uint64(key >> 64)
    return _words_at(low, high, np.ascontiguousarray(positions, dtype=np.uint64), width)


@compiled
def _words_at(low: np.uint64, high: np.uint64, positions: Words, width: int) -> Words:
    result = np.empty((len(positions), width), dtype=np.uint64)
    block = np.empty(4, dtype=np.uint64)
    for i in range(len(positions)):
        held = np.uint64(0)  # counters begin at 1: no block is held yet
        for j in range(width):
            word = positions[i] * np.uint64(width) + np.uint64(j)
            counter = (word >> np.uint64(2)) + np.uint64(1)
            if counter != held:
                fill_block(block, counter, low, high)
                held = counter
            result[i, j] = block[word & np.uint64(3)]
    return result


@compiled
def words_in_groups(keys: Words, labels: Ints, positions: Ints) -> Words:
    """One word for each position, of the stream that belongs to its group; keys are low word, high word."""
    result = np.empty(len(positions), dtype=np.uint64)
    block = np.empty(4, dtype=np.uint64)
    for i in range(len(positions)):
        word = np.uint64(positions[i])
        fill_block(block, (word >> np.uint64(2)) + np.uint64(1), keys[labels[i], 0], keys[labels[i], 1])
        result[i] = block[word & np.uint64(3)]
    return result


@inlined
def fill_block(block: Words, counter: np.uint64, low: np.uint64, high: np.uint64) -> None:
    """The four words of a block."""
    a, b, c, d = counter, np.uint64(0), np.uint64(0), np.uint64(0)
    for _ in range(_ROUNDS):
        high_a, low_a = _product(_FIRST, a)
        high_c, low_c = _product(_SECOND, c)
        a, b, c, d = high_c ^ b ^ low, low_c, high_a ^ d ^ high, low_a
        low += _FIRST_STEP
        high += _SECOND_STEP
    block[0], block[1], block[2], block[3] = a, b, c, d


@inlined
def _product(x: np.uint64, y: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The product of two words, as its high and its low word."""
    x_low, x_high = x & _LOW, x >> _HALF
    y_low, y_high = y & _LOW, y >> _HALF
    cross = x_high * y_low + ((x_low * y_low) >> _HALF)
    middle = x_low * y_high + (cross & _LOW)
    return x_high * y_high + (cross >> _HALF) + (middle >> _HALF), x * y
