"""Diversity and closeness of classes, against sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import claims_models
from microveil.core.claims_models import class_distance, class_diversity

LABELS = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2])
CODES = np.array([0, 0, 1, 3, 1, 1, 0, 1, 3])


def test_distinct_values_of_each_class():
    assert class_diversity(LABELS, CODES, "distinct", 2.0, 2).tolist() == [3, 1, 3]


def test_exponential_of_entropy():
    found = class_diversity(LABELS, CODES, "entropy", 2.0, 2)
    first = np.exp(-(0.5 * np.log(0.5) + 0.5 * np.log(0.25)))
    assert found == pytest.approx([first, 1, 3])


@pytest.mark.parametrize(
    ("c", "l", "found"),
    [
        (2.0, 2, [2, 0, 2]),  # 2 < 2 * 2, 2 not below 0, 1 < 2 * 2
        (1.0, 2, [0, 0, 2]),  # 2 not below 2, 1 < 2
        (2.0, 3, [0, 0, 3]),  # 2 not below 2 * 1, 1 < 2 * 1
        (2.5, 3, [3, 0, 3]),
        (2.5, 4, [0, 0, 0]),
    ],
)
def test_recursive_diversity(c, l, found):  # noqa: E741 - the literature's letter
    assert class_diversity(LABELS, CODES, "recursive", c, l).tolist() == found


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


@pytest.mark.parametrize("cells", [1, 4, 7, 1 << 22])
@pytest.mark.parametrize("ordered", [True, False])
def test_distance_of_each_class_from_the_file(ordered, cells, monkeypatch):
    monkeypatch.setattr(claims_models, "_CELLS", cells)
    assert class_distance(LABELS, CODES, ordered) == pytest.approx(distance(LABELS, CODES, ordered))
    draws = np.random.default_rng(1)
    labels, codes = draws.integers(0, 7, 80), draws.integers(0, 9, 80)
    assert class_distance(labels, codes, ordered) == pytest.approx(distance(labels, codes, ordered))


def test_one_value_is_at_no_distance():
    assert class_distance(LABELS, np.full(9, 4), True).tolist() == [0, 0, 0]


def test_a_label_that_nobody_has_is_at_no_distance():
    assert class_distance(np.array([0, 2]), np.array([5, 6]), True).tolist() == [0.5, 0, 0.5]
