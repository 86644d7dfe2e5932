"""Combinations of original and synthetic records: endpoints, means, betweenness, signs, pairing, exact moments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.claims import CovariancesKept, MeansKept, RangeKept
from microveil.core import BadInput, NotEnoughRecords, NothingHidden
from microveil.hybrid import Combine
from microveil.hybrid.combine import combine_cells, pairs
from microveil.synth import CholeskySynthesis, GaussianCopula, Ipso, LatinHypercube, SmoothedBootstrap
from tests.hybrid.helpers import EXACT, FILES, moment_error
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.reference import census

ALPHAS = st.floats(0, 1)
MODES = st.sampled_from(["add", "mult"])
PAIRINGS = ["nearest", "greedy", "assignment"]


def apply(method, frame, seed=1):
    return method.apply(frame, columns=list(frame), seed=seed)


def cells(n=50, p=3, seed=0):
    """Numbers of both signs, with zeros."""
    draw = np.random.default_rng(seed)
    return np.where(draw.random((n, p)) < 0.2, 0.0, draw.normal(size=(n, p)) * 10.0 ** draw.integers(-3, 6, p))


@given(alpha=ALPHAS, mode=MODES, seed=st.integers(0, 99))
def test_every_value_lies_between_its_parents(alpha, mode, seed):
    X, S = cells(seed=seed), cells(seed=seed + 100)
    Z, opposite = combine_cells(X, S, alpha, mode)
    assert (np.minimum(X, S) <= Z).all()
    assert (np.maximum(X, S) >= Z).all()
    assert opposite == (0 if mode == "add" else int(((X > 0) & (S < 0) | (X < 0) & (S > 0)).sum()))


@pytest.mark.parametrize("mode", ["add", "mult"])
def test_the_endpoints_are_the_parents(mode):
    X, S = cells(seed=1), cells(seed=2)
    assert np.array_equal(combine_cells(X, S, 1.0, mode)[0], X)
    assert np.array_equal(combine_cells(X, S, 0.0, mode)[0], S)


def test_geometric_means_by_sign():
    X = np.array([[4.0, -4.0, 0.0, 5.0, 4.0, 0.0]])
    S = np.array([[9.0, -9.0, 5.0, 0.0, -2.0, -3.0]])
    Z, opposite = combine_cells(X, S, 0.5, "mult")
    assert pytest.approx(np.array([[6.0, -6.0, 0.0, 0.0, 1.0, 0.0]])) == Z
    assert opposite == 1
    assert combine_cells(X, S, 0.25, "mult")[0][0, 0] == pytest.approx(4.0**0.25 * 9.0**0.75)


def test_cells_of_opposite_signs_are_counted_in_the_notes():
    frame = normal_frame(80) - 100.0
    noted = " ".join(apply(Combine(mode="mult"), frame).notes)
    assert "cells have another sign than their partner's; their weighted mean was taken" in noted
    assert "another sign" not in " ".join(apply(Combine(mode="mult"), normal_frame(80).abs() + 1.0).notes)


@pytest.mark.parametrize("pairing", ["greedy", "assignment"])
@pytest.mark.parametrize("synthesiser", [Ipso(), CholeskySynthesis()])
def test_one_to_one_pairs_mix_the_means(pairing, synthesiser):
    frame = census().iloc[:300]
    method = Combine(alpha=0.3, pairing=pairing, synthesiser=synthesiser)
    release = apply(method, frame)
    # both parents have the original's means, so their mixture has
    assert MeansKept() in method.claims(tuple(frame))
    assert moment_error(frame.mean().to_frame().T, release.frame.mean().to_frame().T) < EXACT * frame.abs().max().max()


def test_mean_of_a_mixture_of_different_means():
    X, S = cells(80, 2, 1), 3.0 + cells(80, 2, 2)
    partner = pairs(X, S, "greedy")
    Z, _ = combine_cells(X, S[partner], 0.3, "add")
    assert Z.mean(axis=0) == pytest.approx(0.3 * X.mean(axis=0) + 0.7 * S.mean(axis=0), rel=1e-12)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("settings", [{}, {"mode": "mult", "alpha": 0.9}, {"pairing": "greedy", "alpha": 0.0}])
def test_restored_moments_are_exact(name, settings):
    frame = FILES[name]()
    release = apply(Combine(restore=True, **settings), frame)
    assert moment_error(frame, release.frame) < EXACT
    assert {type(claim) for claim in release.claims} == {MeansKept, CovariancesKept}


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_distances_do_not_depend_on_units(pairing):
    X, S = cells(60, 3, 1), cells(60, 3, 2)
    units, shift = np.array([1e6, 1.0, 1e-3]), np.array([0.0, 1e4, -7.0])
    assert (pairs(X, S, pairing) == pairs(X * units + shift, S * units + shift, pairing)).all()


def test_alpha_says_how_near_the_release_is():
    frame = census()
    X, scale = frame.to_numpy(), frame.std().to_numpy()
    apart = [
        float(np.sqrt((((apply(Combine(alpha=alpha), frame).frame.to_numpy() - X) / scale) ** 2).mean()))
        for alpha in (0.0, 0.25, 0.5, 0.75)
    ]
    assert apart == pytest.approx([apart[0] * weight for weight in (1.0, 0.75, 0.5, 0.25)], rel=1e-6)


@pytest.mark.parametrize("restore", [False, True])
def test_alpha_one_hides_nothing_and_says_so(restore):
    frame = normal_frame(40)
    with pytest.warns(NothingHidden, match="combine left every value of"):
        release = apply(Combine(alpha=1.0, restore=restore), frame)
    pd.testing.assert_frame_equal(release.frame, frame)


def test_the_range_is_kept_where_the_synthesiser_keeps_it():
    assert Combine(mode="mult").claims(("a",)) == (RangeKept(),)
    assert Combine(synthesiser=GaussianCopula()).claims(("a",)) == GaussianCopula().claims(("a",))
    assert Combine(synthesiser=Ipso(), pairing="nearest").claims(("a",)) == ()
    assert Combine(synthesiser=LatinHypercube(), pairing="greedy").claims(("a",)) == (RangeKept(),)


def test_more_synthetic_than_original_records():
    frame = normal_frame(60)
    for pairing in PAIRINGS:
        release = apply(Combine(synthesiser=LatinHypercube(records=400), pairing=pairing), frame)
        assert (release.origin == np.arange(60)).all()
    with pytest.raises(NotEnoughRecords, match="greedy pairing needs a partner for each of 60 records: 50 given"):
        apply(Combine(synthesiser=LatinHypercube(records=50), pairing="greedy"), frame)
    noted = " ".join(apply(Combine(synthesiser=LatinHypercube(records=20)), frame).notes)
    assert "20 synthetic records serve 60" in noted or "synthetic records serve 60, one of them" in noted


def test_other_synthesisers_of_numbers():
    frame = normal_frame(80)
    for synthesiser in (GaussianCopula(), SmoothedBootstrap(), CholeskySynthesis()):
        release = apply(Combine(synthesiser=synthesiser), frame)
        assert not (release.frame == frame).all(axis=1).any()


def test_assignment_is_for_small_files():
    frame = pd.DataFrame({"a": np.arange(5001.0)})
    with pytest.raises(BadInput, match="takes at most 5000 records: 5001 given; use pairing='greedy'"):
        apply(Combine(pairing="assignment"), frame)


@ANY_FILE
def test_records_equal_to_their_partners_are_counted():
    frame = pd.DataFrame({"a": np.r_[np.zeros(60), np.arange(1.0, 21.0)]})
    release = apply(Combine(), frame)
    same = int((release.frame.a.round() == frame.a).sum())  # in the digits of the file
    assert same >= 50
    assert f"{same} of 80 records came back unchanged" in release.notes


def test_identical_records_are_combined_too():
    frame = pd.DataFrame({"a": np.full(10, 7.0), "b": np.full(10, -2.0)})
    with pytest.warns(NothingHidden):
        assert (apply(Combine(), frame).frame == frame).all(axis=None)
