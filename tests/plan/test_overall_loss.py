"""One figure of loss for amounts and categories: the larger, and both told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.measured import NotApplicable
from microveil.measure import Pair
from microveil.plan.overall_loss import OverallLoss
from microveil.plan.verdict_loss import loss_of_categories

RNG = np.random.default_rng(5)
FRAME = pd.DataFrame({"x": RNG.gamma(2.0, size=150), "y": RNG.gamma(2.0, size=150), "c": RNG.choice(list("abc"), 150)})


def test_amounts_alone_lose_what_the_probabilistic_measure_says():
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(FRAME, columns=["x", "y"], seed=1)
    found = OverallLoss()(FRAME, release)
    assert found.value == mv.loss.PIL()(FRAME, release).value > 0
    assert set(found.parts) == {"amounts"}


def test_a_plan_that_changes_categories_alone_is_not_free():
    release = mv.mask.InvariantPram().apply(FRAME, columns=["c"], seed=1)
    found = OverallLoss()(FRAME, release, columns=["x", "y", "c"])
    lost = loss_of_categories(Pair.of(FRAME, release))
    assert found.parts == {"amounts": 0.0, "categories": lost}
    assert found.value == lost > 0


def test_coarser_categories_lose_detail_where_tables_see_nothing():
    frame = pd.DataFrame({"town": np.tile([f"t{i}" for i in range(10)], 30)})
    data = mv.Microdata(frame, roles={"town": "key"})
    everything = {"town": {"anywhere": [f"t{i}" for i in range(10)]}}
    release = mv.mask.GlobalRecode(merges=everything).apply(data, columns=["town"], seed=1)
    found = OverallLoss()(data, release)
    assert found.parts["categories"] == pytest.approx(0.0, abs=1e-9)
    assert found.value == found.parts["detail of categories"] == pytest.approx(100.0)


def test_a_file_as_it_was_loses_nothing():
    frame = FRAME[["c"]]
    assert OverallLoss()(frame, frame).value == 0


def test_a_file_of_which_nothing_can_be_compared_has_no_figure():
    frame = FRAME[["c"]]
    assert isinstance(OverallLoss()(frame, frame, columns=[]), NotApplicable)


def test_synthetic_categories_and_emptied_columns_are_not_free():
    frame = pd.DataFrame({"c": FRAME["c"], "d": RNG.choice(list("xyz"), 150)})
    found = OverallLoss()(frame, mv.synth.GaussianCopula().apply(frame, columns=["c"], seed=1))
    assert found.parts["categories"] > 0
    assert found.parts["columns"] == 50  # d has no values any more
    assert found.value == max(found.parts.values())


def test_amounts_that_were_changed_and_cannot_be_measured_are_not_free():
    release = mv.synth.GaussianCopula().apply(FRAME, columns=["c"], seed=1)  # x and y have no values any more
    assert isinstance(OverallLoss()(FRAME, release), NotApplicable)
