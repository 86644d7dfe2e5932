"""Ranks, normal scores and the replacement of values by rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.errors import BadInput, MissingValues
from microveil.core.ordering import distinct, sorted_floats, stable_order
from microveil.core.streams import Streams


def ordinal_ranks(x: Floats, streams: Streams | None = None) -> Ints:
    """Ranks 1..n without ties: equal values in row order, or in random order with streams."""
    ranks = np.empty(len(x), dtype=np.int64)
    ranks[random_rank_order(x, streams)] = np.arange(1, len(x) + 1)
    return ranks


def normal_scores(x: Floats) -> Floats:
    """Normal quantiles of (rank - 0.5) / n with average ranks for ties (Hazen's plotting position)."""
    _refuse_missing(x)
    _, inverse, counts = distinct(x)
    average = np.cumsum(counts) - (counts - 1) / 2
    # a table of distinct values: the quantile is computed once for each
    return np.asarray(ndtri((average - 0.5) / max(len(x), 1))[inverse])


def reverse_map(x: Floats, y: Floats, streams: Streams | None = None) -> Floats:
    """The values of x in the rank order of y: the i-th smallest y becomes the i-th smallest x.

    Use it to give any masked column exactly the original values. Ties of y follow row order, or a
    random order with streams (Muralidhar & Sarathy 2006, Data shuffling).
    """
    if len(x) != len(y):
        raise BadInput(f"values to map have different lengths: {len(x)} and {len(y)}; give one for one")
    _refuse_missing(x)
    result = np.empty_like(x)
    result[random_rank_order(y, streams)] = sorted_floats(x)
    return result


def random_rank_order(x: Floats, streams: Streams | None) -> Ints:
    """The records from the smallest value on; equal values by a word of each record (in row order without streams)."""
    _refuse_missing(x)
    return order_by_words(x, None if streams is None else lambda: streams.words(0, len(x))[:, 0])


def order_by_words(x: Floats, words: Callable[[], Words] | None) -> Ints:
    """The records from the smallest value on; equal values by their words, in row order without or if these are equal.

    Words are asked for where some values are equal.
    """
    order = stable_order(x)
    if words is None:
        return order
    values = x[order]
    as_before = np.concatenate([[False], values[1:] == values[:-1]])
    tied = np.flatnonzero(as_before | np.append(as_before[1:], False))
    if len(tied):
        records = order[tied]
        by_word = stable_order(words()[records])
        value_number = np.cumsum(~as_before)[tied]
        order[tied] = records[by_word[stable_order(value_number[by_word])]]
    return order


def _refuse_missing(x: Floats) -> None:
    missing = int(np.isnan(x).sum())
    if missing:
        raise MissingValues(f"ranks need complete values: {missing} of {len(x)} are missing; leave them out first")
