"""Diversity and closeness of classes, against sums written out, and the compiled counts of one class."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.tables.classes import value_counts
from microveil.kernels.tables.closeness import class_distance
from microveil.kernels.tables.diversity import class_diversity
from microveil.kernels.tables.one_class import distance_from, is_diverse

LABELS = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2])
CODES = np.array([0, 0, 1, 3, 1, 1, 0, 1, 3])


def test_distinct_values_of_each_class():
    assert class_diversity(LABELS, CODES).tolist() == [3, 1, 3]


def test_exponential_of_entropy():
    found = class_diversity(LABELS, CODES, "entropy")
    first = np.exp(-(0.5 * np.log(0.5) + 0.5 * np.log(0.25)))
    assert found == pytest.approx([first, 1, 3])


@pytest.mark.parametrize(
    ("c", "found"),
    [
        (2.0, [2, 1, 3]),  # 2 < 2 * 2 and not below 2 * 1; 2 < 2 * 2; 1 < 2 * 1
        (1.0, [1, 0, 2]),  # 2 < 4 and not below 2; 2 not below 2; 1 < 2 and not below 1
        (2.5, [3, 1, 3]),
    ],
)
def test_the_largest_l_of_recursive_diversity(c, found):
    assert class_diversity(LABELS, CODES, "recursive", c).tolist() == found


def test_values_of_each_class_are_counted():
    classes, values, counts = value_counts(LABELS, CODES)
    assert classes.tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert values.tolist() == [0, 1, 3, 1, 0, 1, 3]
    assert counts.tolist() == [2, 1, 1, 2, 1, 1, 1]


def distance(labels, codes, ordered):
    """The earth mover's distance, class by class."""
    values = np.unique(codes)
    whole = np.array([np.mean(codes == value) for value in values])
    out = []
    for label in range(labels.max() + 1):
        here = codes[labels == label]
        shift = np.array([np.mean(here == value) for value in values]) - whole
        steps = np.abs(np.cumsum(shift)).sum() / (len(values) - 1)
        out.append(steps if ordered else np.abs(shift).sum() / 2)
    return out


@pytest.mark.parametrize("ordered", [True, False])
def test_distance_of_each_class_from_the_file(ordered):
    assert class_distance(LABELS, CODES, ordered) == pytest.approx(distance(LABELS, CODES, ordered))
    draws = np.random.default_rng(1)
    labels, codes = draws.integers(0, 7, 80), draws.integers(0, 9, 80)
    assert class_distance(labels, codes, ordered) == pytest.approx(distance(labels, codes, ordered))


def test_one_value_is_at_no_distance():
    assert class_distance(LABELS, np.full(9, 4), True).tolist() == [0, 0, 0]


def test_a_label_that_nobody_has_is_at_no_distance():
    assert class_distance(np.array([0, 2]), np.array([5, 6]), True).tolist() == [0.5, 0, 0.5]


def test_a_label_that_nobody_has_leaves_nothing_open():
    labels, codes = np.array([0, 2, 2]), np.array([5, 6, 5])
    assert class_diversity(labels, codes).tolist() == [1, 0, 2]
    assert class_diversity(labels, codes, "recursive").tolist() == [1, 0, 2]
    assert class_distance(labels, codes, False)[1] == 0


def test_one_class_is_judged_as_all_classes_are():
    draws = np.random.default_rng(2)
    labels, codes = draws.integers(0, 12, 90), draws.integers(0, 4, 90)
    shares = np.bincount(codes) / 90
    counts = np.array([np.bincount(codes[labels == label], minlength=4) for label in range(12)])
    for ordered in (True, False):
        found = [distance_from(one, one.sum(), shares, ordered) for one in counts]
        assert found == pytest.approx(class_distance(labels, codes, ordered))
    for number, kind in enumerate(("distinct", "entropy", "recursive"), start=1):
        found = class_diversity(labels, codes, kind, 1.5)
        for l in (1, 2, 3, 4):  # noqa: E741 - the literature's letter
            assert [is_diverse(one, one.sum(), number, l, 1.5) for one in counts] == (found >= l - 1e-12).tolist()
