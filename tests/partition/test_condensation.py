from __future__ import annotations

import numpy as np

from microveil.partition import Condensation


def test_another_key_gives_other_groups():
    X = np.random.default_rng(1).normal(size=(100, 2))
    partition = Condensation(k=3)
    assert (partition.labels(X, seed=1) == partition.labels(X, seed=1)).all()
    assert (partition.labels(X, seed=1) != partition.labels(X, seed=2)).any()


def test_the_first_group_is_around_a_random_record():
    # group 0 of 0, 1, ..., 9 in pairs is around the record drawn first: each should be drawn
    X = np.repeat(np.arange(10.0), 2)[:, None]
    first = {int(X[Condensation(k=2).labels(X, seed=seed) == 0][0, 0]) for seed in range(100)}
    assert first == set(range(10))
