from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from microveil.core.errors import BadInput
from microveil.kernels.distances.mixed import (
    CONTINUOUS,
    NOMINAL,
    NOMINAL_WITH_TABLE,
    ORDINAL,
    average,
    hierarchy_table,
    mixed_metric,
    record_distances,
    squared_distance,
)

KINDS = [CONTINUOUS, ORDINAL, NOMINAL, NOMINAL_WITH_TABLE]
PLACES = {
    "Berlin": ("Germany", "Europe", "World"),
    "Munich": ("Germany", "Europe", "World"),
    "Paris": ("France", "Europe", "World"),
    "Tokyo": ("Japan", "Asia", "World"),
}
nan = np.nan


def mixed_values(n: int = 40, seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.column_stack([generator.normal(size=n), generator.integers(0, (5, 3, 4), (n, 3))]).astype(np.float64)


def metric_of(values: np.ndarray, **options):
    return mixed_metric(values, KINDS, categories={1: 5, 2: 3}, tables={3: hierarchy_table(PLACES)}, **options)


def test_hierarchy_by_depth_and_by_edges():
    depth = hierarchy_table(PLACES)
    # depths: World 0, Europe 1, Germany 2, leaves 3
    assert np.allclose(depth[0], [0, 1 - 2 / 3, 1 - 1 / 3, 1])
    assert np.allclose(hierarchy_table(PLACES, "edges")[0], [0, 2 / 6, 4 / 6, 6 / 6])
    assert np.array_equal(depth, depth.T)


def test_hierarchy_without_common_top_and_with_uneven_depth():
    table = hierarchy_table({"a": ("x",), "b": ("x",), "c": ("y",), "d": ()})
    assert np.allclose(table[0], [0, 0.5, 1, 1])
    edges = hierarchy_table({"a": ("x",), "b": ("x",), "d": ()}, "edges")
    assert np.allclose(edges, [[0, 2 / 4, 3 / 4], [2 / 4, 0, 3 / 4], [3 / 4, 3 / 4, 0]])


def test_same_name_at_two_places_is_two_nodes():
    table = hierarchy_table({"a": ("n", "x", "top"), "b": ("n", "y", "top")})
    assert table[0, 1] == 1.0


def test_distance_by_hand():
    values = np.array([[0.0, 0, 0, 0], [2.0, 4, 1, 1], [4.0, 2, 0, 2]])
    metric = metric_of(values)
    d = record_distances(values, values, metric)
    # sd of the first column is 2; ordinal |0 - 4| / 5; Berlin to Munich 1/3
    assert d[0, 1] ** 2 == pytest.approx(1.0 + 0.8**2 + 1.0 + (1 / 3) ** 2)
    assert d[0, 2] ** 2 == pytest.approx(4.0 + 0.4**2 + 0.0 + (2 / 3) ** 2)
    reaching_one = record_distances(values, values, metric_of(values, reach_one=True))
    assert reaching_one[0, 1] ** 2 == pytest.approx(1.0 + 1.0 + 1.0 + 1 / 9)


def test_weights_of_attributes():
    values = mixed_values()
    weights = np.array([2.0, 0.0, 0.5, 1.0])
    parts = [record_distances(values, values, metric_of(values, weights=np.eye(4)[j])) ** 2 for j in range(4)]
    whole = record_distances(values, values, metric_of(values, weights=weights)) ** 2
    assert np.allclose(whole, sum(w * part for w, part in zip(weights, parts, strict=True)))


@given(st.integers(0, 10**6))
def test_distance_is_a_metric(seed):
    values = mixed_values(12, seed)
    values[1] = values[0]
    d = record_distances(values, values, metric_of(values))
    assert np.array_equal(d, d.T)
    same = (values[:, None] == values).all(axis=2)
    assert np.array_equal(d == 0, same)
    assert (d[:, :, None] <= d[:, None, :] + d.T[None, :, :] + 1e-12).all()


@pytest.mark.parametrize("kind", ["depth", "edges"])
def test_hierarchy_is_a_metric(kind):
    leaves = {i: (i // 2, ("b", i // 4), "top") if i % 3 else (("b", i // 4), "top") for i in range(12)}
    d = hierarchy_table(leaves, kind)
    assert np.array_equal(d == 0, np.eye(12, dtype=bool))
    assert 0 <= d.min() <= d.max() <= 1
    assert (d[:, :, None] <= d[:, None, :] + d.T[None, :, :] + 1e-12).all()


def test_continuous_distances_ignore_units():
    x = np.random.default_rng(2).normal(size=(30, 3))
    moved = x * [1e9, 1.0, 1e-9] + [1e12, 0, 0]
    d, e = (record_distances(v, v, mixed_metric(v, [0, 0, 0])) for v in (x, moved))
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    assert np.allclose(d, np.sqrt(((z[:, None] - z) ** 2).sum(axis=2)))
    assert np.allclose(d, e, rtol=1e-9, atol=1e-9)


def test_constant_and_one_category_columns_contribute_nothing():
    values = np.column_stack([np.full(4, 0.1), np.zeros(4), np.zeros(4), np.arange(4.0)])
    metric = mixed_metric(values, [0, 1, 2, 0], reach_one=True)
    assert metric.per_scale[:2].tolist() == [0.0, 0.0]
    d = record_distances(values, values, metric)
    assert np.allclose(d[0], np.arange(4) / np.std(np.arange(4), ddof=1))


@pytest.mark.parametrize("missing", [nan, -1.0])
def test_missing_values_average_over_what_is_observed_in_both(missing):
    values = np.array([[0.0, 0, 0, 0], [2.0, 4, 1, 1], [4.0, 2, 0, 2]])
    metric = metric_of(values)
    holes = values.copy()
    holes[0, 1], holes[1, 2] = missing, missing
    d = record_distances(holes, holes, metric)
    assert d[0, 1] ** 2 == pytest.approx(4 / 2 * (1.0 + 1 / 9))
    assert d[0, 2] ** 2 == pytest.approx(4 / 3 * (4.0 + 0.0 + 4 / 9))
    assert d[0, 0] == 0.0


def test_nothing_in_common_is_infinitely_far():
    values = np.array([[nan, 1.0], [2.0, nan], [3.0, 0.0]])
    d = record_distances(values, values, mixed_metric(values, [0, 2]))
    assert d[0, 1] == np.inf
    assert np.isfinite(d[2]).all()


def test_negative_numbers_are_missing_only_for_categories():
    values = np.array([[-3.0], [-1.0], [1.0]])
    d = record_distances(values, values, mixed_metric(values, [0]))
    assert d[0, 1] == pytest.approx(1.0)


def test_average_of_each_kind():
    values = np.array([[1.0, 0, 2, 0], [2.0, 1, 1, 1], [6.0, 3, 1, 2], [3.0, 4, 2, 3], [0.0, 0, 2, 3]])
    metric = metric_of(values)
    # lower median of 0 1 3 4 is 1; 1 and 2 tie in the group and 2 leads in the file
    centre = average(values, metric, np.arange(4))
    assert centre[:3].tolist() == [3.0, 1.0, 2.0]


def test_marginality_centre_differs_from_the_mode():
    # Tokyo twice, but Berlin, Munich, Paris are near one another: sums of distances decide
    values = np.array([[3.0], [3.0], [0.0], [1.0], [2.0], [0.0]])
    metric = mixed_metric(values, [3], tables={0: hierarchy_table(PLACES)})
    sums = hierarchy_table(PLACES) @ np.bincount([3, 3, 0, 1, 2], minlength=4)
    assert sums[0] == sums[1] == min(sums)
    assert average(values, metric, np.arange(5)).tolist() == [0.0]
    assert average(values, mixed_metric(values, [2]), np.arange(5)).tolist() == [3.0]


def test_ties_go_to_the_most_frequent_in_the_file_then_to_the_lowest_code():
    values = np.array([[0.0], [1.0], [2.0], [2.0], [1.0]])
    metric = mixed_metric(values, [2])
    assert average(values, metric, np.array([0, 1])).tolist() == [1.0]
    assert average(values, metric, np.array([1, 2])).tolist() == [1.0]
    assert average(values, metric, np.array([2, 1])).tolist() == [1.0]


@given(st.integers(0, 10**6))
def test_averages_lie_in_the_domain(seed):
    values = mixed_values(9, seed)
    centre = average(values, metric_of(values))
    assert values[:, 0].min() <= centre[0] <= values[:, 0].max()
    for j in (1, 2, 3):
        assert centre[j] in values[:, j]
    assert centre[1] == np.sort(values[:, 1])[4]


def test_average_divides_by_the_observed_count():
    # 10 12 13 14 and a missing one average to 12.25, not to 9.8
    values = np.array([[10.0, 0], [12.0, nan], [13.0, 1], [14.0, 1], [nan, -1]])
    centre = average(values, mixed_metric(values, [0, 2]))
    assert centre.tolist() == [12.25, 1.0]
    assert np.isnan(average(np.full((2, 2), nan), mixed_metric(values, [0, 2]))).all()


def test_equal_values_average_to_themselves():
    values = np.column_stack([np.full(7, 0.1), np.full(7, 1e12 / 3), np.arange(7.0)])
    assert average(values, mixed_metric(values, [0, 0, 0]))[:2].tolist() == [0.1, 1e12 / 3]


def test_distance_can_be_called_from_compiled_code():
    @njit
    def nearest(values, row, metric):
        best, found = np.inf, -1
        for i in range(values.shape[0]):
            d = squared_distance(values[row], values[i], metric)
            if i != row and d < best:
                best, found = d, i
        return found

    values = mixed_values()
    metric = metric_of(values)
    d = record_distances(values, values, metric) + np.diag(np.full(40, np.inf))
    assert [nearest(values, i, metric) for i in range(40)] == d.argmin(axis=1).tolist()


def test_any_memory_layout():
    values = mixed_values()
    metric = metric_of(values)
    columnwise = np.asfortranarray(values)
    assert np.array_equal(
        record_distances(columnwise, values[::2], metric), record_distances(values, values, metric)[:, ::2]
    )


@pytest.mark.parametrize(
    ("kinds", "options", "message"),
    [
        ([0, 1], {}, "2 kinds and 1 weights for 1 columns"),
        ([5], {}, "must be 0 continuous"),
        ([0], {"weights": [-1.0]}, "finite and >= 0"),
        ([0], {"weights": [0.0]}, "not all 0"),
        ([2], {"categories": {0: 2}}, "holds code 2 but has 2 categories"),
        ([3], {}, r"K x K distances in tables\[0\]"),
        ([3], {"tables": {0: np.ones((2, 3))}}, "must be square"),
        ([3], {"tables": {0: np.ones((3, 3))}}, "diagonal of 0"),
        ([3], {"tables": {0: np.zeros((2, 2))}}, "holds code 2 but has 2 categories"),
    ],
)
def test_errors_say_what_is_wrong(kinds, options, message):
    with pytest.raises(BadInput, match=message):
        mixed_metric(np.array([[0.0], [1.0], [2.0]]), kinds, **options)


def test_more_errors():
    with pytest.raises(BadInput, match="whole category codes"):
        mixed_metric(np.array([[0.5]]), [1])
    with pytest.raises(BadInput, match="distance='path' is not one of"):
        hierarchy_table(PLACES, "path")
