"""Groups that break an anonymity model join their nearest."""

from __future__ import annotations

import numpy as np

import microveil as mv
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table, Values
from microveil.partition.joining import join_broken_groups

X = Table({"x": Values("continuous", np.array([0.0, 0.1, 5.0, 5.1, 9.0, 9.1]))}, 6)
ILL = Values("nominal", np.array([0, 0, 0, 1, 0, 1]), ("no", "yes"))


def test_a_group_of_one_value_joins_the_group_beside_it():
    rule = ClassRule.of(mv.Anonymity(k=2, sensitive=("ill",), l=2), Table({"ill": ILL}, 6), None)
    assert join_broken_groups(np.array([0, 0, 1, 1, 2, 2]), X, rule).tolist() == [0, 0, 0, 0, 1, 1]


def test_groups_that_satisfy_it_stay():
    rule = ClassRule.of(mv.Anonymity(k=2), Table({}, 6), None)
    labels = np.array([0, 0, 1, 1, 2, 2])
    assert join_broken_groups(labels, X, rule).tolist() == labels.tolist()
