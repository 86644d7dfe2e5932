from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microveil.core.errors import BadInput
from microveil.kernels.moments.scales import standardise

KINDS = ["zscore", "range", "robust", None]


def columns_of_three_scales(n: int = 300) -> np.ndarray:
    generator = np.random.default_rng(1)
    return np.column_stack([generator.normal(size=n), generator.exponential(size=n) * 1e9 + 1e12, np.full(n, 0.1)])


@pytest.mark.parametrize("kind", KINDS)
def test_inverse_restores(kind):
    X = columns_of_three_scales()
    before = X.copy()
    found = standardise(X, kind)
    back = found.inverse(found.values)
    assert (np.abs(back - X) <= 1e-15 * np.abs(X).max(axis=0)).all()
    assert np.array_equal(back[:, 2], X[:, 2])
    assert np.array_equal(X, before)


@given(arrays(np.float64, (7, 2), elements=st.floats(-1e6, 1e6, width=32)), st.sampled_from(KINDS))
def test_inverse_restores_anything(X, kind):
    found = standardise(X, kind)
    assert np.isfinite(found.values).all()
    size = np.abs(X).max() + 1.0
    assert np.abs(found.inverse(found.values) - X).max() <= 1e-12 * size


@pytest.mark.parametrize("n", [1, 2, 5, 129, 1000])
def test_columns_together_are_the_columns_alone(n):
    X = np.column_stack([columns_of_three_scales(n), np.round(columns_of_three_scales(n)[:, 0])])
    found = standardise(X)
    for j in range(X.shape[1]):
        alone = standardise(np.append(X[:, j], np.nan)[:, None])  # a gap takes the way of columns one by one
        assert np.array_equal(found.values[:, j], alone.values[:-1, 0])
        assert (found.centre[j], found.scale[j]) == (alone.centre[0], alone.scale[0])


def test_zscore_has_mean_0_and_sd_1():
    found = standardise(columns_of_three_scales())
    assert np.abs(found.values.mean(axis=0)).max() < 1e-12
    assert np.allclose(found.values.std(axis=0, ddof=1), [1, 1, 0])
    assert not found.values[:, 2].any()
    assert found.scale[2] == 0.0


def test_range_spans_zero_to_one():
    values = standardise(columns_of_three_scales(), "range").values[:, :2]
    assert values.min(axis=0).tolist() == [0, 0]
    assert values.max(axis=0).tolist() == [1, 1]


def test_robust_by_hand():
    found = standardise(np.array([[1.0], [2.0], [3.0], [4.0], [100.0]]), "robust")
    assert found.centre[0] == 3.0
    assert found.scale[0] == pytest.approx(1.482602218505602 * 1.0)


def test_robust_keeps_a_column_of_mostly_ties():
    x = np.zeros((10, 1))
    x[0] = 5.0
    found = standardise(x, "robust")
    assert found.scale[0] == pytest.approx(np.sqrt(np.pi / 2) * 0.5)
    assert np.array_equal(found.inverse(found.values), x)


def test_column_constant_up_to_rounding_becomes_zeros():
    x = np.array([[0.1 + 0.2], [0.3], [0.3]])
    assert x[0] != x[1]
    for kind in ("zscore", "range", "robust"):
        assert not standardise(x, kind).values.any()


def test_single_record_is_constant():
    found = standardise(np.array([[3.0, -1.0]]))
    assert found.values.tolist() == [[0.0, 0.0]]
    assert found.inverse(found.values).tolist() == [[3.0, -1.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_missing_stays_missing_and_does_not_count(kind):
    X = columns_of_three_scales()
    holes = np.vstack([X, np.full((4, 3), np.nan)])
    whole, with_holes = standardise(X, kind), standardise(holes, kind)
    assert np.array_equal(with_holes.values[:300], whole.values)
    assert np.isnan(with_holes.values[300:]).all()
    assert np.isnan(standardise(np.full((2, 1), np.nan), kind).values).all()


def test_unknown_kind():
    with pytest.raises(BadInput, match="kind='z' is not one of"):
        standardise(columns_of_three_scales(), "z")
