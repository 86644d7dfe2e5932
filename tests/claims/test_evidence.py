"""Evidence held column by column, and the moments that claims compare."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.claims import CovariancesKept, MeansKept, VariancesKept
from microveil.claims.evidence import Evidence, Moments, share_of_repeats

NAMES = ("a", "b", "c")


def evidence(gaps: bool = False) -> Evidence:
    rng = np.random.default_rng(2)
    X = rng.normal(1e6, 3.0, size=(5000, 3)) @ np.array([[1, 0.3, 0], [0, 1, 0.5], [0, 0, 1]])
    Y = X + rng.normal(size=X.shape)
    if gaps:
        X[:7, 0] = np.nan
        Y[:7, 0] = np.nan
    return Evidence(NAMES, X.T, Y.T, np.zeros(3), np.arange(len(X)), np.zeros(len(X), dtype=np.int64))


@pytest.mark.parametrize("gaps", [False, True])
def test_deviations_are_those_of_the_whole_matrices(gaps: bool) -> None:
    found = evidence(gaps)
    scale = np.nanstd(found.before, axis=0)
    means = (np.nanmean(found.after, axis=0) - np.nanmean(found.before, axis=0)) / scale
    assert MeansKept().check(found).deviation == pytest.approx(np.abs(means).max(), rel=1e-6)
    variances = (np.nanvar(found.after, axis=0) - np.nanvar(found.before, axis=0)) / scale**2
    assert VariancesKept().check(found).deviation == pytest.approx(np.abs(variances).max(), rel=1e-6)
    complete = ~np.isnan(found.before).any(axis=1)
    before, after = (np.cov(X[complete].T / scale[:, None], bias=True) for X in (found.before, found.after))
    assert CovariancesKept().check(found).deviation == pytest.approx(np.abs(after - before).max(), rel=1e-6)


def test_parts_of_rows_and_columns() -> None:
    found = evidence()
    half = np.arange(5000) % 2 == 0
    part = found.only(("c", "a")).rows(half)
    assert part.columns == ("c", "a")
    assert np.array_equal(part.before, found.before[half][:, [2, 0]])
    assert np.array_equal(part.after, found.after[half][:, [2, 0]])
    assert np.array_equal(part.origin, np.arange(2500))


def test_moments_are_those_of_numpy() -> None:
    X = evidence().before - 1e6
    found = Moments(X.T)
    assert found.means == pytest.approx(X.mean(axis=0), rel=1e-14)
    assert found.variances == pytest.approx(X.var(axis=0), rel=1e-12)
    assert found.covariances == pytest.approx(np.cov(X.T, bias=True), rel=1e-10)
    assert found.largest == pytest.approx(np.abs(X).max(axis=0))


def test_no_row_is_complete() -> None:
    found = Moments([np.array([1.0, np.nan]), np.array([np.nan, 2.0])])
    assert np.isnan(found.covariances).all()
    assert found.complete_rows == 0
    assert found.means.tolist() == [1.0, 2.0]
    assert Moments([np.array([1.0, np.nan, 3.0, 4.0]), np.array([1.0, 2.0, np.nan, 4.0])]).complete_rows == 2


def test_repeats_of_large_columns_are_told_from_some_of_their_values():
    draw = np.random.default_rng(0)
    groups = np.repeat(draw.normal(size=30_000), 5)[draw.permutation(150_000)]
    single = draw.normal(size=150_000)
    whole = np.round(draw.normal(size=150_000) * 100)
    found = share_of_repeats([groups, single, whole], np.array([0.5, 0.5, 0.5]))
    assert found[0] == pytest.approx(5 / 150_000, rel=0.2)
    assert found[1] == pytest.approx(1 / 150_000)
    assert found[2] == 0.0


def test_the_scale_of_a_column_is_its_spread_or_its_size() -> None:
    columns = [np.array(cells) for cells in ([1.0, 3.0], [-5.0, -5.0], [0.0, 0.0], [np.nan, np.nan], [1e-300, 3e-300])]
    evidence = Evidence(tuple("abcde"), columns, columns, np.zeros(5), np.arange(2))
    assert evidence.scale.tolist() == [1.0, 5.0, 1.0, 1.0, pytest.approx(2e-300)]


def test_a_mean_is_as_near_as_doubles_hold_it() -> None:
    tenths = np.full(3, 0.1)
    assert tenths.sum() / 3 != 0.1
    assert Moments([tenths]).means.tolist() == [0.1]


def test_moments_of_no_columns() -> None:
    nothing = Moments([])
    assert nothing.complete_rows == 0
    assert nothing.covariances.shape == (0, 0)


def test_moments_of_columns_without_a_value() -> None:
    found = Moments([np.array([np.nan, np.nan]), np.array([-3.0, 2.0])])
    assert found.counts.tolist() == [0, 2]
    assert (found.lowest.tolist(), found.highest.tolist()) == ([np.inf, -3.0], [-np.inf, 2.0])
    assert found.largest.tolist() == [0.0, 3.0]
    assert np.isnan(found.means[0])
    assert np.isnan(found.variances[0])
    assert found.complete_rows == 0


@pytest.mark.parametrize("size", [(1 << 15) - 1, 1 << 15, (1 << 15) + 1])
def test_moments_of_several_blocks(size: int) -> None:
    x = np.random.default_rng(size).normal(5, 2, size=(size, 10))
    found = Moments(list(x.T))
    assert found.means == pytest.approx(x.mean(axis=0), rel=1e-13)
    assert found.variances == pytest.approx(x.var(axis=0), rel=1e-12)
    assert found.covariances == pytest.approx(np.cov(x.T, bias=True), rel=1e-9, abs=1e-12)
    assert found.complete_rows == size


def test_some_rows_and_what_was_released_of_them() -> None:
    columns = [np.array([1.0, 2, 3, 4])]
    whole = Evidence(
        ("a",),
        columns,
        [np.array([40.0, 20, 99, 10])],
        np.zeros(1),
        np.array([3, 1, -1, 0]),
        groups=np.array([5, 6, 7, 8]),
        given=np.array([[11.0], [12], [13], [14]]),
    )
    part = whole.rows(np.array([True, False, True, True]))
    assert [column.tolist() for column in part.original] == [[1, 3, 4]]
    assert [column.tolist() for column in part.released] == [[40, 99, 10]]  # new rows stay
    assert part.origin.tolist() == [2, -1, 0]
    assert part.groups is not None
    assert part.groups.tolist() == [5, 7, 8]
    assert part.given is not None
    assert part.given.tolist() == [[11], [13], [14]]
    assert whole.rows(np.array([False, True, True, True])).origin.tolist() == [2, 0, -1]
    chosen = whole.rows(np.array([True, True, False, False]), np.array([False, True, False, True]))
    assert chosen.origin.tolist() == [1, 0]
    assert [column.tolist() for column in chosen.released] == [[20, 10]]


def test_kept_columns_beside_the_change_of_others() -> None:
    before, after = [np.array([1.0, 2, 3])], [np.array([30.0, 10, 5, np.nan])]
    given = np.array([[7.0, 1], [8, 2], [np.nan, 3]])
    whole = Evidence(("a",), before, after, np.zeros(1), np.array([1, 0, -1, 0]), given=given)
    kept, change = whole.given_and_change
    assert (kept.tolist(), change.tolist()) == ([[8, 2], [7, 1]], [[28], [9]])
    in_place = Evidence(("a",), before, [np.array([4.0, 6, 8])], np.zeros(1), np.arange(3), given=given)
    kept, change = in_place.given_and_change
    assert (kept.tolist(), change.tolist()) == ([[7, 1], [8, 2]], [[3], [4]])


def test_a_spread_that_doubles_hardly_hold_is_none() -> None:
    eps = 2.0**-52
    near = [np.array([1.0, 1 + 8 * eps]), np.array([1.0, 1 + 16 * eps])]
    found = Evidence(("a", "b"), near, near, np.zeros(2), np.arange(2))
    assert found.scale[0] == pytest.approx(1.0)
    assert found.scale[1] == pytest.approx(8 * eps)


@pytest.mark.parametrize("size", [4_000, 4_001, 40_000, 90_001])
def test_where_equal_values_stand_does_not_matter(size: int) -> None:
    column = np.arange(size) + 0.25
    column[::2] = 0.25
    together = np.repeat(np.arange(size // 3) + 0.25, 3)
    # a fixed distance between the values looked at would meet every repeat of the first, and none of the second
    assert share_of_repeats([column], np.array([0.5]))[0] == pytest.approx(0.25, rel=0.05)
    assert share_of_repeats([together], np.array([0.5]))[0] == pytest.approx(3 / size, rel=0.35)


def test_gaps_do_not_count_as_repeats() -> None:
    column = np.where(np.arange(20_000) % 2, np.nan, np.arange(20_000) + 0.25)
    assert share_of_repeats([column], np.array([0.5]))[0] == pytest.approx(1 / 10_000)


def test_all_repeats_may_stand_in_one_row() -> None:
    column = np.arange(8.0)
    whole = Evidence(("a",), [column], [column], np.array([0.5]), np.arange(8), repeats=np.array([0.01]))
    for rows, repeats in ((1, 0.64), (2, 0.16), (8, 0.01)):
        assert whole.rows(np.arange(8) < rows).independent.tolist() == [pytest.approx(repeats)]
    assert whole.rows(np.arange(8) < 0).independent.tolist() == [pytest.approx(0.64)]
