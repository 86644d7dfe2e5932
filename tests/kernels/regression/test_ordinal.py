"""The cumulative logit model where its solution is known."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.regression.ordinal import draw_ordinal_model


def test_without_predictors_the_thresholds_are_the_logits_of_the_shares():
    y = np.repeat([0, 1, 2], [20, 30, 50])
    found = draw_ordinal_model(np.ones((100, 1)), y, 3, np.random.default_rng(0), proper=False)
    assert found.thresholds == pytest.approx([np.log(0.2 / 0.8), 0.0], abs=1e-6)


def test_two_groups_with_one_odds_ratio_give_its_logarithm():
    # P(y <= 0) = 1/2 and 1/5, P(y <= 1) = 4/5 and 1/2: both cuts have an odds ratio of 4
    counts = {0: [5_000, 3_000, 2_000], 1: [2_000, 3_000, 5_000]}
    x = np.repeat([0.0, 1.0], 10_000)
    y = np.concatenate([np.repeat([0, 1, 2], counts[group]) for group in (0, 1)])
    found = draw_ordinal_model(np.column_stack([np.ones(len(x)), x]), y, 3, np.random.default_rng(0), proper=False)
    assert found.coefficients == pytest.approx([0.0, np.log(4)], abs=3e-3)  # the thresholds are its intercepts
    assert found.thresholds == pytest.approx([0.0, np.log(4)], abs=3e-3)
