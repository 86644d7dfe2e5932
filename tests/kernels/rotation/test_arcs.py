"""Free angles beside a plain search over a fine grid of angles."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.rotation.arcs import add_arc, draw_free, nearest_free
from tests.streams import streams_of

PERIOD = 2.0


def arcs_of(*found: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, int]:
    ends, count = np.empty((2 * len(found) + 2, 2)), 0
    for centre, half in found:
        count = add_arc(ends, count, centre, half, PERIOD)
    return ends, np.empty(len(ends), np.int64), count


def random_arcs(number: int, seed: int) -> list[tuple[float, float]]:
    drawn = streams_of(seed).uniforms(0, number, 2)
    return [(20 * centre - 10, 0.4 * half) for centre, half in drawn]


def is_free(angle: np.ndarray, arcs: list[tuple[float, float]]) -> np.ndarray:
    apart = [np.abs((angle - centre + PERIOD / 2) % PERIOD - PERIOD / 2) >= half for centre, half in arcs]
    return np.logical_and.reduce([np.ones(len(angle), np.bool_), *apart])


@pytest.mark.parametrize("seed", range(8))
def test_drawn_angles_are_free_and_spread_evenly_over_what_is_free(seed):
    found = random_arcs(3, seed)
    grid = np.linspace(0, PERIOD, 20_001)[:-1] + PERIOD / 40_000
    free = grid[is_free(grid, found)]
    drawn = np.array([draw_free(*arcs_of(*found), PERIOD, share) for share in np.linspace(0, 1, 500, endpoint=False)])
    assert is_free(drawn[:, 0], [(centre, half - 1e-9) for centre, half in found]).all()
    np.testing.assert_allclose(drawn[:, 1], len(free) / 20_000 * PERIOD, atol=1e-3)
    # where a share falls on the end of an arc, either side of it will do
    expected = np.quantile(free, np.linspace(0, 1, 500, endpoint=False))
    assert np.mean(np.abs(drawn[:, 0] - expected) < 0.01) > 0.98


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_free_angle_is_the_nearest_of_a_fine_grid(seed):
    found = random_arcs(4, 100 + seed)
    grid = np.linspace(-10, 10, 200_001)
    free = grid[is_free(grid, found)]
    for wanted in np.linspace(-5, 5, 41):
        nearest = nearest_free(*arcs_of(*found), PERIOD, wanted)
        assert abs(nearest - wanted) == pytest.approx(np.abs(free - wanted).min(), abs=2e-4)


def test_nothing_is_free_of_a_whole_circle():
    ends, order, count = arcs_of((0.3, 0.6), (1.3, 0.6))
    assert draw_free(ends, order, count, PERIOD, 0.5)[1] == 0.0
    assert np.isnan(nearest_free(ends, order, count, PERIOD, 0.5))
    assert draw_free(ends, order, -1, PERIOD, 0.5) == (0.0, 0.0)


def test_without_arcs_everything_is_free():
    ends, order, count = arcs_of()
    assert draw_free(ends, order, count, PERIOD, 0.25) == (0.5, PERIOD)
    assert nearest_free(ends, order, count, PERIOD, 7.3) == 7.3
