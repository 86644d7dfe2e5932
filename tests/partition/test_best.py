from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import MDAV, Best, Refined, information_loss
from tests.reference import matrix


def test_sweeps_make_it_repeatable():
    X = matrix("tarragona")
    partition = Best(k=3, seconds=None, sweeps=1000)
    labels = partition.labels(X, seed=1)
    assert (labels == partition.labels(X, seed=1)).all()
    assert information_loss(X, labels) < information_loss(X, Refined(base=MDAV(k=3)).labels(X, seed=1))


@pytest.mark.parametrize("k", [3, 10])
def test_a_short_search_beats_mdav(k):
    X = matrix("tarragona")
    labels = Best(k=k, seconds=0.3).labels(X, seed=1)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert information_loss(X, labels) < 0.93 * information_loss(X, MDAV(k=k).labels(X))


@pytest.mark.parametrize("n", [3, 5, 6, 12])
def test_equal_records_end_like_others(n):
    assert np.bincount(Best(k=3, seconds=0.1).labels(np.ones((n, 2)), seed=1)).min() >= 3


def test_one_budget():
    with pytest.raises(BadInput, match=r"sweeps=5 goes without seconds, and seconds is 60.0; leave one"):
        Best(sweeps=5)
    with pytest.raises(BadInput, match="seconds and sweeps are both left out"):
        Best(seconds=None)


def test_equal_records_are_not_searched(monkeypatch):
    from microveil.kernels.refinement import best as anneal_best

    def searched(*_):
        raise AssertionError("there is no loss to lower")

    monkeypatch.setattr(anneal_best, "_anneal_once", searched)
    monkeypatch.setattr(anneal_best, "_anneal_and_recombine", searched)
    equal = np.repeat(np.arange(40.0), 5)[:, None]
    labels = Best(k=5, seconds=600.0).labels(equal, seed=1)
    assert np.bincount(labels).tolist() == [5] * 40
    assert information_loss(equal, labels) == pytest.approx(0, abs=1e-20)
