"""Blocks: balanced, near in space, and no group below k at their borders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.search.blocks import label_blocks, order_in_blocks


def random_records(n: int, d: int, kind: str, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, d))
    if kind == "integer":
        return np.round(X)
    if kind == "constant":
        X[:, 0] = 1.0
        return X
    return np.repeat(X[: n // 4 + 1], 4, axis=0)[:n].copy() if kind == "duplicated" else X


def numbers_of_blocks(X: np.ndarray, size: int) -> np.ndarray:
    order, starts = order_in_blocks(X, size)
    blocks = np.empty(len(X), dtype=np.int64)
    blocks[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return blocks


kinds = st.sampled_from(["normal", "integer", "constant", "duplicated"])


@given(st.integers(1, 300), st.integers(1, 4), st.integers(1, 40), kinds, st.integers(0, 99))
def test_blocks_hold_half_to_all_of_the_size(n, d, size, kind, seed):
    blocks = numbers_of_blocks(random_records(n, d, kind, seed), size)
    counts = np.bincount(blocks)
    assert counts.sum() == n
    assert counts.max() <= size
    assert counts.min() >= min(n, (size + 1) // 2)


def test_one_column_is_cut_into_consecutive_ranges():
    x = np.random.default_rng(0).permutation(1000).astype(float)[:, None]
    blocks = numbers_of_blocks(x, 100)
    assert (np.diff(blocks[np.argsort(x[:, 0])]) >= 0).all()


def test_blocks_are_tighter_than_a_random_cut():
    X = np.random.default_rng(0).standard_normal((4000, 3))
    blocks = numbers_of_blocks(X, 50)
    centre = np.column_stack([np.bincount(blocks, x) / np.bincount(blocks) for x in X.T])
    assert ((X - centre[blocks]) ** 2).sum() < 0.2 * ((X - X.mean(axis=0)) ** 2).sum()


@given(st.integers(2, 200), st.integers(2, 6), st.integers(0, 20), kinds, st.integers(0, 99))
def test_no_blocked_group_is_below_k(n, k, extra, kind, seed):
    X = random_records(max(n, k), 2, kind, seed)
    counts = np.bincount(label_blocks(X, k, 2 * k + extra, mdav))
    assert counts.sum() == X.shape[0]
    assert counts.min() >= k


def test_one_block_gives_the_partition_itself():
    X = np.random.default_rng(1).standard_normal((50, 3))
    blocked = label_blocks(X, 3, 50, mdav)
    plain = mdav(X, 3)
    assert ((blocked[:, None] == blocked) == (plain[:, None] == plain)).all()


def test_refusals_say_what_is_allowed():
    X = np.zeros((4, 2))
    with pytest.raises(BadInput, match=r"size=5 is below 2k=6"):
        label_blocks(X, 3, 5, mdav)
    with pytest.raises(NotEnoughRecords, match=r"4 records are fewer than k=5"):
        label_blocks(X, 5, 10, mdav)
