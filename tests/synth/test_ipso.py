"""IPSO: exact regressions and moments for every rank and size, and never the original."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import BadInput, NotEnoughRecords, NothingHidden
from microveil.kernels.draws.linear import ipso
from microveil.synth import Ipso
from tests.reference import shared_file
from tests.streams import streams_of


def regression(T, S):
    """Coefficients and residual covariance of T on S and a constant."""
    W = np.column_stack([np.ones(len(S)), S])
    B = np.linalg.lstsq(W, T, rcond=1e-10)[0]
    R = T - W @ B
    return B, R.T @ R / len(T)


def example(n, p, q, singular, seed=0):
    draw = np.random.default_rng(seed)
    S = draw.normal(size=(n, q))
    T = S @ draw.normal(size=(q, p)) + draw.gamma(1.0, size=(n, p))
    if singular and p > 2:
        T[:, 2] = T[:, 0] + T[:, 1]
    return T, S


@given(
    n=st.sampled_from([6, 10, 60, 1000]),
    p=st.sampled_from([1, 3, 5]),
    q=st.sampled_from([0, 1, 3]),
    singular=st.booleans(),
    seed=st.integers(0, 99),
)
def test_variant_c_keeps_coefficients_and_residual_covariance(n, p, q, singular, seed):
    T, S = example(n, p, q, singular, seed)
    new = ipso(T, S, streams_of(seed + 1))
    for before, after in zip(regression(T, S), regression(new, S), strict=True):
        assert np.abs(before - after).max() < 1e-9
    everything, again = np.cov(np.hstack([T, S]).T), np.cov(np.hstack([new, S]).T)
    assert np.abs(everything - again).max() < 1e-9
    assert not (np.abs(new - T) < 1e-9).all(axis=1).any()


def test_variant_c_on_census_and_its_exact_sum():
    census = pd.read_csv(shared_file("data", "census.csv"))
    kept = ["AFNLWGT", "AGI", "EMCONTRB"]
    release = Ipso().apply(census.astype(float), columns=[c for c in census if c not in kept], given=kept, seed=1)
    after = release.frame
    assert np.abs(after.PTOTVAL - after.PEARNVAL - after.POTHVAL).max() < 1e-6
    scale = np.outer(census.std(), census.std())
    assert np.abs((after.cov() - census.cov()).to_numpy() / scale).max() < 1e-9
    assert (release.origin == np.arange(len(census))).all()


def test_the_other_variants_keep_what_they_say():
    T, S = example(200, 3, 2, False)
    B, Sigma = regression(T, S)
    fitted = ipso(T, S, streams_of(1), "A0")
    assert np.abs(regression(fitted, S)[0] - B).max() < 1e-9
    assert np.abs(regression(fitted, S)[1]).max() < 1e-15
    b = ipso(T, S, streams_of(1), "B")
    assert np.abs(regression(b, S)[0] - B).max() < 1e-9
    assert np.abs(regression(b, S)[1] - Sigma).max() > 1e-3
    a = ipso(T, S, streams_of(1), "A")
    assert np.abs(regression(a, S)[0] - B).max() > 1e-4


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.95])
def test_the_dial_is_the_correlation_of_every_residual_component(rho):
    T, S = example(60, 3, 2, True)
    new = ipso(T, S, streams_of(4), rho=rho)
    W = np.column_stack([np.ones(60), S])
    off = np.eye(60) - W @ np.linalg.pinv(W)
    scaled = off @ (T / T.std(axis=0))
    _, s, Vt = np.linalg.svd(scaled, full_matrices=False)
    kept = s > 1e-9 * s[0]
    old = scaled @ Vt[kept].T
    turned = off @ (new / T.std(axis=0)) @ Vt[kept].T
    found = np.einsum("ij,ij->j", old, turned) / np.einsum("ij,ij->j", old, old)
    assert np.abs(found - rho).max() < 1e-9
    assert np.abs(regression(new, S)[1] - regression(T, S)[1]).max() < 1e-9


def test_the_dial_at_one_is_the_original_and_says_so():
    frame = pd.DataFrame(example(40, 2, 0, False)[0], columns=["a", "b"])
    with pytest.warns(NothingHidden, match="ipso left every value of 'a', 'b' as it was"):
        Ipso(rho=1.0).apply(frame)


def test_sizes_that_would_return_the_original_are_refused():
    T, S = example(5, 2, 3, False)
    with pytest.raises(NotEnoughRecords, match=r"IPSO needs at least 6 records \(4 for the columns kept"):
        ipso(T, S, streams_of(0))
    with pytest.raises(NotEnoughRecords, match=r"rho=0\.5 needs at least 8 records"):
        ipso(*example(7, 2, 3, False), streams_of(0), rho=0.5)
    frame = pd.DataFrame({"a": np.arange(20.0), "b": 3 - 2 * np.arange(20.0)})
    with pytest.raises(BadInput, match="b: the columns kept determine these columns exactly"):
        Ipso().apply(frame, columns=["b"], given=["a"])
    with pytest.raises(BadInput, match=r"rho=0\.5 needs variant='C'; variant is"):
        Ipso(variant="B", rho=0.5)


def test_categories_kept_are_conditioned_on():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"g": draw.choice(list("abc"), 90), "x": draw.normal(size=90)})
    frame["x"] += frame["g"].map({"a": 0, "b": 5, "c": 9})
    after = Ipso().apply(frame, columns=["x"], given=["g"], seed=1).frame
    assert np.abs(after.groupby("g").x.mean() - frame.groupby("g").x.mean()).max() < 1e-9


def test_records_without_anything_kept_belong_to_nobody():
    frame = pd.DataFrame({"a": np.random.default_rng(1).normal(size=30), "t": list("xy") * 15}, index=range(100, 130))
    release = Ipso().apply(frame, columns=["a"], seed=1)
    assert (release.origin == -1).all()
    assert release.frame["t"].isna().all()
    assert list(release.frame.index) == list(range(30))
    assert (Ipso(rho=0.5).apply(frame, columns=["a"], seed=1).origin == np.arange(30)).all()
