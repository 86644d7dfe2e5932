"""Records put into linear rules by the smallest change."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.moments.into_rules import project_into
from tests.streams import streams_of

FORMS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, -2.0, 0], [1.0, 1.0, -1.0]])  # x, y >= 0; 2 y <= x; x + y == z
EQUAL = np.array([False, False, False, True])
INNER = np.array([False, False, True, False])


def project(X, constants=None, forms=FORMS, equal=EQUAL, inner=INNER):
    constants = np.zeros((len(X), len(forms))) if constants is None else constants
    return project_into(X, forms, constants, equal, inner)


def test_every_row_ends_inside_and_no_other_way_is_shorter():
    from scipy.optimize import minimize

    X = 10 * streams_of(1).normals(0, 300, 3)
    new, found = project(X)
    assert found.all()
    slacks = new @ FORMS.T
    assert slacks[:, :2].min() >= 0
    assert slacks[:, 2].min() >= 0
    np.testing.assert_allclose(slacks[:, 3], 0, atol=1e-10)
    for x, y in zip(X[:15], new[:15], strict=True):
        scale = np.maximum(np.abs(x), 0.01 * np.abs(x).max())
        rules = [{"type": "ineq", "fun": lambda v: FORMS[:3] @ v}, {"type": "eq", "fun": lambda v: FORMS[3] @ v}]
        best = minimize(
            lambda v, x=x, scale=scale: (((v - x) / scale) ** 2).sum(), x, constraints=rules, options={"ftol": 1e-14}
        )
        assert (((y - x) / scale) ** 2).sum() <= best.fun + 1e-6


def test_rows_inside_stay_to_the_last_bit():
    X = np.array([[7.3, 0.1, 7.3 + 0.1]])
    new, found = project(X)
    assert (new == X).all()
    assert found.all()


def test_a_row_ends_exactly_at_the_end_of_its_range():
    new, _ = project(np.array([[-1e-9, -5.0, 1e9]]), forms=FORMS[:2], equal=EQUAL[:2], inner=INNER[:2])
    assert (new == [[0.0, 0.0, 1e9]]).all()


def test_gaps_stay_and_their_rules_do_not_bind():
    new, found = project(np.array([[-1.0, np.nan, 5.0]]))
    np.testing.assert_array_equal(new, [[0.0, np.nan, 5.0]])
    assert found.all()
    new, _ = project(np.array([[-1.0, -1.0, 2.0]]), np.array([[np.nan, 0.0]]), FORMS[:2], EQUAL[:2], INNER[:2])
    assert (new == [[-1.0, 0.0, 2.0]]).all()


def test_rules_that_contradict_one_another_are_told():
    forms, constants = np.array([[1.0], [-1.0]]), np.array([[-5.0, 3.0]])  # at least 5 and at most 3
    new, found = project(np.array([[4.0]]), constants, forms, np.zeros(2, bool), np.zeros(2, bool))
    assert not found.any()
    assert new == 4.0


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e12])
def test_units_do_not_matter(size):
    X = streams_of(2).normals(0, 50, 3)
    np.testing.assert_allclose(project(size * X)[0], size * project(X)[0], rtol=1e-9, atol=1e-9 * size)
