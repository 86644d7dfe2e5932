from __future__ import annotations

import numpy as np
import pytest

from microveil.loss import Eigenvalues
from tests.loss.files import frame_of
from tests.reference import SIX, masked_pair, original


@pytest.mark.parametrize("which", ["noise20", "mdav5"])
def test_agrees_with_another_tool(which: str):
    x, y, figures = masked_pair(which)
    found = Eigenvalues()(x, y, columns=SIX)
    assert found.value == pytest.approx(figures["eigen_6vars"], rel=1e-9)
    assert found.parts["gamma"] == pytest.approx(figures["IL_correl_6vars"], rel=1e-9)


def test_singular_correlations_give_a_figure_not_an_explosion():
    x, y, _ = masked_pair("noise20")
    found = Eigenvalues()(x, y)
    assert 0 < found.value < 20
    assert "gamma" not in found.parts
    assert found.parts["opened"] > 0
    assert "eigenvalues that are 0 in the original are left out: 1" in found.notes
    assert "gamma is not defined: a correlation matrix cannot be inverted" in found.notes


@pytest.mark.parametrize("name", ["census", "eia"])
def test_identity_is_zero(name: str):
    x = original(name)
    found = Eigenvalues()(x, x.sample(frac=1, random_state=1))
    assert found.value == 0
    assert found.parts.get("gamma", 0) == 0


def test_gamma_is_bounded_and_constants_left_out():
    generator = np.random.default_rng(1)
    x = generator.standard_normal((100, 3))
    y = np.column_stack([x[:, 0], x[:, 0] + 0.01 * x[:, 1], x[:, 2]])
    found = Eigenvalues()(frame_of(x).assign(c=1.0), frame_of(y).assign(c=1.0))
    assert 0 < found.parts["gamma"] <= 1
    assert "constant columns are left out: c" in found.notes
