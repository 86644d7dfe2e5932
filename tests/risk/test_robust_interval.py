"""Interval disclosure around outliers, and the robust covariance behind it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammainc
from scipy.stats import chi2

import microveil as mv
from microveil.kernels.moments.robust import robust_moments, squared_distances
from microveil.risk.robust_interval import outlyingness
from tests.reference import SIX, masked_pair


def reweighted(x: np.ndarray) -> tuple[float, float]:
    """The minimum covariance determinant of one attribute: the half of least variance is a run of sorted values."""
    x = np.sort(x)
    most = (len(x) + 2) // 2
    runs = [x[i : i + most] for i in range(len(x) - most + 1)]
    best = min(runs, key=lambda run: run.var())
    share = most / len(x)
    variance = best.var(ddof=1) * share / gammainc(1.5, chi2.ppf(share, 1) / 2)
    inside = x[(x - best.mean()) ** 2 / variance <= chi2.ppf(0.975, 1)]
    return inside.mean(), inside.var(ddof=1) * 0.975 / gammainc(1.5, chi2.ppf(0.975, 1) / 2)


@pytest.mark.parametrize("seed", range(4))
def test_one_attribute_by_looking_at_every_half(seed: int) -> None:
    x = np.concatenate([np.random.default_rng(seed).normal(5.0, 2.0, 50), [80.0, 90.0, 100.0]])
    mean, covariance = robust_moments(x[:, None])
    expected = reweighted(x)
    assert (mean[0], covariance[0, 0]) == pytest.approx(expected)


def test_outliers_do_not_hide_themselves() -> None:
    rng = np.random.default_rng(2)
    V = np.array([[4.0, 1.0], [1.0, 1.0]])
    X = rng.multivariate_normal([10.0, 0.0], V, 4000)
    mean, covariance = robust_moments(X)
    assert covariance == pytest.approx(V, rel=0.1)
    X[:800] = [60.0, -40.0]
    mean, covariance = robust_moments(X)
    assert mean == pytest.approx([10.0, 0.0], abs=0.2)
    assert covariance == pytest.approx(V, rel=0.15)
    assert robust_moments(X[rng.permutation(4000)])[1].tolist() == covariance.tolist()


def test_attributes_that_depend_on_others_are_allowed() -> None:
    X = np.random.default_rng(3).normal(size=(200, 2))
    X[:20] += 10
    alone = squared_distances(X, *robust_moments(X))
    with_sum = np.column_stack([X, X.sum(axis=1)])
    found = squared_distances(with_sum, *robust_moments(with_sum))
    assert found == pytest.approx(alone, rel=0.3)  # the search begins elsewhere in other coordinates
    assert (found[:20] > 50).all()
    assert (found[20:] < 50).all()


@pytest.fixture
def files() -> tuple[pd.DataFrame, pd.DataFrame]:
    draw = np.random.default_rng(4)
    before = pd.DataFrame(draw.normal(size=(100, 2)), columns=["a", "b"])
    before.iloc[0] = [30.0, 30.0]
    return before, before + np.where(np.arange(100) % 2, 0.1, -0.1)[:, None] * [1.0, 4.0]


def test_disclosed_cells_by_hand(files) -> None:
    before, after = files
    X = before.to_numpy() / before.std().to_numpy()
    reach = np.sqrt(squared_distances(X, *robust_moments(X)))
    change = np.abs(after - before).to_numpy() / before.std().to_numpy()
    near = change <= 0.04 * reach[:, None]
    measure = mv.risk.RobustInterval(widths=(4.0,))
    assert 20 < measure(before, after).value < 80
    assert measure(before, after).value == pytest.approx(100 * near.mean())
    assert near[0].all()  # the outlier is recognised
    some = mv.risk.RobustInterval(widths=(4.0,), rule="any")(before, after)
    assert some.value == pytest.approx(100 * near.any(axis=1).mean())
    assert measure(before, before).value == 100.0


def test_a_crowd_makes_safe(files) -> None:
    before, _ = files
    together = pd.concat([before, before.iloc[1:31]], ignore_index=True)
    measure = mv.risk.RobustInterval(crowd=1, crowd_within=1e-6)
    assert measure(together, together).value == pytest.approx(100 * 70 / 130)
    assert mv.risk.RobustInterval(crowd=2, crowd_within=1e-6)(together, together).value == 100.0


def test_gaps_and_few_records(files) -> None:
    before, after = files
    holes = before.to_numpy().copy()
    holes[1, 0] = np.nan
    centre, covariance = robust_moments(np.delete(holes, 1, axis=0))
    expected = np.sqrt(2 * (holes[1, 1] - centre[1]) ** 2 / covariance[1, 1])
    assert outlyingness(holes, True)[1] == pytest.approx(expected)
    assert "too few to tell outliers" in mv.risk.RobustInterval()(before.iloc[:5], after.iloc[:5]).reason


@pytest.mark.parametrize(("name", "first", "second"), [("noise20", 98.98, 98.98), ("mdav5", 98.52, 0.0)])
def test_near_other_software_on_census(name: str, first: float, second: float) -> None:
    before, after = (file[SIX] for file in masked_pair(name)[:2])
    how = {"widths": (3.5,), "rule": "any", "standardise": "own", "centre": "mean"}
    # its covariance has corrections for small samples that are not made here
    assert mv.risk.RobustInterval(**how)(before, after).value == pytest.approx(first, abs=1.0)
    assert mv.risk.RobustInterval(**how, crowd=1)(before, after).value == pytest.approx(second, abs=1.0)
