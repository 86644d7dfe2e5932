"""Defects met in other tools (sdcMicro 5.8.1 in the first place), each with a test that ours does not have it.

Leaks through written files are tested in tests/io, replicated uniques in tests/risk.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment

import microveil as mv
from microveil.core import Measured, NotEnoughRecords, registered
from microveil.measure import Measure

RNG = np.random.default_rng(7)
N = 200
AMOUNTS = pd.DataFrame(RNG.lognormal(size=(N, 3)), columns=["a", "b", "c"])
COLLINEAR = AMOUNTS.assign(total=AMOUNTS["a"] + AMOUNTS["b"])
PEOPLE = pd.DataFrame(
    {
        "sex": RNG.choice(["f", "m"], N),
        "place": RNG.choice(list("abcd"), N, p=[0.5, 0.3, 0.15, 0.05]),
        "job": RNG.choice(list("uvwxyz"), N),
        "household": [f"h{i // 3}" for i in range(N)],
        "weight": np.full(N, 20.0),
        "illness": RNG.choice(["none", "some"], N),
    }
)
ROLES = {
    "sex": "key",
    "place": "key",
    "job": "key",
    "household": "household",
    "weight": "weight",
    "illness": "confidential",
}


@pytest.mark.parametrize("p", [1, 5, 20])
def test_01_the_width_of_a_rank_swap_in_per_cent_really_limits_it(p):
    released = mv.mask.RankSwap(p=p).apply(AMOUNTS, seed=1).frame
    shift = (released.rank() - AMOUNTS.rank()).abs().to_numpy().max()
    assert 0 < shift <= N * p / 100


def test_02_different_seeds_give_different_releases():
    found = {mv.mask.RankSwap(p=5).apply(AMOUNTS, seed=seed).frame.to_numpy().tobytes() for seed in range(80)}
    assert len(found) == 80


def test_03_linkage_does_not_depend_on_row_order():
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(AMOUNTS)
    order = RNG.permutation(N)
    for measure in (mv.risk.DistanceLinkage(), mv.risk.GlobalLinkage()):
        found = measure(AMOUNTS, release).value
        assert measure(AMOUNTS, release.frame.iloc[order], linked=order).value == pytest.approx(found, abs=1e-9)
        assert found <= 100 / 5 + 1e-9


def test_04_one_to_one_linkage_finds_the_cheapest_assignment():
    masked = AMOUNTS + RNG.normal(size=AMOUNTS.shape)
    X, Y = ((frame - frame.mean()) / frame.std() for frame in (AMOUNTS, masked))
    costs = np.linalg.norm(X.to_numpy()[:, None] - Y.to_numpy()[None], axis=2)
    rows, columns = linear_sum_assignment(costs)
    result = mv.risk.GlobalLinkage()(AMOUNTS, masked)
    assert result.value == pytest.approx(100 * np.mean(rows == columns), abs=1e-9)


def test_05_a_group_mean_is_over_the_observed_values():
    frame = pd.DataFrame({"x": [10.0, 12.0, 13.0, 14.0, None]})
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)).apply(frame, missing="mask")
    assert release.frame["x"].tolist()[:4] == [12.25] * 4
    assert np.isnan(release.frame["x"].iloc[4])


def test_06_microaggregation_of_categories_follows_k_and_gives_k_anonymity():
    keys = ["sex", "place", "job"]
    released = {
        k: mv.mask.Microaggregation(partition=mv.partition.MDAV(k=k)).apply(PEOPLE, columns=keys, seed=1).frame
        for k in (3, 10)
    }
    for k, frame in released.items():
        assert frame.groupby(keys).size().min() >= k
    assert not released[3][keys].equals(released[10][keys])


NOISE = (mv.mask.UncorrelatedNoise, mv.mask.CorrelatedNoise, mv.mask.KimNoise, mv.mask.ExactNoise)


@pytest.mark.parametrize("method", NOISE)
def test_07_noise_is_random(method):
    first, other = (method(p=0.3).apply(AMOUNTS, seed=seed).frame for seed in (1, 2))
    assert not np.isclose(first, other).any()


@pytest.mark.parametrize("method", NOISE[:2])
def test_08_the_size_of_noise_means_the_same_in_every_method(method):
    frame = pd.DataFrame(RNG.normal(size=(20_000, 3)) * [1.0, 10.0, 100.0], columns=list("abc"))
    noise = method(p=0.5).apply(frame, seed=1).frame - frame
    assert np.allclose(noise.std() / frame.std(), 0.5, rtol=0.03)


def test_08b_transformed_noise_has_the_same_size_before_its_transformation():
    frame = pd.DataFrame(RNG.normal(size=(20_000, 2)), columns=list("ab"))
    for method in NOISE[2:]:
        released = method(p=0.5).apply(frame, seed=1).frame
        correlation = [np.corrcoef(frame[name], released[name])[0, 1] for name in frame]
        assert np.allclose(correlation, 1 / np.sqrt(1 + 0.25), atol=0.01)


def test_09_strata_smaller_than_k_are_refused():
    frame = AMOUNTS.assign(stratum=["small"] * 2 + ["large"] * (N - 2))
    with pytest.raises(NotEnoughRecords, match=r"in the subdomain stratum=small: .*k=3"):
        mv.mask.Microaggregation(partition=mv.partition.MDAV(k=3)).apply(frame, columns=["a", "b"], by="stratum")


def test_10_collinear_data_survive_every_measure_and_the_matrix_methods():
    masked = COLLINEAR + 0.1 * RNG.normal(size=COLLINEAR.shape)
    for line in mv.evaluate(COLLINEAR, masked).lines:
        assert not isinstance(line.result, Measured) or np.isfinite(line.result.value), line.title
    for method in (mv.mask.ExactNoise(p=0.3), mv.mask.RandomOrthogonal(), mv.mask.CorrelatedNoise(p=0.3)):
        released = method.apply(COLLINEAR, seed=1).frame
        assert np.allclose(released["total"], released["a"] + released["b"])


def test_11_losses_are_means_and_zeros_are_counted_in_the_open():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0, 5.0]})
    changed = frame.assign(x=[1e6, 1.0, 2.0, 3.0])
    result = mv.loss.InformationLoss()(frame, changed)
    assert any("0" in note and "1 of them changed" in note for note in result.notes)
    assert mv.loss.PIL()(frame, changed).value <= 100


def test_12_change_of_values_is_free_of_units_and_of_types():
    integers = pd.DataFrame({"x": np.arange(100), "y": np.arange(100) ** 2})
    noise = RNG.normal(size=integers.shape) * integers.std().to_numpy()
    slight, strong = integers + 0.01 * noise, integers + noise
    measure = mv.loss.ValueChange()
    assert measure(integers, slight).value < 0.1 < measure(integers, strong).value
    scaled = measure(integers * 1000, slight * 1000).value
    assert scaled == pytest.approx(measure(integers, slight).value)


def test_13_a_missing_cell_is_never_a_disclosure():
    gone = AMOUNTS.assign(a=np.nan)
    result = mv.risk.SDInterval()(AMOUNTS, gone, columns=["a"])
    assert not isinstance(result, Measured) or result.value == 0


@pytest.mark.parametrize("cls", [cls for cls in registered(Measure) if cls.family == "risk"], ids=lambda cls: cls.name)
def test_14_no_risk_leaves_its_bounds(cls):
    data = mv.Microdata(pd.concat([PEOPLE, AMOUNTS], axis=1), roles=ROLES)
    masked = mv.Microdata(pd.concat([PEOPLE, AMOUNTS * 1.05], axis=1), roles=ROLES)
    result = cls()(data, masked)
    if isinstance(result, Measured):
        assert result.bounds[0] <= result.value <= result.bounds[1]


def test_15_tables_are_compared_in_their_inner_cells():
    before = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})
    after = before.assign(y=list("uuvv"))  # margins equal, inner cells not
    assert mv.loss.ContingencyLoss(order=1)(before, after).value == 0
    assert mv.loss.ContingencyLoss(order=2)(before, after).value > 0


def test_16_key_combinations_of_different_sizes_give_different_tables():
    data = mv.Microdata(PEOPLE, roles=ROLES)
    single = mv.risk.KeyRanking(sizes=[1])(data).parts
    pairs = mv.risk.KeyRanking(sizes=[2])(data).parts
    assert set(single) != set(pairs)


def test_17_diversity_within_values_of_other_sensitive_columns_is_not_zero():
    data = mv.Microdata(PEOPLE, roles={**ROLES, "job": "confidential"})
    result = mv.risk.LDiversity(keys=["sex"], multi=True)(data)
    assert result.value >= 1
    assert all(result.parts[name] >= 1 for name in ("job", "illness"))


def test_18_households_may_be_text():
    data = mv.Microdata(PEOPLE, roles=ROLES)
    assert data.households.max() == (N - 1) // 3
    assert isinstance(mv.risk.IndividualRisk()(data), Measured)


@pytest.mark.parametrize("model", ["pitman", "zayatz", "snb", "log-linear"])
def test_19_population_models_give_numbers_or_reasons(model):
    result = mv.risk.PopulationUniqueness(model=model, population=20.0 * N)(mv.Microdata(PEOPLE, roles=ROLES))
    assert not isinstance(result, Measured) or np.isfinite(result.value)


def test_20_k_after_suppression_is_told_in_both_readings_and_guaranteed_in_the_stricter():
    data = mv.Microdata(PEOPLE, roles=ROLES)
    release = mv.mask.LocalSuppression(k=3).apply(data, seed=1)
    assert mv.risk.KAnonymity(missing="own")(data, release).value >= 3
    assert mv.risk.KAnonymity(missing="wildcard")(data, release).value >= 3


def test_21_generated_normals_have_exactly_the_covariances_promised():
    released = mv.mask.RandomOrthogonal().apply(AMOUNTS, seed=1).frame
    assert np.allclose(released.cov(), AMOUNTS.cov(), rtol=1e-9)
    assert np.allclose(released.mean(), AMOUNTS.mean(), rtol=1e-9)


def test_22_numbers_left_untouched_are_seen_as_a_risk():
    figures = mv.evaluate(AMOUNTS, AMOUNTS.copy())
    assert figures["DistanceLinkage"].value == 100
    assert figures["RankInterval"].value == 100
    assert figures["PIL"].value == 0
