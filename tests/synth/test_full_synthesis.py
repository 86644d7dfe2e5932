"""Generators of wholly synthetic numbers and tables: exact moments, strata, margins, and nothing of the original."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import BadInput, NotEnoughRecords
from microveil.kernels.draws.latin import spearman
from microveil.kernels.draws.linear import cholesky_synthesis, smoothed_bootstrap
from microveil.kernels.tables.log_linear import fit_log_linear, smoothed_probabilities, walk_fixed_margins
from microveil.synth import CholeskySynthesis, LatinHypercube, SmoothedBootstrap
from tests.reference import shared_file
from tests.streams import streams_of


def numbers(n, p, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.gamma(2.0, size=(n, p)) @ draw.normal(size=(p, p))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)])


def exact(before, after, tolerance=1e-9):
    scale = before.std(ddof=0).replace(0, 1).to_numpy()
    assert np.abs((after.mean() - before.mean()) / scale).max() < tolerance
    assert np.abs((after.cov(ddof=0) - before.cov(ddof=0)).to_numpy() / np.outer(scale, scale)).max() < tolerance


# -- Cholesky ------------------------------------------------------------------------------------


@given(p=st.integers(2, 6), extra=st.sampled_from([0, 1, 40]), seed=st.integers(0, 50))
def test_cholesky_synthesis_is_exact_for_any_number_of_records(p, extra, seed):
    frame = numbers(50, p, seed)
    frame["sum"] = frame.x0 + frame.x1
    release = CholeskySynthesis(records=p + 1 + extra).apply(frame, seed=seed)
    assert len(release.frame) == p + 1 + extra
    exact(frame, release.frame)
    assert (release.origin == -1).all()


def test_cholesky_synthesis_of_census():
    census = pd.read_csv(shared_file("data", "census.csv")).astype(float)
    exact(census, CholeskySynthesis().apply(census, seed=1).frame)


def test_too_few_synthetic_records_are_refused():
    with pytest.raises(NotEnoughRecords, match="needs at least 5 records"):
        cholesky_synthesis(np.zeros(4), np.eye(4), 4, streams_of(0))
    with pytest.raises(NotEnoughRecords, match="at least 3 records: 2 asked for"):
        cholesky_synthesis(np.zeros(1), np.eye(1), 2, streams_of(0))
    with pytest.raises(NotEnoughRecords, match="needs at least 3 records to draw from: 2 given"):
        CholeskySynthesis().apply(numbers(2, 1))


def test_synthesis_inside_subdomains_is_exact_in_each_and_keeps_their_labels():
    frame = numbers(60, 2)
    frame["g"] = np.repeat(["a", "b"], [20, 40])
    release = CholeskySynthesis().apply(frame, columns=["x0", "x1"], by="g", seed=1)
    after = release.frame
    assert after["g"].value_counts().to_dict() == {"a": 20, "b": 40}
    for label in "ab":
        exact(frame[frame.g == label][["x0", "x1"]], after[after.g == label][["x0", "x1"]])
    assert all(verdict.holds for verdict in release.check())


# -- Latin hypercube -----------------------------------------------------------------------------


@pytest.mark.parametrize("records", [250, 1000, 3000])
def test_every_stratum_has_one_value_and_ranks_correlate_as_before(records):
    draw = np.random.default_rng(5)
    X = np.exp(draw.multivariate_normal(np.zeros(5), 0.6 + 0.4 * np.eye(5), size=1000))
    X[:, 3] *= -1
    frame = pd.DataFrame(X, columns=list("abcde"))
    after = LatinHypercube(records=records).apply(frame, seed=2).frame
    for name in frame:
        edges = np.quantile(frame[name], np.linspace(0, 1, records + 1))
        place = np.clip(np.searchsorted(edges, after[name], "right") - 1, 0, records - 1)
        assert (np.bincount(place, minlength=records) == 1).all()
        assert not np.isin(after[name], frame[name]).any()
    assert np.abs(spearman(after.to_numpy()) - spearman(X)).max() < 0.02


def test_latin_hypercube_of_ordered_categories_takes_observed_ones():
    draw = np.random.default_rng(6)
    x = draw.normal(size=500)
    levels = ["low", "middle", "high"]
    frame = pd.DataFrame({"x": x, "o": pd.Categorical.from_codes(np.digitize(x, [-0.5, 1.0]), levels, ordered=True)})
    after = LatinHypercube().apply(frame, seed=1).frame
    assert np.abs(after["o"].value_counts() - frame["o"].value_counts()).max() <= 2
    assert after.groupby("o", observed=True).x.mean().is_monotonic_increasing


# -- smoothed bootstrap --------------------------------------------------------------------------


@pytest.mark.full
def test_smoothed_bootstrap_keeps_covariance_on_average():
    X = numbers(80, 3).to_numpy()
    covariances = []
    for seed in range(400):
        draw = np.random.default_rng(seed)
        Y = smoothed_bootstrap(X, draw.integers(0, 80, size=80), 0.5, streams_of(seed))
        covariances.append((Y - X.mean(axis=0)).T @ (Y - X.mean(axis=0)) / 80)
    found = np.array(covariances)
    error = found.std(axis=0) / np.sqrt(len(found))
    V = np.cov(X.T, ddof=0)
    assert (np.abs(found.mean(axis=0) - V) < 4 * error).all()


def test_smoothed_bootstrap_repeats_no_record_and_refuses_no_noise():
    frame = numbers(300, 3)
    after = SmoothedBootstrap().apply(frame, seed=3).frame
    assert not np.isin(after.x0, frame.x0).any()
    with pytest.raises(BadInput, match=r"bandwidth must be more than 0; 0 was given"):
        SmoothedBootstrap(bandwidth=0)


def test_log_linear_fits_have_their_margins_and_the_smoothed_table_its_zeros():
    counts = np.random.default_rng(1).poisson(6, size=(3, 4, 2)).astype(float)
    counts[0, 0, :] = 0
    fitted = fit_log_linear(counts, 2)
    for axis in range(3):
        assert np.abs(fitted.sum(axis=axis) - counts.sum(axis=axis)).max() < 1e-4
    independent = fit_log_linear(counts, 1)
    a, b, c = (counts.sum(axis=tuple(j for j in range(3) if j != i)) / counts.sum() for i in range(3))
    assert np.abs(independent / counts.sum() - np.einsum("i,j,k->ijk", a, b, c)).max() < 1e-12
    p = smoothed_probabilities(fitted, 0.1)
    assert p.sum() == pytest.approx(1)
    assert (p[0, 0] == 0).all()
    assert p[fitted > 0].min() >= 0.1 / (fitted > 0).sum()


@pytest.mark.parametrize("order", [1, 2])
def test_fixed_margins_are_fixed_and_the_table_moves(order):
    frame = pd.DataFrame(np.random.default_rng(2).integers(0, 3, size=(400, 3)).astype(str), columns=list("abc"))
    after = SmoothedBootstrap(fixed_margins=True, order=order, smoothing=0).apply(frame, seed=1).frame
    names = [["a", "b"], ["b", "c"], ["a", "c"]] if order == 2 else [["a"], ["b"], ["c"]]
    for chosen in names:
        assert (after.value_counts(chosen).sort_index() == frame.value_counts(chosen).sort_index()).all()
    assert (after.value_counts() - frame.value_counts()).abs().max() > 0
    with pytest.raises(BadInput, match="fixed_margins=True goes without records, and records is 5"):
        SmoothedBootstrap(fixed_margins=True, smoothing=0, records=5)


def test_tables_with_fixed_margins_follow_the_hypergeometric_law():
    counts = np.array([[2, 1], [1, 2]])
    draw = np.random.default_rng(0)
    found = [walk_fixed_margins(counts, 1, 60, draw)[0, 0] for _ in range(4000)]
    expected = np.array([1, 9, 9, 1]) / 20
    assert np.abs(np.bincount(found, minlength=4) / 4000 - expected).max() < 0.03


def test_mixed_files_keep_the_relation_of_categories_and_numbers():
    draw = np.random.default_rng(4)
    g = draw.choice(list("ab"), 600)
    frame = pd.DataFrame({"g": g, "x": draw.normal(size=600) + np.where(g == "a", 0, 8)})
    after = SmoothedBootstrap().apply(frame, seed=1).frame
    assert after.groupby("g").x.mean()["b"] - after.groupby("g").x.mean()["a"] == pytest.approx(8, abs=0.8)
    wide = pd.DataFrame(draw.integers(0, 10, size=(100, 8)).astype(str), columns=list("abcdefgh"))
    with pytest.raises(BadInput, match=r"has .* cells; 8388608 are allowed"):
        SmoothedBootstrap().apply(wide)
