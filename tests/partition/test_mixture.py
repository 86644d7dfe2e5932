from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import Mixture
from tests.reference import matrix

THYROID = ["age", "tsh", "t3", "t4u", "fti"]
VVV = ("VVV",)


def clusters(sizes: tuple[int, ...], seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return draw.normal(size=(len(truth), 2)) + 9.0 * np.column_stack([truth % 2, truth // 2]), truth


@pytest.mark.long
def test_our_own_start_betters_the_published_bic_with_every_cluster_of_60():
    X = matrix("thyroid", THYROID)
    for floor in (True, False):
        fit = Mixture(k=60, floor=floor, families=VVV).fit(X, seed=1)
        assert fit.bic > -45090.356
        assert np.bincount(fit.labels).min() >= 60


@pytest.mark.parametrize("k", [200, 400])
def test_large_groups_on_thyroid(k: int):
    X = matrix("thyroid", THYROID)
    fit = Mixture(k=k, families=VVV).fit(X, seed=1)
    assert fit.groups > 2
    assert np.bincount(fit.labels).min() >= k
    # the floor alone does not give the sizes
    assert np.bincount(fit.log_memberships.argmax(axis=1)).min() < k
    assert fit.moved > 0


def test_finds_clusters_and_tells_what_it_did():
    X, truth = clusters((80, 60, 50))
    fit = Mixture(k=20, max_groups=5).fit(X, seed=1)
    assert len({(a, b) for a, b in zip(truth, fit.labels.tolist(), strict=True)}) == 3
    assert (fit.groups, fit.moved, fit.fitted) == (3, 0, 190)
    assert fit.bic == np.nanmax(list(fit.bics.values()))
    assert len(fit.bics) == 50
    assert fit.notes[0] == f"mixture {fit.family} with 3 clusters, BIC {fit.bic:.3f}"
    assert "smallest cluster has 50 records; 0 records left" in fit.notes[1]


def test_a_small_component_is_filled_up_to_k():
    X, _ = clusters((90, 15))
    fit = Mixture(k=30, max_groups=2).fit(X, seed=1)
    assert fit.groups == 2
    assert sorted(np.bincount(fit.labels)) == [30, 75]
    assert fit.moved == 15
    assert "15 records left their most likely cluster" in fit.notes[1]


@pytest.mark.parametrize(("k", "why"), [(20, "raise max_groups"), (66, "k=66 allows no more")])
def test_the_edge_is_told(k: int, why: str):
    X, _ = clusters((70, 70, 60))
    notes = " ".join(Mixture(k=k, max_groups=2 if k == 20 else 3).fit(X, seed=1).notes)
    assert f"the largest number of clusters tried, {2 if k == 20 else 3}, and more may fit better: {why}" in notes


def test_mixtures_that_collapse_are_left_out_and_counted():
    X, _ = clusters((80, 60))
    X[:50] = X[0]
    fit = Mixture(k=20, max_groups=3).fit(X, seed=1)
    out = sum(np.isnan(bic) for bic in fit.bics.values())
    assert 0 < out < len(fit.bics)
    assert fit.notes[-1] == f"{out} of {len(fit.bics)} mixtures were left out: a component collapsed onto tied values"


def test_one_group_where_there_is_no_choice():
    same = Mixture(k=3).fit(np.ones((30, 2)), seed=1)
    assert same.labels.max() == 0
    assert "no column varies" in same.notes[0]
    few = Mixture(k=20).fit(np.random.default_rng(1).normal(size=(39, 2)), seed=1)
    assert few.labels.max() == 0
    assert "with 1 cluster, BIC" in few.notes[0]


def test_a_sum_beside_its_parts_changes_nothing():
    X, _ = clusters((80, 60, 50))
    wide = np.column_stack([X, X.sum(axis=1), np.full(len(X), 2.0)])
    assert (Mixture(k=20).labels(X, seed=1) == Mixture(k=20).labels(wide, seed=1)).all()


def test_large_files_are_fitted_on_a_part():
    X, truth = clusters((3000, 2000, 1000))
    fit = Mixture(k=100, subsample=500, max_groups=4, families=("EII", "VVV")).fit(X, seed=1)
    assert fit.fitted == 500
    assert "(fitted on 500 of 6000 records)" in fit.notes[0]
    assert (
        np.bincount(fit.labels) == np.sort(np.bincount(truth))[np.argsort(np.argsort(np.bincount(fit.labels)))]
    ).all()


def test_parameters_that_contradict_each_other():
    with pytest.raises(BadInput, match=r"degrees=4.0 needs component='t'; component is 'normal'"):
        Mixture(degrees=4)
    with pytest.raises(BadInput, match="name at least one family, and each once"):
        Mixture(families=("VVV", "VVV"))
