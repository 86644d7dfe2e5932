from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import MDAV, MST, VMDAV, Condensation, Consensus


def test_partitions_that_agree_are_their_consensus():
    X = np.repeat(np.arange(10.0), 3)[:, None]
    labels = Consensus(partitions=(MDAV(k=3), MST(k=3), VMDAV(k=3)), k=3).labels(X)
    assert (labels == np.repeat(np.arange(10), 3)).all()


def test_groups_are_unions_of_what_all_keep_together():
    X = np.random.default_rng(1).normal(size=(200, 3))
    parts = (MDAV(k=3), MST(k=4, standardise="range"))
    consensus = Consensus(partitions=parts, k=5).labels(X)
    assert np.bincount(consensus).min() >= 5
    together = {}
    for row in zip(consensus, *(part.labels(X) for part in parts), strict=True):
        together.setdefault(row[1:], set()).add(row[0])
    assert all(len(groups) == 1 for groups in together.values())


def test_it_is_random_if_a_part_is():
    assert not Consensus().random
    assert Consensus(partitions=(Condensation(k=3), MDAV(k=3))).random
    X = np.random.default_rng(1).normal(size=(50, 2))
    drawn = Consensus(partitions=(Condensation(k=3), Condensation(k=3)))
    assert (drawn.labels(X, seed=1) != drawn.labels(X, seed=2)).any()


def test_what_cannot_be_brought_together_is_refused():
    with pytest.raises(BadInput, match="needs at least one partition"):
        Consensus(partitions=())
    with pytest.raises(BadInput, match="mdav has k=10, more than k=3 of the consensus"):
        Consensus(partitions=(MDAV(k=10),))
