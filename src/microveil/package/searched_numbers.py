"""Long numbers of identifiers in bytes: written as text, or stored as programs store numbers.

All of them are looked for at once: the numbers that stand in the bytes are collected, and compared with the
identifiers. Short numbers stand in any file, and finding one proves nothing.
"""

from __future__ import annotations

import re

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints

# A number of five digits occurs in any file of amounts, any report and any hash: an audit that reports chance is no
# longer read. From seven digits on a match is no chance in files of usual size.
SHORTEST = 7  # digits of a number that is searched for
_SHORTEST_WHOLE = 10  # digits, where whole numbers are stored: shorter ones are four bytes that occur by chance
_LARGEST = 2**53  # beyond it numbers with decimals are not told apart
_WRITTEN = re.compile(rb"(?<![0-9A-Za-z.])([0-9]{%d,15})(?:\.0+)?(?![0-9A-Za-z]|\.[0-9])" % SHORTEST)
_WIDE = re.compile(rb"(?<![0-9A-Za-z.]\x00)((?:[0-9]\x00){%d,15})(?![0-9A-Za-z.]\x00)" % SHORTEST)
_WIDTH = 8  # bytes of a stored number
_AT_ONCE = 1 << 24


def long_numbers(values: Ints) -> Ints:
    """Of whole numbers those that are long enough to be searched for, each once and in their order."""
    found = np.unique(values)
    return np.asarray(found[(found >= 10 ** (SHORTEST - 1)) & (found < _LARGEST)], dtype=np.int64)


def are_among(values: Ints, wanted: Ints) -> Bools:
    """Whether each value is one of the wanted numbers, which stand in their order."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.bool_)
    place = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[place] == values, dtype=np.bool_)


def numbers_standing_in(contents: bytes, wanted: Ints) -> Ints:
    """Those of the wanted numbers that stand in bytes."""
    if not len(wanted):
        return wanted
    written = [int(found) for found in _WRITTEN.findall(contents)]
    wide = [int(found.replace(b"\0", b"")) for found in _WIDE.findall(contents)]
    found = np.array([*written, *wide], dtype=np.int64)
    return np.union1d(found[are_among(found, wanted)], _stored(contents, wanted))


def _stored(contents: bytes, wanted: Ints) -> Ints:
    """Those that are stored as whole numbers or as ones with decimals, at any place."""
    as_whole = wanted[(wanted >= 10 ** (_SHORTEST_WHOLE - 1)) & (wanted % 256 > 0)]
    found = [wanted[:0]]
    for start in range(0, len(contents), _AT_ONCE):
        part = contents[start : start + _AT_ONCE + _WIDTH - 1]
        for shift in range(_WIDTH):
            count = (len(part) - shift) // _WIDTH
            if count > 0:
                found.append(_common(np.frombuffer(part, "<i8", count, shift), as_whole))
                found.append(_common(np.frombuffer(part, "<f8", count, shift), wanted))
    return np.unique(np.concatenate(found))


def _common(there: Ints | Floats, wanted: Ints) -> Ints:
    """The wanted numbers among many others, of which hardly any is near them."""
    if not len(wanted):
        return wanted
    with np.errstate(invalid="ignore"):  # most of these bytes are no numbers
        near = there[(there >= wanted[0]) & (there <= wanted[-1])]
    whole = near[near == np.floor(near)].astype(np.int64)
    return np.asarray(whole[are_among(whole, wanted)], dtype=np.int64)
