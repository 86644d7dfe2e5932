"""Blocks of attributes that are protected together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.errors import BadInput

Blocks = tuple[tuple[str, ...], ...]


def blocks_in_order(names: Sequence[str], size: int) -> Blocks:
    """Consecutive blocks of `size` names; a single name left over joins the last block."""
    cut = [tuple(names[start : start + size]) for start in range(0, len(names), size)]
    if size > 1 and len(cut) > 1 and len(cut[-1]) == 1:
        cut[-2:] = [cut[-2] + cut[-1]]
    return tuple(cut)


def check_blocks(blocks: Blocks, names: Sequence[str]) -> Blocks:
    """The blocks a user listed, checked to hold every column once."""
    listed = [name for block in blocks for name in block]
    twice = sorted({name for name in listed if listed.count(name) > 1})
    unknown = [name for name in listed if name not in names]
    absent = [name for name in names if name not in listed]
    if twice:
        raise BadInput(f"blocks name {twice} more than once; put each column into one block")
    if unknown:
        raise BadInput(f"blocks name {unknown}, not among the columns to protect {list(names)}")
    if absent:
        raise BadInput(f"no block holds {absent}; put every column to protect into a block")
    if not all(blocks):
        raise BadInput("a block is empty; name at least one column in each")
    return blocks


def order_by_correlation(X: Matrix, names: Sequence[str], size: int) -> tuple[str, ...]:
    """The names so that consecutive blocks of `size` hold attributes that correlate.

    Greedy: the most correlated pair left, then always the attribute with the highest mean absolute
    correlation to those in the block.
    """
    from microveil.kernels.linalg.bases import correlation_scale
    from microveil.kernels.moments.central import mean_and_covariance

    complete = X[~np.isnan(X).any(axis=1)]
    if len(complete) < 2:
        return tuple(names)
    strength = np.abs(correlation_scale(mean_and_covariance(complete)[1])[1])
    strength = np.maximum(strength, strength.T)  # alike to the bit, so that the first of a pair is found first
    np.fill_diagonal(strength, -1.0)
    left, order = list(range(len(names))), []
    while left:
        among = strength[np.ix_(left, left)]
        first = left[int(np.argmax(among.max(axis=1)))]
        block = [first]
        left.remove(first)
        while left and len(block) < size:
            nearest = left[int(np.argmax(strength[np.ix_(left, block)].mean(axis=1)))]
            block.append(nearest)
            left.remove(nearest)
        order += block
    return tuple(names[j] for j in order)
