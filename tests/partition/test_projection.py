from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import OptimalUnivariate, Projection
from microveil.partition.projection import first_component
from tests.reference import matrix


@pytest.mark.parametrize("score", ["pc1", "zsum", 3])
@pytest.mark.parametrize("grouping", ["consecutive", "optimal"])
def test_groups_are_consecutive_in_the_score(score, grouping):
    X = matrix("census")
    partition = Projection(k=5, score=score, grouping=grouping)
    labels = partition.labels(X)
    order = np.argsort(partition.scores(partition.on_common_scale(X)), kind="stable")
    assert set(np.diff(labels[order])) == {0, 1}


def test_one_column_is_individual_ranking():
    x = np.random.default_rng(1).lognormal(size=101)
    order = np.argsort(x)
    for score in ("pc1", "zsum", 0):
        labels = Projection(k=4, score=score).labels(x)
        assert labels[order].tolist() == np.minimum(np.arange(101) // 4, 24).tolist()
        best = Projection(k=4, score=score, grouping="optimal").labels(x)
        assert (best == OptimalUnivariate(k=4).labels(x)).all()


def test_zsum_turns_attributes_that_run_against_the_component():
    rising = np.arange(10.0)
    X = np.column_stack([rising, -rising + 0.01 * np.sin(rising), rising])
    scores = Projection(k=2, score="zsum").scores(Projection().on_common_scale(X))
    assert (np.diff(scores) > 0).all() or (np.diff(scores) < 0).all()


def test_first_component_is_the_leading_eigenvector():
    X = np.random.default_rng(1).normal(size=(50, 3)) @ np.diag([1.0, 5.0, 2.0])
    vectors = np.linalg.eigh(np.cov(X.T))[1]
    assert abs(first_component(X) @ vectors[:, -1]) == pytest.approx(1.0)
    assert first_component(X)[np.argmax(np.abs(first_component(X)))] > 0


def test_an_attribute_that_is_not_there_is_refused():
    with pytest.raises(BadInput, match="score=5 is not there: columns are numbered 0 to 1"):
        Projection(k=2, score=5).labels(np.zeros((4, 2)))
