"""The auction against the exact solver."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from microveil.kernels.assignment.candidates import assign_candidates


@pytest.mark.parametrize("seed", range(5))
def test_total_with_every_candidate_is_nearly_the_least(seed):
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((80, 2)), rng.standard_normal((120, 2))
    cost = np.linalg.norm(A[:, None] - B, axis=2)
    near = np.argsort(cost, axis=1)
    chosen = assign_candidates(near, np.take_along_axis(cost, near, axis=1), 120)
    assert len(np.unique(chosen)) == 80
    rows, columns = linear_sum_assignment(cost)
    least, found = cost[rows, columns].sum(), cost[np.arange(80), chosen].sum()
    assert least <= found <= least + 80 * 1e-3 * cost.mean()


def test_rows_that_compete_in_vain_stay_without_a_target():
    near = np.zeros((3, 1), dtype=np.int64)
    chosen = assign_candidates(near, np.array([[1.0], [1.0], [1.0]]), 1)
    assert sorted(chosen.tolist()) == [-1, -1, 0]


def test_equal_costs_leave_nobody_out_where_there_is_room():
    near = np.tile(np.arange(4), (4, 1))
    chosen = assign_candidates(near, np.zeros((4, 4)), 4)
    assert sorted(chosen.tolist()) == [0, 1, 2, 3]
