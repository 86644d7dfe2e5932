from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microveil.kernels.grouping.class_rules import Rules
from microveil.kernels.grouping.mondrian import mondrian_groups as kernel


def at_least(k, n, counts=None):
    """Groups of k and nothing else asked, of rows that stand for so many records."""
    none, nobody = np.empty(0), np.empty(0, dtype=int)
    alone = np.empty((n, 0), dtype=int)
    trees = (np.inf, nobody, np.empty((0, 0), dtype=int))
    times = np.ones(n, dtype=int) if counts is None else counts
    return Rules(k, alone, nobody, none, 0, 1, 2.0, np.inf, none.astype(bool), none, 0.0, *trees, times)


def mondrian_groups(X, nominal, k, strict, by_entropy, plain=False):
    scale = np.ones(X.shape[1])
    return kernel(np.ascontiguousarray(X), nominal, scale, strict, by_entropy, plain, at_least(k, len(X)))


@given(st.integers(0, 10**6), st.integers(2, 150), st.integers(1, 3), st.integers(2, 6), st.booleans(), st.booleans())
def test_sizes_and_boxes(seed, n, d, k, strict, by_entropy):
    X = np.random.default_rng(seed).integers(0, 8, size=(max(n, k), d)).astype(float)
    labels = mondrian_groups(X, np.zeros(d, dtype=bool), k, strict, by_entropy)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    if not strict:
        assert sizes.max() <= 2 * k - 1
        return
    boxes = [(X[labels == g].min(axis=0), X[labels == g].max(axis=0)) for g in range(len(sizes))]
    for a, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:a]:
            assert ((high < other_low) | (other_high < low)).any()


def test_the_widest_attribute_is_cut_at_its_median():
    X = np.array([[0.0, 0.0], [0.1, 9.0], [0.2, 1.0], [0.3, 8.0]])
    nominal = np.zeros(2, dtype=bool)
    assert mondrian_groups(X, nominal, 2, True, False).tolist() == [0, 1, 0, 1]
    # all values differ, so that entropies are equal and the range decides again
    assert mondrian_groups(X, nominal, 2, True, True).tolist() == [0, 1, 0, 1]
    assert mondrian_groups(X * [100.0, 1.0], nominal, 2, True, False).tolist() == [0, 0, 1, 1]


def test_entropy_prefers_the_attribute_with_many_values():
    X = np.column_stack([[0.0, 0.0, 9.0, 9.0], [1.0, 3.0, 2.0, 4.0]])
    nominal = np.zeros(2, dtype=bool)
    assert mondrian_groups(X, nominal, 2, True, False).tolist() == [0, 0, 1, 1]
    assert mondrian_groups(X, nominal, 2, True, True).tolist() == [0, 1, 0, 1]


def test_categories_spread_by_how_many_are_present():
    # five categories in the first column, two far codes in the second: the first is cut
    X = np.column_stack([np.repeat(np.arange(5.0), 4), np.tile([0.0, 0.0, 0.0, 0.0], 5)])
    labels = mondrian_groups(X, np.ones(2, dtype=bool), 4, True, False)
    assert len(np.unique(labels)) == 5


def test_where_the_widest_attribute_allows_no_cut_the_next_is_tried():
    X = np.column_stack([[0.0, 0, 0, 0, 0, 0, 0, 9], np.arange(8) / 8])
    assert mondrian_groups(X, np.zeros(2, dtype=bool), 4, True, False).tolist() == [0] * 4 + [1] * 4


def test_the_published_cut_is_above_the_median_where_that_is_possible():
    X = np.array([[0.0], [1], [2], [2], [2], [2], [2], [3]])
    nominal = np.zeros(1, dtype=bool)
    # above the median only one record is left, below it there are two
    assert mondrian_groups(X, nominal, 2, True, False).tolist() == [0, 0] + [1] * 6
    assert mondrian_groups(X, nominal, 2, True, False, plain=True).tolist() == [0] * 8
    assert mondrian_groups(np.minimum(X, 2.0), nominal, 2, True, False, plain=True).tolist() == [0, 0] + [1] * 6


def test_the_published_one_never_divides_equal_records():
    X = np.array([[1.0]] * 15 + [[2.0]] * 5)
    nominal = np.zeros(1, dtype=bool)
    assert np.bincount(mondrian_groups(X, nominal, 3, False, False)).tolist() == [5, 5, 5, 5]
    assert np.bincount(mondrian_groups(X, nominal, 3, False, False, plain=True)).tolist() == [10, 5, 5]


def slow_mondrian(X, nominal, k, strict, by_entropy, plain):
    """Halving as its description reads, by sorting every box."""
    labels, boxes, groups = np.empty(len(X), dtype=int), [np.arange(len(X))], 0
    while boxes:
        rows = boxes.pop()
        halves = slow_halves(X, rows, nominal, k, strict, by_entropy, plain) if len(rows) >= 2 * k else None
        if halves is None:
            labels[rows] = groups
            groups += 1
        else:
            boxes += halves
    return labels


def slow_halves(X, rows, nominal, k, strict, by_entropy, plain):
    ranges = [np.ptp(X[rows, j]) for j in range(X.shape[1])]
    spreads = []
    for j, width in enumerate(ranges):
        shares = np.unique(X[rows, j], return_counts=True)[1] / len(rows)
        categories = len(shares) - 1 if nominal[j] else width
        spreads.append(max(-sum(share * np.log(share) for share in shares), 0.0) if by_entropy else categories)
    for j in sorted(range(len(ranges)), key=lambda j: (-spreads[j], 0 if plain else -ranges[j])):
        if plain and spreads[j] <= 0:
            return None
        order = rows[np.argsort(X[rows, j], kind="stable")]
        x, n = X[order, j], len(rows)
        below, above = ((x < x[(n - 1) // 2]).sum(), (x <= x[(n - 1) // 2]).sum())
        nearer = above if min(above, n - above) >= min(below, n - below) else below
        published = above if above < n else below
        cut = (published if plain else nearer) if strict else n // 2
        if min(cut, n - cut) >= k:
            lower, upper = order[:cut], order[cut:]
            return [upper, lower] if plain else [np.sort(upper), np.sort(lower)]
    return None


@given(st.integers(0, 10**6), st.integers(8, 60), st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_boxes_are_those_of_sorting_every_box(seed, n, how):
    draw = np.random.default_rng(seed)
    X = np.column_stack([draw.integers(-2, 5, size=n), draw.integers(0, 3, size=n), draw.normal(size=n)])
    nominal = np.array([True, False, False])
    assert mondrian_groups(X, nominal, 3, *how).tolist() == slow_mondrian(X, nominal, 3, *how).tolist()


@given(st.integers(0, 10**6), st.integers(8, 60), st.tuples(st.booleans(), st.booleans()))
def test_different_rows_with_their_counts_are_grouped_as_the_records_are(seed, n, how):
    draw = np.random.default_rng(seed)
    X = np.column_stack([draw.integers(-2, 5, size=n), draw.integers(0, 3, size=n), draw.integers(0, 2, size=n)]) * 1.0
    nominal, scale = np.array([True, False, False]), np.ones(3)
    rows, places, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    labels = kernel(rows, nominal, scale, True, *how, at_least(3, len(rows), counts))
    assert labels[places.reshape(-1)].tolist() == mondrian_groups(X, nominal, 3, True, *how).tolist()
