"""Weights of a sample by the names of their columns, and those beside the one that is used."""

from __future__ import annotations

from collections.abc import Iterable

from microveil.data import frames
from microveil.data.microdata import Microdata
from microveil.detect.words import only_says, says, words_of

_UNITS = frozenset({"cm", "m", "kg", "in", "ft", "body", "patient"})


def are_beside_bodies(names: Iterable[str]) -> bool:
    """Whether a column of heights says that weights are those of bodies."""
    return any(only_says(words_of(name), "height", _UNITS) for name in names)


def says_weight(words: tuple[str, ...], beside_bodies: bool) -> bool:
    """Whether the words of a name mean the weight of a sample, not that of a body or a thing."""
    named = says(words, "weight") and ("w" not in words or words == ("w",))
    return named and not beside_bodies and not says(words, "body")


def second_weights(data: Microdata) -> tuple[str, ...]:
    """The columns of other weights where one is the weight: no amounts either, but a file has one weight only."""
    if not data.names("weight"):
        return ()
    bodies = are_beside_bodies(data.columns)
    return tuple(
        name
        for name in data.names("other")
        if says_weight(words_of(name), bodies) and frames.is_numeric(data.narwhal.get_column(name))
    )
