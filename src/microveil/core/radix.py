"""The loops behind stable orders: words sorted by their digits."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Ints, Words
from microveil.core.compiling import compiled

_DIGIT, _ROUNDS = 11, 3
_VALUES = 1 << _DIGIT
_INSERTED = 24  # numbers with equal leading bits that are put in order one by one
_SIGN = np.uint64(1 << 63)
_LAST = np.uint64(2**64 - 1)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def keys_of_floats(bits: Words) -> Words:
    """Words that order as the doubles with these bits do: both zeros are equal, and so is everything not a number."""
    keys = np.empty_like(bits)
    infinity = np.uint64(0x7FF0000000000000)
    for i in range(len(bits)):
        word = bits[i]
        size = word & ~_SIGN
        signed = ~word if word > _SIGN else word | _SIGN
        keys[i] = _LAST if size > infinity else signed
    return keys


@compiled
def order_of_words(keys: Words) -> Ints:
    """Where the least of the words stands, the next, and so on; equal ones in their order."""
    n = len(keys)
    least, most = keys.min(), keys.max()
    shift = np.uint64(0)
    while ((most - least) >> shift) > _LOW:
        shift += np.uint64(1)
    held, other = np.empty(n, np.uint64), np.empty(n, np.uint64)  # leading bits, then the position
    counts = np.zeros((_ROUNDS, _VALUES), np.int64)
    digit = np.uint64(_VALUES - 1)
    for i in range(n):
        leading = (keys[i] - least) >> shift
        held[i] = (leading << _HALF) | np.uint64(i)
        for j in range(_ROUNDS):
            counts[j, (leading >> np.uint64(j * _DIGIT)) & digit] += 1
    for j in range(_ROUNDS):
        place, below = counts[j], np.uint64(32 + j * _DIGIT)
        if place[(held[0] >> below) & digit] == n:
            continue  # all have the same digit
        before = 0
        for value in range(_VALUES):
            place[value], before = before, before + place[value]
        for i in range(n):
            value = (held[i] >> below) & digit
            other[place[value]] = held[i]
            place[value] += 1
        held, other = other, held
    order = np.empty(n, np.int64)
    for i in range(n):
        order[i] = np.int64(held[i] & _LOW)
    if shift > np.uint64(0):
        for i in range(n):
            other[i] = keys[order[i]]
        _put_right(order, other, held)
    return order


@compiled
def _put_right(order: Ints, ordered: Words, held: Words) -> None:
    """Put those in order that agree in their leading bits; `ordered` has all bits of them."""
    n, i = len(order), 1
    while i < n:
        mine, position, at = ordered[i], order[i], i
        while at > 0 and ordered[at - 1] > mine and i - at < _INSERTED:
            ordered[at], order[at] = ordered[at - 1], order[at - 1]
            at -= 1
        ordered[at], order[at] = mine, position
        if at > 0 and ordered[at - 1] > mine:  # too many to move one by one
            start, end = at, i + 1
            while start > 0 and held[start - 1] >> _HALF == held[at] >> _HALF:
                start -= 1
            while end < n and held[end] >> _HALF == held[at] >> _HALF:
                end += 1
            run = np.argsort(ordered[start:end], kind="mergesort")
            ordered[start:end], order[start:end] = ordered[start:end][run], order[start:end][run]
            i = end - 1
        i += 1
