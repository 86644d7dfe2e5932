from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, multivariate_t

from microveil.core.errors import BadInput
from microveil.kernels.mixture.em import fit_mixture, floor_weights, log_memberships, start_fit
from microveil.kernels.mixture.families import FAMILIES, covariance_parameters, covariances_of
from tests.reference import shared_file

NUMBERS = ["age", "tsh", "t3", "t4u", "fti"]
CLASSIC = FAMILIES[:10]
LOOSE = {"VEE": 0.05, "EVE": 0.05}  # both tools iterate inside an iteration and stop by rules of their own


def thyroid() -> np.ndarray:
    X = pd.read_csv(shared_file("data", "thyroid.csv"))[NUMBERS].to_numpy(float)
    return np.ascontiguousarray(X - X.mean(axis=0))


def oracle(name: str) -> pd.DataFrame:
    return pd.read_csv(shared_file("oracles", "local_synthesis", f"thyroid_{name}.csv"))


def two_clusters(n: int = 200, p: int = 3, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    labels = (np.arange(n) % 3 == 0).astype(np.int64)
    X = draw.normal(size=(n, p)) @ draw.normal(size=(p, p)) + 4.0 * labels[:, None]
    return X, labels


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "VVE"])
def test_bic_from_the_hierarchical_partitions_is_that_of_another_tool(family: str):
    X, starts, bics = thyroid(), oracle("hc_VVV_vars_partitions"), oracle("mclust_bic")
    expected = bics[(bics.hcUse == "VARS") & (bics.model == family)].set_index("G").bic
    for groups in (2, 4, 6):
        fit = fit_mixture(X, starts[f"X{groups}"].to_numpy() - 1, family)
        assert fit is not None
        assert fit.bic == pytest.approx(expected[groups], abs=LOOSE.get(family, 1e-6))


def test_vve_finds_a_higher_likelihood_than_the_other_tool():
    X, starts, bics = thyroid(), oracle("hc_VVV_vars_partitions"), oracle("mclust_bic")
    expected = bics[(bics.hcUse == "VARS") & (bics.model == "VVE")].set_index("G").bic
    fit = fit_mixture(X, starts["X4"].to_numpy() - 1, "VVE")
    assert fit is not None
    assert fit.bic > expected[4]


def test_the_published_clusters_of_thyroid():
    X, start, found = thyroid(), oracle("hc_VVV_vars_partitions"), oracle("mclust_VVV6_labels")
    fit = fit_mixture(X, start["X6"].to_numpy() - 1, "VVV")
    assert fit is not None
    assert fit.bic == pytest.approx(-45090.356, abs=5e-4)
    memberships = np.exp(log_memberships(X, fit))
    assert (memberships.argmax(axis=1) == found.cluster.to_numpy() - 1).all()
    assert np.bincount(memberships.argmax(axis=1)).tolist() == [179, 232, 440, 325, 708, 63]
    assert np.abs(memberships - found.filter(like="X").to_numpy()).max() < 1e-8
    # the tool reports the weights of one more step
    assert memberships.mean(axis=0) == pytest.approx(
        oracle("mclust_VVV6_parameters").query("stat == 'pro'").value.to_numpy()
    )


def test_floor_of_the_weights():
    weights = np.array([0.02, 0.05, 0.10, 0.20, 0.30, 0.33])
    floored = floor_weights(weights, 60 / 1000)
    assert np.round(floored, 4).tolist() == [0.06, 0.0818, 0.1182, 0.1909, 0.2636, 0.2855]
    assert floored.sum() == pytest.approx(1)
    assert floor_weights(weights, 0.02) is weights
    with pytest.raises(BadInput, match=r"6 components cannot all have a weight of at least 0.2"):
        floor_weights(weights, 0.2)


def test_the_floor_holds_in_the_fit():
    X, labels = two_clusters()
    fit = fit_mixture(X, labels, "VVV", floor=0.45)
    assert fit is not None
    assert fit.weights.min() == pytest.approx(0.45)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("degrees", [np.inf, 5.0, None])
def test_likelihood_never_falls_without_a_floor(family: str, degrees: float | None):
    X, labels = two_clusters()
    fit = fit_mixture(X, labels, family, degrees=degrees, tolerance=1e-9, iterations=40)
    assert fit is not None
    assert np.diff(fit.path).min(initial=0.0) > -1e-7 * abs(fit.path[-1])


def test_one_component_has_the_closed_form():
    X, _ = two_clusters()
    n, p = X.shape
    everyone = np.zeros(n, dtype=np.int64)
    for family, S in (
        ("VVV", np.cov(X.T, ddof=0)),
        ("VVI", np.diag(X.var(axis=0))),
        ("EII", np.eye(p) * X.var(axis=0).mean()),
    ):
        fit = fit_mixture(X, everyone, family)
        assert fit is not None
        likelihood = multivariate_normal(X.mean(axis=0), S).logpdf(X).sum()
        free = {"VVV": p * (p + 1) // 2, "VVI": p, "EII": 1}[family] + p
        assert fit.bic == pytest.approx(2 * likelihood - free * np.log(n))


def test_likelihood_and_memberships_of_t_components():
    X, labels = two_clusters()
    fit = fit_mixture(X, labels, "VVV", degrees=4.0)
    assert fit is not None
    parts = np.column_stack([
        w * multivariate_t(m, S, df=4.0).pdf(X)
        for w, m, S in zip(fit.weights, fit.means, fit.covariances, strict=True)
    ])  # fmt: skip
    assert fit.path[-1] == pytest.approx(np.log(parts.sum(axis=1)).sum())
    assert np.exp(log_memberships(X, fit)) == pytest.approx(parts / parts.sum(axis=1, keepdims=True))


def test_degrees_of_freedom_are_found():
    X = multivariate_t(np.zeros(2), np.eye(2), df=3, seed=1).rvs(4000)
    fit = fit_mixture(X, np.zeros(4000, dtype=np.int64), "VVV", degrees=None, tolerance=1e-9)
    assert fit is not None
    assert fit.degrees[0] == pytest.approx(3, abs=0.4)


@pytest.mark.parametrize("family", FAMILIES)
def test_covariances_are_the_most_likely_of_their_family(family: str):
    draw = np.random.default_rng(4)
    counts = np.array([40.0, 70.0, 25.0])
    scatters = np.array([n * np.cov(draw.normal(size=(3, 30)) * draw.random((3, 1))) for n in counts])
    best = covariances_of(family, scatters, counts)

    def log_likelihood(S: np.ndarray) -> float:
        _, size = np.linalg.slogdet(S)
        return float(-0.5 * (counts @ size + np.einsum("gab,gba->", np.linalg.inv(S), scatters)))

    # any member of the family is the estimate of some other scatters
    for _ in range(50):
        other = np.array(
            [W + 0.05 * n * np.cov(draw.normal(size=(3, 9))) for W, n in zip(scatters, counts, strict=True)]
        )
        assert log_likelihood(covariances_of(family, other, counts)) <= log_likelihood(best) + 1e-6


def test_numbers_of_parameters():
    found = {family: covariance_parameters(family, 3, 4) for family in FAMILIES}
    assert found == {
        "EII": 1, "VII": 3, "EEI": 4, "VEI": 6, "EVI": 10, "VVI": 12, "EEE": 10, "EEV": 22, "VEV": 24, "VVV": 30,
        "VEE": 12, "EVE": 16, "VVE": 18, "EVV": 28,
    }  # fmt: skip


@pytest.mark.parametrize("family", ["VVV", "VII", "VVI", "VEV", "EVI", "EVV", "EVE", "VVE", "VEE"])
def test_a_component_of_equal_records_is_out(family: str):
    X, _ = two_clusters(60)
    X[:20] = X[0]
    labels = (np.arange(60) >= 20).astype(np.int64)
    assert fit_mixture(X, labels, family) is None
    assert start_fit(X, labels, family) is None


def test_far_from_zero_nothing_changes():
    X, labels = two_clusters()
    near, far = (fit_mixture(Y - Y.mean(axis=0), labels, "VVV") for Y in (X, np.round(X, 3) + 1e9))
    assert near is not None
    assert far is not None
    assert far.bic == pytest.approx(near.bic, rel=1e-3)
