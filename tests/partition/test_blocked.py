from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.hybrid import MicroHybrid
from microveil.kernels.search.blocks import order_in_blocks
from microveil.mask import Microaggregation
from microveil.partition import MDAV, Blocked, Condensation, information_loss


def test_groups_stay_in_their_block():
    X = np.random.default_rng(1).normal(size=(1003, 2))
    partition = Blocked(base=MDAV(k=4), size=100)
    labels = partition.labels(X)
    order, starts = order_in_blocks(partition.on_common_scale(X), 100)
    blocks = np.empty(len(X), dtype=np.int64)
    blocks[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    assert np.bincount(labels).min() >= 4
    assert blocks.max() >= 10
    assert all(len(set(blocks[labels == g])) == 1 for g in range(labels.max() + 1))


def test_one_block_is_the_base():
    X = np.random.default_rng(1).normal(size=(300, 3))
    assert (Blocked(base=MDAV(k=3), size=300).labels(X) == MDAV(k=3).labels(X)).all()
    # also where columns have weights, which blocks of a longer file know too
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    weighted = MDAV(k=3, weights={"a": 9.0})
    one, base = (
        Microaggregation(partition=partition).apply(frame, seed=1).groups
        for partition in (Blocked(base=weighted, size=300), weighted)
    )
    assert (one == base).all()


def test_extra_loss_is_what_borders_cost():
    X = np.random.default_rng(1).normal(size=(2000, 2))
    partition = Blocked(base=MDAV(k=5), size=100)
    ratio = information_loss(X, partition.labels(X)) / information_loss(X, MDAV(k=5).labels(X))
    assert partition.extra_loss(X) == pytest.approx(100 * (ratio - 1), rel=1e-6)
    assert 0 < partition.extra_loss(X, records=500) < 3 * partition.extra_loss(X)
    assert Blocked(base=MDAV(k=5), size=2000).extra_loss(X) == 0.0
    assert Blocked(base=MDAV(k=5), size=100).extra_loss(np.ones((500, 2))) == 0.0


def test_a_random_base_draws_anew_in_every_block_and_the_same_for_one_key():
    X = np.tile(np.random.default_rng(1).normal(size=(40, 2)), (4, 1)) + np.repeat(np.arange(4) * 100.0, 40)[:, None]
    partition = Blocked(base=Condensation(k=3), size=40)
    assert partition.random
    labels = partition.labels(X, seed=1)
    assert (labels == partition.labels(X, seed=1)).all()
    patterns = {tuple(np.unique(labels[s : s + 40], return_inverse=True)[1]) for s in range(0, 160, 40)}
    assert len(patterns) == 4


def test_blocks_must_hold_two_groups():
    with pytest.raises(BadInput, match="size=15 is below 2k=20"):
        Blocked(base=MDAV(k=10), size=15)


@pytest.mark.parametrize("how", [{}, {"cluster_on": ("beside", "x")}], ids=["kept", "read beside"])
def test_units_of_columns_that_a_step_does_not_replace_do_not_matter_inside_blocks(how):
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(draw.normal(size=(300, 4)), columns=["x", "y", "kept", "beside"])
    method = MicroHybrid(partition=Blocked(base=MDAV(k=10), size=60), **how)
    larger = frame.assign(kept=frame["kept"] * 1024, beside=frame["beside"] * 1024)
    one, two = (method.apply(each, columns=["x", "y"], given=["kept"], seed=1) for each in (frame, larger))
    assert (one.groups == two.groups).all()
    assert one.groups.max() > 9
