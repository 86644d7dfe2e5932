"""Streams of tests: one for each number."""

from microveil.core.streams import Key, Streams


def streams_of(seed: int) -> Streams:
    """The streams of a weak key."""
    return Streams(Key.of(seed))
