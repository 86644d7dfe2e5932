from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.loss import MatrixLoss
from microveil.loss.components import match_to, principal_components
from microveil.loss.matrix_loss import DISCREPANCIES, MATRICES
from tests.loss.files import frame_of
from tests.reference import mdav, original

CELLS = [f"{matrix} {discrepancy}" for matrix in MATRICES for discrepancy in DISCREPANCIES]


@pytest.mark.parametrize("name", ["census", "eia"])
def test_identity_gives_eighteen_zeros(name: str):
    x = original(name)
    parts = MatrixLoss()(x, x).parts
    assert [parts[cell] for cell in CELLS] == [0] * 18


@pytest.mark.parametrize("name", ["census", "eia"])
def test_doubling_changes_covariances_and_nothing_scale_free(name: str):
    x = original(name)
    parts = MatrixLoss()(x, 2 * x).parts
    assert parts["V variation"] == pytest.approx(3)
    assert parts["X variation"] == pytest.approx(1)
    assert [parts[cell] for cell in CELLS[6:]] == [0] * 12


def test_cells_by_hand():
    x = pd.DataFrame({"a": [1.0, 2.0, 3.0, 6.0], "b": [2.0, 2.0, 4.0, 8.0]})
    y = pd.DataFrame({"a": [2.0, 2.0, 3.0, 5.0], "b": [2.0, 4.0, 4.0, 6.0]})
    r, r_after = 4.5 / np.sqrt(21), 1.5 / np.sqrt(3)
    parts = MatrixLoss()(x, y).parts
    assert parts["X square"] == pytest.approx(10 / 8)
    assert parts["X absolute"] == pytest.approx(6 / 8)
    assert parts["V absolute"] == pytest.approx(3)
    assert parts["V variation"] == pytest.approx(3 / 4.5)
    assert parts["R square"] == pytest.approx((r - r_after) ** 2)
    # two columns: eigenvalues 1 + r and 1 - r, loadings sqrt of half of them, communality (1 + r) / 2
    assert parts["C absolute"] == pytest.approx(abs(r - r_after) / 2)
    change = [abs(np.sqrt((1 + s * r) / 2) - np.sqrt((1 + s * r_after) / 2)) for s in (1, -1)]
    assert parts["RF absolute"] == pytest.approx(((1 + r) * change[0] + (1 - r) * change[1]) / 2)
    scores = [abs(1 / np.sqrt(2 * (1 + s * r)) - 1 / np.sqrt(2 * (1 + s * r_after))) for s in (1, -1)]
    assert parts["F absolute"] == pytest.approx(((1 + r) * scores[0] + (1 - r) * scores[1]) / 2)
    with_diagonal = MatrixLoss(include_diagonal=True)(x, y).parts
    assert with_diagonal["V absolute"] == pytest.approx((2 + 4 + 3) / 3)


def test_signs_and_order_of_components_do_not_matter():
    x, y = mdav("eia")
    before, after = (principal_components(np.corrcoef(frame.T)) for frame in (x, y))
    order = np.random.default_rng(1).permutation(10)
    sign = np.where(np.arange(10) % 2, -1.0, 1.0)
    turned = after._replace(
        loadings=after.loadings[:, order] * sign,
        scores=after.scores[:, order] * sign,
        vectors=after.vectors[:, order] * sign,
        eigenvalues=after.eigenvalues[order],
    )
    one, other = match_to(before, after, "similarity"), match_to(before, turned, "similarity")
    assert one.loadings == pytest.approx(other.loadings)
    assert one.scores == pytest.approx(other.scores)


def test_scores_have_unit_variance():
    x = original("eia").to_numpy()
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    scores = z @ principal_components(np.corrcoef(x.T)).scores
    assert scores.std(axis=0) == pytest.approx(1, abs=1e-6)


def test_without_a_link_everything_but_single_values_is_measured():
    x, y = mdav("eia")
    found = MatrixLoss()(x, y.sample(frac=1, random_state=1), linked=False)
    assert "X square" not in found.parts
    assert found.parts["F variation"] == pytest.approx(MatrixLoss()(x, y).parts["F variation"])
    assert "X is left out: nobody knows which rows belong together" in found.notes


def test_constant_columns():
    x = np.column_stack([np.random.default_rng(2).standard_normal((50, 3)), np.ones(50)])
    y = x.copy()
    y[:, 0] = 0
    found = MatrixLoss()(frame_of(x), frame_of(y))
    assert all(np.isfinite(value) for value in found.parts.values())
    assert "constant columns are left out of R, RF, C and F: x3" in found.notes
    assert "a column is constant in the protected file: its correlations count as 0" in found.notes


@pytest.mark.parametrize("weights", ["eigenvalue", "share", "one"])
def test_weights_of_components(weights: str):
    x, y = mdav("eia")
    found = MatrixLoss(weights=weights)(x, y).parts  # type: ignore[arg-type]
    plain = MatrixLoss(weights="one")(x, y).parts
    if weights == "share":
        assert found["RF absolute"] == pytest.approx(MatrixLoss()(x, y).parts["RF absolute"] / 10)
    assert (found["RF absolute"] == plain["RF absolute"]) == (weights == "one")
