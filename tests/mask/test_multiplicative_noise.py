"""Multiplicative noise and noise on normal scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.mask import MultiplicativeNoise, SullivanNoise
from microveil.mask.multiplicative_noise import balance_changes


def sales_and_costs(n=400):
    generator = np.random.default_rng(0)
    sales = generator.lognormal(8, 1.5, n)
    cost = sales * generator.uniform(0.5, 0.9, n)
    sales[:20] = 0
    return pd.DataFrame({"sales": sales, "cost": cost})


def test_plain_factors_have_mean_one_and_the_asked_spread():
    frame = sales_and_costs(50_000)
    masked = MultiplicativeNoise(p=0.2).apply(frame, seed=1).frame
    factor = (masked / frame)["cost"]
    assert factor.mean() == pytest.approx(1, abs=0.005)
    assert factor.std() == pytest.approx(0.2, rel=0.03)
    assert (masked["sales"][:20] == 0).all()


def test_hoehne_moves_every_value_and_none_too_far():
    frame = sales_and_costs()
    masked = MultiplicativeNoise(kind="hoehne", p=0.1, spread=0.03).apply(frame, seed=1).frame
    factor = (masked["cost"] / frame["cost"]).to_numpy()
    assert np.abs(factor - 1).max() <= 0.13
    assert np.abs(factor - 1).min() >= 0.07
    both = np.sign(masked["sales"][20:] - frame["sales"][20:]) == np.sign(masked["cost"][20:] - frame["cost"][20:])
    assert both.all()


def test_rescaling_restores_means_and_variances():
    frame = sales_and_costs()
    masked = MultiplicativeNoise(kind="hoehne", rescale=True).apply(frame, seed=1).frame
    assert masked.var().to_numpy() == pytest.approx(frame.var().to_numpy(), rel=1e-9)
    assert masked.mean().to_numpy() == pytest.approx(frame.mean().to_numpy(), rel=1e-9)


def test_balanced_noise_keeps_totals():
    frame = sales_and_costs()
    masked = MultiplicativeNoise(kind="balanced").apply(frame, seed=1).frame
    assert masked.sum().to_numpy() == pytest.approx(frame.sum().to_numpy(), rel=1e-12)
    assert (masked["sales"][:20] == 0).all()
    changed = (masked["cost"] - frame["cost"]).abs() / frame["cost"]
    assert np.sort(changed)[:-1].max() <= 0.125 + 1e-9


def test_balanced_by_hand():
    x, sizes = np.array([100.0, 50.0, 40.0, 10.0, 0.0]), np.full(5, 0.1)
    # 100 down 10, 50 up 5, 40 up 4, 10 up 1; nothing is left over
    assert balance_changes(x, sizes).tolist() == [90.0, 55.0, 44.0, 11.0, 0.0]
    assert balance_changes(np.array([5.0, np.nan]), np.full(2, 0.1))[0] == 5.0


def test_noise_on_logarithms_keeps_values_positive():
    frame = sales_and_costs()[["cost"]]
    masked = MultiplicativeNoise(kind="log", p=0.3).apply(frame, seed=1).frame
    assert (masked > 0).all().all()
    assert np.log(masked["cost"] / frame["cost"]).std() == pytest.approx(0.3 * np.log(frame["cost"]).std(), rel=0.1)
    frame = sales_and_costs().assign(debt=-sales_and_costs()["cost"], fixed=5.0)
    masked = MultiplicativeNoise(kind="log", p=0.3).apply(frame, seed=1).frame
    assert (masked["sales"][:20] == 0).all()
    assert (masked["debt"] < 0).all()
    assert (masked["fixed"] == 5.0).all()


def test_multiplicative_parameters_that_exclude_each_other():
    with pytest.raises(BadInput, match="must be below p/2"):
        MultiplicativeNoise(kind="hoehne", p=0.1, spread=0.06)
    with pytest.raises(BadInput, match="rescale=True needs kind='plain' or 'hoehne' or 'log'; kind is 'balanced'"):
        MultiplicativeNoise(kind="balanced", rescale=True)


def test_scores_with_exact_values_keep_every_column():
    frame = sales_and_costs()
    masked = SullivanNoise(marginal="exact").apply(frame, seed=1).frame
    for name in frame:
        assert sorted(masked[name]) == sorted(frame[name])


def test_more_noise_on_scores_means_less_rank_correlation():
    frame = sales_and_costs(1000)
    found = []
    for p in (0.1, 0.3, 1.0):
        masked = SullivanNoise(p=p, marginal="exact").apply(frame, seed=1).frame
        found.append(masked["cost"].corr(frame["cost"], method="spearman"))
    assert found == sorted(found, reverse=True)


def test_scores_stay_in_range_and_keep_correlations():
    frame = sales_and_costs(1500)
    frame["stock"] = frame["cost"] * np.random.default_rng(1).lognormal(0, 0.5, 1500)
    masked = SullivanNoise(p=0.3).apply(frame, seed=1).frame
    assert (masked.min() >= frame.min()).all()
    assert (masked.max() <= frame.max()).all()
    assert masked.corr("spearman").to_numpy() == pytest.approx(frame.corr("spearman").to_numpy(), abs=0.1)
    assert np.sort(masked["cost"])[50::100] == pytest.approx(np.sort(frame["cost"])[50::100], rel=0.35)


def test_discrete_and_constant_columns():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"g": generator.choice(["lo", "mid", "hi"], 300), "x": generator.normal(size=300), "k": 7.0})
    data = Microdata(frame, levels={"g": ["lo", "mid", "hi"]})
    for marginal in ("smooth", "exact"):
        masked = SullivanNoise(p=0.5, marginal=marginal).apply(data, seed=1).frame
        assert set(masked["g"]) <= {"lo", "mid", "hi"}
        assert (masked["k"] == 7.0).all()
        assert (masked["g"] != frame["g"]).any()


def test_records_that_hardly_moved_are_drawn_again():
    frame = sales_and_costs(300)
    masked = SullivanNoise(p=0.5, min_move=0.2, rounds=0).apply(frame, seed=1).frame
    plain = SullivanNoise(p=0.5, rounds=0).apply(frame, seed=1).frame
    assert not masked.equals(plain)


def test_a_column_without_any_value_stays_empty():
    frame = sales_and_costs(60).assign(empty=np.nan)
    data = Microdata(frame, kinds={"empty": "continuous"})
    released = MultiplicativeNoise().apply(data, columns=["cost", "empty"], missing="mask", seed=1).frame
    assert released["empty"].isna().all()
    assert (released["cost"] != frame["cost"]).all()
