"""Means, variances and covariances: what they are compared in, what rounding may add, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.claims import (
    CovariancesAmongReplaced,
    CovariancesKept,
    Evidence,
    MeansKept,
    TotalsWithin,
    VariancesKept,
    share_of_repeats,
)
from microveil.claims.examples import evidence_of
from microveil.claims.moments import _rounding_of_means, _rounding_of_products

MOMENTS = (MeansKept(), VariancesKept(), CovariancesKept())


def test_covariances_with_kept_columns_do_not_matter():
    x = np.array([[1.0], [2.0], [3.0], [6.0]])
    evidence = Evidence(("x",), x.T, x[::-1].T, np.zeros(1), np.arange(4), given=np.arange(4.0)[:, None])
    assert not CovariancesKept().check(evidence).holds
    assert CovariancesAmongReplaced().check(evidence).holds
    wider = Evidence(("x",), x.T, 2 * x.T, np.zeros(1), np.arange(4))
    assert not CovariancesAmongReplaced().check(wider).holds


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(lambda z: 1e-13 * z, lambda z: 1e-13 * (z + 3), id="tiny values shifted by 3 sd"),
        pytest.param(lambda z: 1e12 + 0.5 * z, lambda z: 1e12 + 0.5 * (z + 1), id="far values shifted by 1 sd"),
        pytest.param(lambda z: 1e-200 * z, lambda z: 1e-200 * (z + 3), id="squares too small for doubles"),
    ],
)
def test_a_shift_is_measured_in_standard_deviations(before, after):
    z = np.random.default_rng(1).normal(size=300)
    assert not MeansKept().check(evidence_of([before(z)], [after(z)])).holds
    assert MeansKept().check(evidence_of([before(z)], [before(z)[::-1]])).holds


@pytest.mark.parametrize("claim", [VariancesKept(), CovariancesKept()])
@pytest.mark.parametrize("centre", [0.0, 1e12])
def test_a_spread_is_measured_in_standard_deviations(claim, centre):
    z = np.random.default_rng(1).normal(size=300) * (0.5 if centre else 1e-13)
    assert not claim.check(evidence_of([centre + z], [centre + 5 * z])).holds
    assert claim.check(evidence_of([centre + z], [(centre + z)[::-1]])).holds


def test_constant_columns_are_measured_by_their_size():
    constant = np.full(5, 3e6)
    assert evidence_of([constant, np.zeros(5), constant * (1 + 1e-16)], [constant] * 3).scale.tolist() == [3e6, 1, 3e6]
    assert MeansKept().check(evidence_of([constant], [constant + 1e-4])).holds
    assert not MeansKept().check(evidence_of([constant], [constant + 0.1])).holds
    assert not VariancesKept().check(evidence_of([np.zeros(4)], [[0, 0, 0, 1e-3]])).holds


def test_doubles_that_hold_little_of_one_column_do_not_excuse_another():
    z = np.random.default_rng(1).normal(size=100)
    far = 1e15 + 10 * z
    assert MeansKept().check(evidence_of([far, z], [far, z])).holds
    assert not MeansKept().check(evidence_of([far, z], [far, z + 1e-6])).holds


@pytest.mark.parametrize("claim", MOMENTS)
def test_a_statistic_that_exists_on_neither_side_is_equal(claim):
    nothing = [np.nan, np.nan, np.nan]
    assert claim.check(evidence_of([nothing], [nothing])).holds
    assert claim.check(evidence_of([nothing, [1, 2, 3]], [nothing, [3, 2, 1]])).holds
    one_sided = claim.check(evidence_of([nothing], [[1.0, 1, 1]]))
    assert (one_sided.holds, one_sided.deviation) == (False, np.inf)
    assert not claim.check(evidence_of([[1.0, 2, 3]], [nothing])).holds
    assert not claim.check(evidence_of([nothing, [1, 2, 3]], [nothing, [3, 2, 2]])).holds


def test_covariances_need_complete_rows_on_both_sides():
    apart = [[1, np.nan], [np.nan, 2]]
    assert CovariancesKept().check(evidence_of(apart, apart)).holds
    assert not CovariancesKept().check(evidence_of([[1, 2], [1, 2]], apart)).holds


def test_given_columns_follow_the_origin_of_the_rows():
    x, kept = np.array([1.0, 2, 3, 6]), np.array([[0.0], [1], [5], [7]])
    twice = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    assert CovariancesKept().check(evidence_of([x], [x[twice]], given=kept, origin=twice)).holds
    torn = x[[0, 3, 1, 2, 2, 1, 3, 0]]
    assert not CovariancesKept().check(evidence_of([x], [torn], given=kept, origin=twice)).holds
    # rows without an original are in no covariance with kept columns
    mirrored = np.concatenate([x, 6.0 - x + x.mean() * 2 - 6.0])
    origin = np.array([0, 1, 2, 3, -1, -1, -1, -1])
    assert CovariancesKept().check(evidence_of([x], [mirrored], given=kept, origin=origin)).holds
    assert CovariancesKept().check(evidence_of([x], [x], given=kept, origin=[-1] * 4)).holds


def exact_files(draws, n, sd, correlation=0.6):
    """A whole-number file, and values with exactly its means and covariances."""
    root = np.linalg.cholesky([[1, correlation], [correlation, 1]])
    before, new = np.rint(draws.normal(size=(n, 2)) @ root.T * sd + 50), draws.normal(size=(n, 2))
    new -= new.mean(axis=0)
    halves = (np.linalg.cholesky(np.cov(X.T, bias=True)) for X in (new, before))
    white, colour = next(halves), next(halves)
    return before, new @ np.linalg.inv(white).T @ colour.T + before.mean(axis=0)


def rounded(before, values, repeats=None):
    half = np.full(before.shape[1], 0.5)
    return Evidence(("a", "b"), before.T, np.rint(values).T, half, np.arange(len(values)), repeats=repeats)


@pytest.mark.long
@pytest.mark.parametrize("sd", [0.7, 2.0, 30.0])
def test_rounding_of_exact_files_is_allowed_for(sd):
    draws = np.random.default_rng(3)
    held = dict.fromkeys((*MOMENTS, TotalsWithin()), 0)
    tries = 1500
    for _ in range(tries):
        evidence = rounded(*exact_files(draws, 300, sd))
        for claim in held:
            held[claim] += claim.check(evidence).holds
    assert min(held.values()) >= 0.999 * tries, held


def test_what_is_no_rounding_is_found():
    draws = np.random.default_rng(4)
    for _ in range(50):
        before, values = exact_files(draws, 300, 2.0)
        centre = values.mean(axis=0)
        shifted = rounded(before, values + np.array([0.0, 0.2 * 2.0]))
        assert not MeansKept().check(shifted).holds
        assert not TotalsWithin().check(shifted).holds
        for factor in (0.8, 1.2):
            spread = rounded(before, centre + (values - centre) * np.sqrt(factor))
            assert not VariancesKept().check(spread).holds
            assert not CovariancesKept().check(spread).holds


def test_groups_of_equal_values_are_rounded_alike():
    draws = np.random.default_rng(5)
    missed, unaware = 0, 0
    for _ in range(300):
        before = np.rint(draws.normal(50, 5, size=(300, 2)))
        order = np.argsort(before, axis=0)
        values = before.copy()
        for j in range(2):
            values[order[:, j], j] = before[order[:, j], j].reshape(-1, 100).mean(axis=1).repeat(100)
        repeats = share_of_repeats(list(values.T), np.full(2, 0.5))
        missed += not MeansKept().check(rounded(before, values, repeats)).holds
        unaware += not MeansKept().check(rounded(before, values)).holds
    assert missed == 0
    assert unaware > 30


def test_rounding_that_destroys_a_column_is_no_rounding():
    before, values = exact_files(np.random.default_rng(6), 4000, 2.0)
    before[:, 1] = np.arange(4000) % 20 == 0
    values[:, 1] = (values[:, 1] - 50) / 2 * before[:, 1].std() + before[:, 1].mean()
    assert not MeansKept().check(rounded(before, values)).holds


def test_repeats_are_of_values_that_rounding_moves():
    half = np.array([0.5, 0.5, 0.5, 0.0, 0.05])
    values = [[0, 0, 0, 1.5], [0.2, 0.2, 0.2, 1.5], [0.2, 0.2, np.nan, 1.5], [1.5] * 4, [0.3, 0.7, 0.33, np.nan]]
    found = share_of_repeats([np.array(column) for column in values], half)
    assert found == pytest.approx([1 / 16, 10 / 16, 5 / 9, 0.0, 1 / 9])
    assert share_of_repeats([np.full(3, np.nan)], half[:1]).tolist() == [0.0]


def test_repeats_stay_with_their_columns_and_are_not_fewer_in_a_part():
    column = np.arange(8.0)
    whole = Evidence(
        ("a", "b"), [column] * 2, [column] * 2, np.array([0.5, 0.5]), np.arange(8), repeats=np.array([0.125, 0.5])
    )
    assert whole.only(("b",)).independent.tolist() == [0.5]
    part = whole.rows(np.arange(8) < 4)
    assert part.independent.tolist() == [0.5, 1.0]
    assert evidence_of([column], [column]).independent.tolist() == [1 / 8]
    assert evidence_of([column], [[1, np.nan, 2]]).independent.tolist() == [1 / 2]


def test_the_worst_case_of_every_cell_is_never_passed():
    evidence = Evidence(
        ("a",), [np.array([0.0, 10, 20])], [np.array([0.0, 10, 20])], np.array([0.5]), np.arange(3), repeats=np.ones(1)
    )
    assert MeansKept().check(evidence).allowed == pytest.approx(0.5 / evidence.scale[0])
    step = 0.5 / evidence.scale[0]
    assert VariancesKept().check(evidence).allowed == pytest.approx(2 * step + step**2)


def test_what_rounding_may_add_to_means_and_covariances() -> None:
    """The formulas of the docstrings by hand, for a hundred million independent errors: far from the worst case."""
    columns = [np.array([-1.0, 1.0]), np.array([-2.0, 2.0])]
    half, m = np.array([0.3, 0.2]), 1e8
    evidence = Evidence(("a", "b"), columns, columns, half, np.arange(2), repeats=np.full(2, 1 / m))
    assert _rounding_of_means(evidence) == pytest.approx(5 * half / np.sqrt(3 * m))
    step, spread = half / np.array([1.0, 2.0]), np.array([1.5, 0.5])
    expected = np.empty((2, 2))
    for j in range(2):
        for k in range(2):
            cross = (spread[j] * step[k] + spread[k] * step[j]) / np.sqrt(3 * m)
            expected[j, k] = 5 * (cross + step[j] * step[k] / (3 * np.sqrt(m)))
    expected[1, 1] += step[1] ** 2 / 3  # variances rise where that is asked
    assert _rounding_of_products(evidence, spread, np.array([False, True])) == pytest.approx(expected)


def test_rounding_never_adds_more_than_the_worst_case() -> None:
    columns = [np.array([-1.0, 1.0])]
    evidence = Evidence(("a",), columns, columns, np.array([0.3]), np.arange(2), repeats=np.ones(1))
    assert _rounding_of_means(evidence).tolist() == [0.3]
    assert _rounding_of_products(evidence, np.array([1.5]), np.array([True])) == pytest.approx(2 * 1.5 * 0.3 + 0.09)


def test_rounding_of_a_single_row_counts_the_errors_that_were_made():
    evidence = Evidence(("a",), [np.ones(1)], [np.ones(1)], np.array([0.5]), np.arange(1), repeats=np.array([0.01]))
    found = _rounding_of_products(evidence, np.ones(1), np.zeros(1, dtype=bool))
    assert found == pytest.approx(5 * (2 * 0.5 * np.sqrt(0.01 / 3) + 0.25 / 3 * 0.1))


def test_how_far_covariances_with_kept_columns_moved_in_standard_deviations():
    """Columns of standard deviations 100 and 200 whose covariance changes its sign."""
    kept = np.array([[100.0], [-100.0], [100.0], [-100.0]])
    x = 2 * kept[:, 0]
    found = CovariancesKept().check(evidence_of([x], [-x], given=kept))
    assert found.largest == pytest.approx(2.0)
