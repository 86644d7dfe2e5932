"""Looking at records that agree finds what a tree finds."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.linkage.cells import Cells, nominal_steps
from microveil.kernels.linkage.partners import nearest_cells
from microveil.kernels.linkage.scan import scan_nearest


def cells(rows: int, seed: int, ranges: bool, top: int) -> Cells:
    draw = np.random.default_rng(seed)
    low = np.column_stack([draw.integers(0, top, rows), draw.integers(0, 4, (rows, 2))]).astype(float)
    high = low + (draw.integers(0, 3, (rows, 3)) if ranges else 0)
    nothing = np.zeros((rows, 0), dtype=np.uint64)
    return Cells(low, high, nothing, np.zeros(4, dtype=np.int64), draw.integers(0, 2, rows) / 2, nothing)


@pytest.mark.parametrize("size", [1, 5])
def test_as_a_tree_does(size):
    asked, shown = cells(60, 1, ranges=False, top=12), cells(80, 2, ranges=True, top=6)
    steps = nominal_steps(np.array([True, False, False])) * 100.0
    near, cost = scan_nearest(asked, shown, size, steps)
    by_tree, its_cost = nearest_cells(asked, shown, size, steps, False)
    agree = its_cost < 100.0
    some = agree.any(axis=1, keepdims=True)
    assert some.any()
    assert not some.all()  # who agrees with nobody is compared with all
    seen = agree | ~some
    assert cost[seen].tolist() == its_cost[seen].tolist()
    assert near[seen].tolist() == by_tree[seen].tolist()
    assert np.isinf(cost[~seen]).all()
