"""Hybrid data by a linear model with exact sufficient statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.hybrid import MuralidharSarathy
from microveil.hybrid.muralidhar_sarathy import alpha_of_components
from tests.hybrid.helpers import EXACT, FILES, moment_error, singular_frame
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.reference import reference

EIA = (["INDREVENUE", "INDSALES"], ["TOTREVENUE", "TOTSALES"])
CENSUS = (["FICA", "FEDTAX"], ["INTVAL", "POTHVAL"])


def residual_correlation(frame, columns, given_columns):
    W = np.column_stack([np.ones(len(frame)), frame[given_columns]])
    X = frame[columns].to_numpy(dtype=float)
    residual = X - W @ np.linalg.lstsq(W, X, rcond=None)[0]
    return np.corrcoef(residual.T)[0, 1]


@ANY_FILE
@pytest.mark.parametrize("alpha", [0.0, 0.8, -0.5, 1.0])
@pytest.mark.parametrize("file", ["normal", "singular", "eia"])
def test_moments_are_exact_without_given_columns(file, alpha):
    frame = FILES[file]()
    release = MuralidharSarathy(alpha=alpha).apply(frame, columns=list(frame), seed=1)
    assert moment_error(frame, release.frame) < EXACT
    assert not any("alpha" in note for note in release.notes)


@pytest.mark.parametrize("alpha", [0.8, (0.9, 0.2), ((0.5, 3.0), (0.01, 0.4))])
def test_moments_with_numbers_and_categories_given_are_exact(alpha):
    frame = normal_frame(120).assign(region=np.tile(["n", "s", "w"], 40))
    release = MuralidharSarathy(alpha=alpha).apply(frame, columns=["a", "b"], given=["c", "region"], seed=1).frame
    assert (release.c == frame.c).all()
    both = [pd.get_dummies(file, columns=["region"], dtype=float) for file in (frame, release)]
    assert moment_error(*both) < EXACT


def test_one_number_is_the_weight_of_the_old_residuals():
    frame = normal_frame(100)
    hybrid = MuralidharSarathy(alpha=0.7).apply(frame, seed=1).frame
    for name in frame:
        assert np.corrcoef(frame[name], hybrid[name])[0, 1] == pytest.approx(0.7, abs=1e-9)


def test_a_diagonal_gives_each_column_its_own_similarity():
    frame = normal_frame(100)[["a", "b"]]
    hybrid = MuralidharSarathy(alpha=(0.8, 0.6), inadmissible="error").apply(frame, seed=1).frame
    found = [np.corrcoef(frame[name], hybrid[name])[0, 1] for name in frame]
    assert found == pytest.approx([0.8, 0.6], abs=1e-9)


def test_a_matrix_acts_as_the_model_says():
    frame = normal_frame(100)[["a", "b"]]
    alpha = np.array([[0.5, 0.01], [1.0, 0.4]])
    X = frame.to_numpy()
    hybrid = MuralidharSarathy(alpha=alpha.tolist(), inadmissible="error").apply(frame, seed=1).frame.to_numpy()
    # noise is orthogonal to the original: regressing the hybrid on it gives alpha back
    W = np.column_stack([np.ones(100), X])
    slopes = np.linalg.lstsq(W, hybrid, rcond=None)[0][1:].T
    assert slopes == pytest.approx(alpha, abs=1e-9)


@ANY_FILE
def test_alpha_one_is_the_original_and_zero_the_regression_with_unrelated_residuals():
    frame = normal_frame(80)
    assert MuralidharSarathy(alpha=1.0).apply(frame, seed=1).frame.to_numpy() == pytest.approx(frame.to_numpy())
    hybrid = MuralidharSarathy(alpha=0.0).apply(frame, columns=["a"], given=["b", "c"], seed=1).frame
    W = np.column_stack([np.ones(80), frame[["b", "c"]]])
    old, new = (x - W @ np.linalg.lstsq(W, x, rcond=None)[0] for x in (frame.a.to_numpy(), hybrid.a.to_numpy()))
    assert np.corrcoef(old, new)[0, 1] == pytest.approx(0.0, abs=1e-9)


def test_eia_does_not_admit_unequal_alpha():
    columns, kept = EIA
    frame = reference("eia")[columns + kept].astype(float)
    assert residual_correlation(frame, columns, kept) == pytest.approx(0.897, abs=0.0006)
    with pytest.raises(BadInput, match=r"alpha=\(0.8, 0.3\) is not admissible: its norm is 1.316"):
        MuralidharSarathy(alpha=(0.8, 0.3), inadmissible="error").apply(frame, columns=columns, given=kept, seed=1)
    release = MuralidharSarathy(alpha=(0.8, 0.3)).apply(frame, columns=columns, given=kept, seed=1)
    assert "alpha is not admissible (norm 1.316 > 1) and was divided by that" in release.notes
    assert moment_error(frame, release.frame) < EXACT


def test_census_admits_it():
    columns, kept = CENSUS
    frame = reference("census")[columns + kept].astype(float)
    assert residual_correlation(frame, columns, kept) == pytest.approx(0.746, abs=0.0006)
    method = MuralidharSarathy(alpha=(0.8, 0.3), inadmissible="error")
    release = method.apply(frame, columns=columns, given=kept, seed=1)
    assert moment_error(frame, release.frame) < EXACT
    assert not any("alpha" in note for note in release.notes)


@given(st.floats(-0.99, 0.99), st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=60, deadline=None)
def test_two_columns_admit_a_diagonal_as_the_closed_form_says(rho, a, b):
    G = np.array([[1.0, rho], [rho, 1.0]])
    norm = np.linalg.norm(alpha_of_components(np.diag([a, b]), np.linalg.cholesky(G).T)[0], 2)
    room = (1 - a * a) * (1 - b * b) - rho**2 * (1 - a * b) ** 2
    if abs(room) > 1e-9:
        assert (norm < 1) == (room > 0)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_any_matrix_is_scaled_to_an_admissible_one(seed):
    generator = np.random.default_rng(seed)
    p = int(generator.integers(1, 5))
    F, alpha = generator.normal(size=(p + 2, p)), generator.normal(size=(p, p))
    G = F.T @ F
    F = np.linalg.cholesky(G).T
    M, leaves = alpha_of_components(alpha, F)
    alpha /= max(1.0, np.linalg.norm(M, 2))
    assert np.linalg.eigvalsh(G - alpha @ G @ alpha.T).min() >= -1e-10 * np.trace(G)
    assert leaves < 1e-9


def test_linear_relations_survive_an_alpha_that_breaks_them():
    frame = singular_frame()[["a", "b", "total"]]
    alpha = (0.9, 0.1, 0.5)
    release = MuralidharSarathy(alpha=alpha).apply(frame, seed=1)
    assert moment_error(frame, release.frame) < EXACT
    assert (release.frame.a + release.frame.b).to_numpy() == pytest.approx(release.frame.total.to_numpy())
    assert any("breaks linear relations" in note for note in release.notes)
    with pytest.raises(BadInput, match="it breaks linear relations between the columns"):
        MuralidharSarathy(alpha=alpha, inadmissible="error").apply(frame, seed=1)


@ANY_FILE
def test_columns_that_the_given_ones_determine_are_noted():
    frame = singular_frame()
    release = MuralidharSarathy().apply(frame, columns=["total", "c"], given=["a", "b"], seed=1)
    assert any("determine ['total'] exactly" in note for note in release.notes)
    assert release.frame.total.to_numpy() == pytest.approx(frame.total.to_numpy())


def test_records_needed():
    # 1 + 2 replaced + 1 given columns
    columns, kept = ["a", "b"], ["c"]
    frame = normal_frame(6)
    assert moment_error(frame, MuralidharSarathy().apply(frame, columns=columns, given=kept, seed=1).frame) < EXACT
    with pytest.raises(NotEnoughRecords, match=r"at least 6 records .*: 5 given"):
        MuralidharSarathy().apply(frame.head(5), columns=columns, given=kept, seed=1)


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        (1.2, r"alpha must be between -1 and 1; 1.2 was given"),
        ((0.5, -1.5), r"must be between -1 and 1"),
        (((0.5, 0.1),), "is not square"),
        ((), "is empty"),
        (((0.5, float("inf")), (0.0, 0.5)), "is not finite"),
    ],
)
def test_wrong_alpha_is_refused(alpha, message):
    with pytest.raises(BadInput, match=message):
        MuralidharSarathy(alpha=alpha)


def test_alpha_must_fit_the_columns():
    with pytest.raises(BadInput, match=r"alpha has 2 entries for 3 columns \['a', 'b', 'c'\]"):
        MuralidharSarathy(alpha=(0.5, 0.4)).apply(normal_frame(30), seed=1)
