"""Post-randomisation, invariant and not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.mask import InvariantPram, Pram, estimate_frequencies, estimate_table, maximum_likelihood_frequencies
from microveil.mask.controlled import controlled_rounding
from microveil.mask.pram_matrix import (
    base_matrix,
    direct_invariant_matrix,
    forbid_both_ways,
    invariant_matrix,
    release_covariance,
)
from tests.marks import ANY_FILE
from tests.reference import reference, shared_file

FRAME = pd.DataFrame({"c": list("aaaaaabbbccc") * 20, "d": list("xyxyxyxyxyzz") * 20})


def test_expected_counts_of_the_published_example():
    P = base_matrix("uniform", 0.9, np.array([110.0, 90.0]))
    assert np.array([110, 90]) @ P == pytest.approx([108, 92])


def test_estimator_and_its_covariance_by_hand():
    P = np.array([[0.9, 0.1], [0.2, 0.8]])
    estimate = estimate_frequencies(P, np.array([103.0, 97.0]))
    # 0.9 a + 0.2 b = 103 and a + b = 200
    assert estimate.frequencies == pytest.approx([90, 110])
    released = 90 * 0.9 * 0.1 + 110 * 0.2 * 0.8
    assert release_covariance(P, np.array([90.0, 110.0]))[0, 0] == pytest.approx(released)
    assert estimate.covariance[0, 0] == pytest.approx(released / 0.7**2)
    with pytest.raises(BadInput, match="singular"):
        estimate_frequencies(np.full((2, 2), 0.5), np.array([1.0, 1.0]))


def test_tables_of_several_attributes_are_estimated_axis_by_axis():
    P, Q = np.array([[0.9, 0.1], [0.2, 0.8]]), base_matrix("uniform", 0.7, np.ones(3))
    table = np.array([[10.0, 20, 30], [5, 0, 40]])
    assert estimate_table([P, Q], P.T @ table @ Q) == pytest.approx(table)


def test_estimates_that_never_turn_negative():
    P = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert estimate_frequencies(P, np.array([5.0, 95.0])).frequencies.min() < 0
    assert maximum_likelihood_frequencies(P, np.array([5.0, 95.0])) == pytest.approx([0, 100], abs=0.01)
    assert maximum_likelihood_frequencies(P, np.array([103.0, 97.0])) == pytest.approx([90, 110], rel=1e-4)


def test_patterns_of_the_base_matrix():
    counts = np.array([10.0, 30.0, 60.0])
    for pattern in ("uniform", "frequency", "band"):
        P = base_matrix(pattern, 0.8, counts)
        assert P.sum(axis=1) == pytest.approx(np.ones(3))
        assert np.diag(P) == pytest.approx([0.8] * 3)
    assert base_matrix("frequency", 0.8, counts)[0] == pytest.approx([0.8, 0.2 / 3, 0.4 / 3])
    assert base_matrix("band", 0.8, counts)[1] == pytest.approx([0.1, 0.8, 0.1])
    block = base_matrix("block", 0.8, counts, ["p", "p", "q"])
    assert block[2] == pytest.approx([0, 0, 1])
    assert block[0] == pytest.approx([0.8, 0.2, 0])


@pytest.mark.parametrize("seed", [1, 2])
def test_invariant_matrix_equals_the_reference(seed):
    facts = json.loads(shared_file("oracles", "pram", "testdata_roof.json").read_text())
    expected = pd.read_csv(shared_file("oracles", "pram", f"testdata_roof_seed{seed}_Rs.csv")).to_numpy()
    diagonal = np.array(facts[f"seed{seed}"]["diag_P"])
    P = np.tile((1 - diagonal)[:, None] / 4, (1, 5))
    np.fill_diagonal(P, diagonal)
    counts = reference("testdata")["roof"].value_counts().sort_index().to_numpy().astype(float)
    R = invariant_matrix(P, counts, 0.5)
    assert pytest.approx(expected, abs=1e-12) == R


def test_invariance_is_exact():
    counts = np.array([3.0, 50.0, 0.0, 800.0])
    for R in (
        invariant_matrix(base_matrix("uniform", 0.6, counts), counts, 0.7),
        direct_invariant_matrix(0.9, counts),
        forbid_both_ways(invariant_matrix(base_matrix("uniform", 0.6, counts), counts), counts, [(0, 3), (1, 3)]),
    ):
        assert (R >= 0).all()
        assert R.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-14)
        assert np.abs(counts @ R - counts).max() < 1e-12 * counts.sum()
    assert R[0, 3] == R[3, 0] == R[1, 3] == 0


def test_controlled_rounding_keeps_sums_and_is_right_on_average():
    generator = np.random.default_rng(0)
    table = np.array([[1.2, 2.5, 0.3], [0.8, 0.5, 3.7], [2.0, 3.0, 1.0]])
    draws = [controlled_rounding(table, generator) for _ in range(2000)]
    for found in draws[:50]:
        assert found.sum(axis=0).tolist() == [4, 6, 5]
        assert found.sum(axis=1).tolist() == [4, 5, 6]
        assert np.abs(found - table).max() < 1
    assert np.mean(draws, axis=0) == pytest.approx(table, abs=0.05)


@ANY_FILE
def test_controlled_release_has_the_same_frequencies():
    for joint in (False, True):
        release = InvariantPram(controlled=True, stay=0.5, alpha=1.0, joint=joint).apply(FRAME, seed=3)
        assert (release.frame["c"] != FRAME["c"]).any()
        for name in FRAME:
            assert release.frame[name].value_counts().to_dict() == FRAME[name].value_counts().to_dict()
        if joint:
            assert release.frame.value_counts().to_dict() == FRAME.value_counts().to_dict()


def test_forbidden_transitions_never_happen():
    pairs = {"c": [("a", "b"), ("b", "a")]}
    for method in (Pram(stay=0.2, forbidden=pairs), InvariantPram(stay=0.2, alpha=1.0, forbidden=pairs)):
        masked = method.apply(FRAME, columns=["c"], seed=1).frame
        seen = set(zip(FRAME["c"], masked["c"], strict=True))
        assert ("a", "b") not in seen
        assert ("a", "c") in seen
    with pytest.raises(BadInput, match="forbidden names the level 'q'"):
        Pram(forbidden={"c": [("a", "q")]}).apply(FRAME, columns=["c"], seed=1)


def test_own_matrix_and_its_checks():
    P = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    masked = Pram(matrix={"c": P}).apply(FRAME, columns=["c"], seed=1).frame
    assert masked["c"].tolist() == FRAME["c"].map({"a": "b", "b": "c", "c": "a"}).tolist()
    with pytest.raises(BadInput, match="3 rows of 3"):
        Pram(matrix={"c": [[1.0]]}).apply(FRAME, columns=["c"], seed=1)
    with pytest.raises(BadInput, match="probabilities of sum 1"):
        Pram(matrix={"c": [[0.5, 0, 0], [0, 1, 0], [0, 0, 1]]}).apply(FRAME, columns=["c"], seed=1)


def test_identity_matrix_is_the_identity():
    with pytest.warns(UserWarning, match="left every value"):
        Pram(stay=1.0).apply(FRAME, seed=1)


def test_joint_never_makes_new_combinations():
    seen = set(map(tuple, FRAME.drop_duplicates().to_numpy()))
    masked = Pram(stay=0.1, joint=True).apply(FRAME, seed=1).frame
    assert set(map(tuple, masked.drop_duplicates().to_numpy())) <= seen
    apart = Pram(stay=0.1).apply(FRAME, seed=1).frame
    assert not set(map(tuple, apart.drop_duplicates().to_numpy())) <= seen


def test_missing_stays_missing():
    frame = FRAME.copy()
    frame.loc[::7, "c"] = None
    for method in (Pram(stay=0.3), Pram(stay=0.3, joint=True), InvariantPram(controlled=True, stay=0.3)):
        masked = method.apply(frame, columns=["c", "d"], seed=1).frame
        assert (masked["c"].isna() == frame["c"].isna()).all()


@ANY_FILE
def test_strata_use_their_own_frequencies():
    method = InvariantPram(controlled=True, stay=0.5)
    masked = method.apply(FRAME, columns=["c"], by="d", seed=1).frame
    assert pd.crosstab(masked["c"], masked["d"]).equals(pd.crosstab(FRAME["c"], FRAME["d"]))


@pytest.mark.full
def test_estimated_frequencies_are_unbiased():
    true = FRAME["c"].value_counts().sort_index().to_numpy()
    method = Pram(stay=0.7)
    (levels, P), found = method.transitions(FRAME, ["c"])["c"], []
    for seed in range(2000):
        masked = method.apply(FRAME, columns=["c"], seed=seed).frame["c"]
        found.append(
            estimate_frequencies(P, masked.value_counts().reindex(levels, fill_value=0).to_numpy()).frequencies
        )
    error = np.std(found, axis=0, ddof=1) / np.sqrt(2000)
    assert (np.abs(np.mean(found, axis=0) - true) <= 4 * error).all()
    assert np.diag(estimate_frequencies(P, true @ P).covariance) == pytest.approx(np.var(found, axis=0), rel=0.15)
