"""Angles are those of the C library, up to the last bits."""

import math

import numpy as np
import pytest

from microveil.kernels.fixed.angles import angle_of, arc_with, point_at

DRAWS = np.random.default_rng(3)
EPS = np.finfo(float).eps


def test_angles_of_points():
    points = DRAWS.normal(size=(4000, 2)) * 10.0 ** DRAWS.integers(-8, 8, size=(4000, 2))
    for x, y in points:
        assert angle_of(y, x) == pytest.approx(math.atan2(y, x), rel=4 * EPS)


@pytest.mark.parametrize(("y", "x"), [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1), (1, -1), (0, 0)])
def test_angles_on_axes_and_diagonals(y, x):
    assert angle_of(float(y), float(x)) == pytest.approx(math.atan2(y, x), rel=2 * EPS)


def test_arcs_also_near_the_ends():
    cosines = [*DRAWS.uniform(-1, 1, 4000), *(1 - 10.0 ** DRAWS.uniform(-15, -1, 1000)), -1.0, 0.0, 1.0]
    for cosine in cosines:
        assert arc_with(cosine) == pytest.approx(math.acos(cosine), rel=8 * EPS)


def test_cosines_beyond_one_are_one():
    assert arc_with(1 + 1e-12) == 0.0
    assert arc_with(-1.5) == pytest.approx(math.pi)


def test_points_of_the_circle():
    for angle in [*DRAWS.uniform(-7, 7, 4000), 0.0, math.pi / 4, math.pi, -math.pi / 2]:
        cosine, sine = point_at(angle)
        assert cosine == pytest.approx(math.cos(angle), abs=3 * EPS)
        assert sine == pytest.approx(math.sin(angle), abs=3 * EPS)
        assert cosine**2 + sine**2 == pytest.approx(1.0, abs=3 * EPS)
