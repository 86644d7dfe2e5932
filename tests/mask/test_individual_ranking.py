"""Individual ranking."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import NotEnoughRecords
from microveil.kernels.grouping.single_values import optimal_groups
from microveil.mask import IndividualRanking
from tests.mask.helpers import normal_frame
from tests.reference import census, shared_file


def test_consecutive_groups_the_remainder_joins_the_last():
    frame = pd.DataFrame({"x": [9.0, 1.0, 2.0, 3.0, 10.0, 4.0, 5.0, 20.0]})
    masked = IndividualRanking(k=3).apply(frame, seed=1).frame["x"]
    assert masked.tolist() == [9.6, 2.0, 2.0, 2.0, 9.6, 9.6, 9.6, 9.6]


@pytest.mark.parametrize("k", [3, 10])
def test_census_equals_the_reference_matrix(k):
    with gzip.open(shared_file("oracles", "microaggregation", f"census_onedims_k{k}.csv.gz")) as file:
        expected = pd.read_csv(file).to_numpy()
    frame = census()
    masked = IndividualRanking(k=k).apply(frame, seed=1).frame
    z = ((masked - frame.mean()) / frame.std(ddof=1)).to_numpy()
    # tied values at a cut may change places: sorted columns agree
    assert np.allclose(np.sort(z, axis=0), np.sort(expected, axis=0), atol=1e-6)
    assert np.isclose(z, expected, atol=1e-6).mean() > 0.97


def test_order_means_and_counts():
    frame = normal_frame(101)
    for grouping in ("consecutive", "optimal"):
        masked = IndividualRanking(k=4, grouping=grouping).apply(frame, seed=1).frame
        for name in frame:
            assert (np.diff(masked[name].to_numpy()[np.argsort(frame[name].to_numpy())]) >= 0).all()
            assert masked[name].value_counts().min() >= 4
        assert masked.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-12)


def brute_force(x, k):
    x = np.sort(x)
    n = len(x)
    best = np.inf
    for count in range(1, n // k + 1):
        for cuts in itertools.combinations(range(1, n), count - 1):
            parts = np.split(x, cuts)
            if min(map(len, parts)) >= k:
                best = min(best, sum(((part - part.mean()) ** 2).sum() for part in parts))
    return best


@pytest.mark.parametrize("n", [3, 5, 8, 11])
def test_optimal_groups_have_the_least_loss(n):
    for seed in range(5):
        x = np.random.default_rng(seed).exponential(size=n) * 1e6
        labels = optimal_groups(x, 3)
        found = sum(((x[labels == g] - x[labels == g].mean()) ** 2).sum() for g in np.unique(labels))
        assert found == pytest.approx(brute_force(x, 3), rel=1e-9)
        assert np.bincount(labels).min() >= 3


def test_loss_of_the_univariate_reference():
    table = pd.read_csv(shared_file("oracles", "microaggregation", "univariate_optimal.csv"))
    assert len(table) > 0
    for row in table.itertuples():
        if row.data != "census" or row.method != "argus_optimal":
            continue
        x = census()[row.variable].to_numpy()
        labels = optimal_groups(x, int(row.k))
        centres = np.bincount(labels, x) / np.bincount(labels)
        assert ((x - centres[labels]) ** 2).sum() == pytest.approx(row.SSE, rel=1e-6)


def test_gaps_and_too_few_values():
    frame = pd.DataFrame({"x": [1.0, np.nan, 2.0, 3.0, np.nan, 10.0]})
    masked = IndividualRanking(k=4).apply(frame, seed=1, missing="mask").frame["x"]
    assert masked.isna().sum() == 2
    assert masked.dropna().tolist() == [4.0] * 4
    with pytest.raises(NotEnoughRecords, match="k=5 values in a column: 4 given"):
        IndividualRanking(k=5).apply(frame, seed=1, missing="mask")
