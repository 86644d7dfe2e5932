"""The groups of a release one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import BadInput
from microveil.hybrid import MicroHybrid, describe_groups
from microveil.mask import UncorrelatedNoise
from microveil.partition import MDAV
from tests.marks import ANY_FILE


@ANY_FILE
def test_every_group_is_described():
    draw = np.random.default_rng(1)
    block = np.repeat([0.0, 100.0, 200.0], [6, 8, 6])
    t = np.where(block == 0, 7.0, draw.normal(size=20))
    s = np.where(block == 100, 1.0, draw.normal(size=20))
    frame = pd.DataFrame({"t": t, "job": np.where(block == 200, "b", "a"), "s": s, "block": block})
    method = MicroHybrid(partition=MDAV(k=6), cluster_on=("block",))
    release = method.apply(frame, columns=["t", "job"], given=["s"], seed=1)
    found = describe_groups(release)
    order = [release.groups[row] for row in (0, 6, 14)]
    assert found["records"][order].tolist() == [6, 8, 6]
    assert found["free dimensions"][order].tolist() == [4, 7, 4]  # the kept column is constant in the second
    assert found["unchanged records"][order].tolist() == [6, 0, 0]
    assert found["constant columns"][order].tolist() == [2, 1, 1]


@ANY_FILE
def test_there_must_be_groups():
    frame = pd.DataFrame({"x": np.arange(20.0)})
    with pytest.raises(BadInput, match="not all in groups"):
        describe_groups(UncorrelatedNoise().apply(frame, seed=1))
    separate = MicroHybrid(kinds_together="separate").apply(frame.assign(y=["a", "b"] * 10), seed=1)
    with pytest.raises(BadInput, match="not all in groups"):
        describe_groups(separate)


def test_records_left_out_and_moved_categories_are_no_obstacle():
    frame = pd.DataFrame({"x": np.arange(41.0), "job": list("abcd") * 10 + ["z"]})
    frame.loc[40, "x"] = np.nan
    release = MicroHybrid().apply(frame, columns=["x", "job"], missing="drop", seed=1)
    found = describe_groups(release)
    assert found["records"].sum() == 40
    assert found["unchanged records"].sum() == 0
