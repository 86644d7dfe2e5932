from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.kernels.tables.rake import (
    calibrate_linear,
    calibrate_logit,
    margin_columns,
    rake,
)


def weights_and_margins(n: int = 400, seed: int = 1):
    """Weights, two margins with totals that another set of positive weights has, and columns with totals."""
    generator = np.random.default_rng(seed)
    weights = generator.uniform(1, 3, n)
    sex, region = generator.integers(0, 2, n), generator.integers(0, 5, n)
    true = weights * generator.uniform(0.7, 1.4, n)
    margins = {
        "sex": (sex, np.bincount(sex, weights=true)),
        "region": (region, np.bincount(region, weights=true)),
    }
    X = np.column_stack([np.ones(n), generator.exponential(size=n) * 1e9, generator.normal(size=n)])
    return weights, margins, X, X.T @ true


def check_totals(X: np.ndarray, weights: np.ndarray, totals: np.ndarray) -> None:
    size = np.maximum(np.abs(totals), 1e-2 * (weights @ np.abs(X)))
    assert np.abs((X.T @ weights - totals) / size).max() <= 1e-8


def test_raking_reaches_margins_and_stays_positive():
    weights, margins, _, _ = weights_and_margins()
    found = rake(weights, margins)
    assert (found > 0).all()
    for codes, totals in margins.values():
        assert np.allclose(np.bincount(codes, weights=found), totals, rtol=1e-8)


def test_raking_a_two_way_table_by_hand():
    # odds ratio of the table [[1, 2], [3, 4]] is kept, margins are reached
    row, column = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = rake(np.array([1.0, 2, 3, 4]), {"row": (row, np.array([5.0, 5])), "column": (column, np.array([4.0, 6]))})
    a, b, c, d = found
    assert (a + b, c + d, a + c, b + d) == pytest.approx((5, 5, 4, 6), rel=1e-9)
    assert a * d / (b * c) == pytest.approx(1 * 4 / (2 * 3), rel=1e-9)


def test_raking_changes_weights_by_a_factor_for_each_category():
    # with the margins reached this makes it the calibration by exp(x'l), of which there is one
    weights, margins, _, _ = weights_and_margins()
    X, _, names = margin_columns(margins)
    assert names == ["sex=0", "sex=1", *(f"region={k}" for k in range(5))]
    change = np.log(rake(weights, margins) / weights)
    assert np.abs(change - X @ np.linalg.lstsq(X, change, rcond=None)[0]).max() < 1e-12


def test_raking_keeps_ratios_within_cells():
    weights, margins, _, _ = weights_and_margins()
    factor = rake(weights, margins) / weights
    cell = margins["sex"][0] * 5 + margins["region"][0]
    for c in range(10):
        assert np.ptp(factor[cell == c]) < 1e-12


def test_weights_that_fit_are_left_alone():
    weights, margins, X, _ = weights_and_margins()
    fitting = {name: (codes, np.bincount(codes, weights=weights)) for name, (codes, _) in margins.items()}
    assert np.allclose(rake(weights, fitting), weights, rtol=1e-12)
    for calibrate in (calibrate_linear, calibrate_logit):
        assert np.allclose(calibrate(weights, X, X.T @ weights), weights, rtol=1e-8)
    assert np.array_equal(rake(weights, {}), weights)


@pytest.mark.parametrize("calibrate", [calibrate_linear, calibrate_logit])
def test_calibration_reaches_totals(calibrate):
    weights, _, X, totals = weights_and_margins()
    found = calibrate(weights, X, totals)
    assert (found > 0).all()
    check_totals(X, found, totals)


@pytest.mark.parametrize("calibrate", [calibrate_linear, calibrate_logit])
def test_calibration_to_margins_with_dependent_columns(calibrate):
    weights, margins, X, totals = weights_and_margins()
    indicators, sizes, _ = margin_columns(margins)
    both, wanted = np.hstack([indicators, X]), np.concatenate([sizes, totals])
    found = calibrate(weights, both, wanted)
    assert (found > 0).all()
    check_totals(both, found, wanted)


def test_linear_equals_the_closed_form():
    weights, _, X, totals = weights_and_margins()
    multiplier = np.linalg.solve(X.T @ (weights[:, None] * X), totals - X.T @ weights)
    assert np.allclose(calibrate_linear(weights, X, totals), weights * (1 + X @ multiplier), rtol=1e-9)


def test_bounds_hold_where_they_bind():
    generator = np.random.default_rng(4)
    x = generator.exponential(size=(500, 1))
    weights, bounds = np.ones(500), (0.6, 1.5)
    totals = 1.35 * x.sum(axis=0)
    found = calibrate_logit(weights, x, totals, bounds)
    check_totals(x, found, totals)
    assert found.min() >= 0.6
    assert found.max() <= 1.5
    # without bounds the factors would leave them
    assert calibrate_linear(weights, x, totals).max() > 1.5


def test_logit_curve_has_its_closed_form():
    # log((g - L)(U - 1) / ((1 - L)(U - g))) is proportional to x, so a record with x = 0 keeps its weight
    x = np.array([[0.0], [1.0], [2.0], [4.0]])
    g = calibrate_logit(np.ones(4), x, np.array([9.0]), (0.4, 2.5))
    transformed = np.log((g - 0.4) * 1.5 / (0.6 * (2.5 - g)))
    assert g[0] == pytest.approx(1.0, abs=1e-14)
    assert transformed[1:] / x[1:, 0] == pytest.approx(transformed[1], rel=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_the_bounded_form_finds_a_solution_exactly_when_there_is_one(seed):
    from scipy.optimize import linprog

    generator = np.random.default_rng(seed)
    X = np.column_stack([np.ones(60), generator.exponential(size=(60, 3)) ** 2])
    weights = generator.uniform(0.5, 3, 60)
    extreme = np.where(X[:, 1] > np.median(X[:, 1]), 1.8, 0.5) ** generator.uniform(0.8, 1.15)
    totals = X.T @ (weights * extreme)
    A, size = (X * weights[:, None]).T, weights @ X
    possible = linprog(np.zeros(60), A_eq=A / size[:, None], b_eq=totals / size, bounds=(0.5, 1.8)).status == 0
    if possible:
        check_totals(X, calibrate_logit(weights, X, totals, (0.5, 1.8)), totals)
    else:
        with pytest.raises(BadInput, match=r"cannot be met together|out of reach"):
            calibrate_logit(weights, X, totals, (0.5, 1.8))


def test_units_of_columns_do_not_matter():
    weights, _, X, totals = weights_and_margins()
    unit = np.array([1e9, 1e-9, 1.0])
    for calibrate in (calibrate_linear, calibrate_logit):
        assert np.allclose(calibrate(weights, X, totals), calibrate(weights, X * unit, totals * unit), rtol=1e-7)


def test_margins_with_different_sums_are_named():
    weights, margins, _, _ = weights_and_margins()
    margins["sex"] = (margins["sex"][0], margins["sex"][1] * 1.01)
    with pytest.raises(BadInput, match="margins 'region' and 'sex' have different sums"):
        rake(weights, margins)


def test_margins_without_common_solution_are_named():
    # nobody is in (0, 1): row 0 can only be filled from column 0
    row, column = np.array([0, 1, 1]), np.array([0, 0, 1])
    margins = {"row": (row, np.array([6.0, 4.0])), "column": (column, np.array([5.0, 5.0]))}
    with pytest.raises(BadInput, match=r"totals cannot be met together.*row=0 \(wanted 6, reached 5\)"):
        rake(np.ones(3), margins)


@pytest.mark.parametrize(
    ("codes", "totals", "message"),
    [
        ([0, 0, 1], [1.0, 2.0, 3.0], "margin 'm', category 2, total 3.0: the category has no record to carry it"),
        ([0, 0, 1], [3.0, 0.0], "category 1, total 0.0: the category has records"),
        ([0, 0, 2], [1.0, 2.0], r"margin 'm' needs a category code 0..1 for each of 3 records"),
        ([0, 0, -1], [1.0, 2.0], "give missing its own"),
        ([0, 0, 1], [-1.0, 2.0], "finite and >= 0"),
    ],
)
def test_impossible_margins_are_named(codes, totals, message):
    with pytest.raises(BadInput, match=message):
        rake(np.ones(3), {"m": (np.array(codes), np.array(totals))})


def test_empty_category_with_total_zero_is_fine():
    found = rake(np.ones(3), {"m": (np.array([0, 2, 2]), np.array([4.0, 0.0, 6.0]))})
    assert np.allclose(found, [4, 3, 3])


def test_linear_refuses_negative_weights():
    with pytest.raises(BadInput, match="makes 1 weights zero or negative"):
        calibrate_linear(np.ones(3), np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 5.0]]), np.array([3.0, 0.5]))


def test_totals_out_of_reach_are_named():
    with pytest.raises(BadInput, match=r"age \(wanted 9, possible 1 to 4\); widen the bounds"):
        calibrate_logit(np.ones(2), np.ones((2, 1)), np.array([9.0]), (0.5, 2.0), names=["age"])
    with pytest.raises(BadInput, match=r"must satisfy 0 < low < 1 < high"):
        calibrate_logit(np.ones(2), np.ones((2, 1)), np.array([2.0]), (1.5, 2.0))


def test_totals_each_in_reach_but_not_together_are_named():
    X = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    # the first total wants small factors, the second large ones, and they share a record
    with pytest.raises(BadInput, match=r"totals cannot be met together.*column 1"):
        calibrate_logit(np.ones(3), X, np.array([1.0, 4.0]), (0.5, 2.0))


@pytest.mark.parametrize("calibrate", [calibrate_linear, calibrate_logit])
def test_contradicting_totals_are_named(calibrate):
    X = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 1.0], [1.0, 2.0, 5.0]])
    with pytest.raises(BadInput, match="contradict one another: a, b depend"):
        calibrate(np.ones(3), X, np.array([3.0, 7.0, 6.0]), names=["a", "b", "c"])


def test_bad_weights_and_shapes():
    with pytest.raises(BadInput, match="finite number > 0"):
        rake(np.array([1.0, 0.0]), {})
    with pytest.raises(BadInput, match="do not fit together"):
        calibrate_linear(np.ones(2), np.ones((3, 1)), np.ones(1))
    with pytest.raises(BadInput, match="1 names for 2 columns"):
        calibrate_linear(np.ones(2), np.eye(2), np.ones(2), ["a"])
