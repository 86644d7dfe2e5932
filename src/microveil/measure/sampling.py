"""Some records of a large file in place of all, where a figure from all would take long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microveil.core.streams import Key, Streams
from microveil.measure.pair import Pair


def drawn_rows(rows: NDArray[np.int64], most: int, purpose: str) -> NDArray[np.int64]:
    """At most this many of the rows, in their order; the same ones whenever the same is asked."""
    if len(rows) <= most:
        return rows
    generator = Streams(Key.of(0)).at("sample of records", purpose).generator()
    return np.asarray(rows[np.sort(generator.choice(len(rows), most, replace=False))], dtype=np.int64)


def with_some_searched(pair: Pair, most: int) -> Pair:
    """The pair with at most this many originals in view, all of which have a protected record to be found.

    The protected file stays whole, so that each original hides among as many records as it really does.
    """
    if pair.link is None or len(pair.rows_before) <= most:
        return pair
    linked = pair.link[pair.rows_after]
    found = np.zeros(pair.before.n, dtype=np.bool_)
    found[linked[linked >= 0]] = True
    searched = pair.rows_before[found[pair.rows_before]]
    return pair.domain(drawn_rows(searched, most, "searched originals"), pair.rows_after)
