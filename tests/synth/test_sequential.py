"""Sequential synthesis: what trees and regressions share, and what each promises."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from microveil.core import BadInput, NotEnoughRecords
from microveil.data import Microdata
from microveil.synth import Cart, MultipleImputation, SequentialRegression, post_check

SYNTHESISERS = [Cart(), SequentialRegression()]
both = pytest.mark.parametrize("synthesiser", SYNTHESISERS, ids=["cart", "regression"])


def people_by_age(n=600, seed=0):
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 90, n).astype(float)
    marital = np.where(age < 12, "never", draw.choice(["never", "married", "widowed"], n))
    sex = draw.choice(["f", "m"], n)
    income = np.where(age < 16, 0.0, np.exp(8 + 0.01 * age + 0.5 * draw.normal(size=n))).round(2)
    return pd.DataFrame({"age": age, "sex": sex, "marital": marital, "income": income})


def with_(synthesiser, **settings):
    return type(synthesiser)(**settings)


@both
def test_rules_hold_in_every_record(synthesiser):
    rules = ("if age < 12: marital = 'never'", "if age < 16: income = 0")
    release = with_(synthesiser, rules=rules).apply(people_by_age(), seed=3)
    assert (release.origin == -1).all()
    found = post_check(people_by_age(), release, rules=rules)
    assert sum(found.rules.values()) == 0
    assert (release.frame.age < 12).sum() > 20
    assert release.frame[release.frame.age >= 12].marital.nunique() == 3


@both
def test_bounds_hold(synthesiser):
    after = with_(synthesiser, bounds={"income": (None, 4000), "age": (18, 65)}).apply(people_by_age(), seed=3).frame
    assert after.income.max() <= 4000
    assert after.age.between(18, 65).all()


@both
def test_a_later_column_in_a_rule_or_predictor_is_refused(synthesiser):
    with pytest.raises(BadInput, match="uses 'income', which is not known at that point"):
        with_(synthesiser, rules=("if income > 5: age = 3",)).apply(people_by_age())
    with pytest.raises(BadInput, match=r"predictors\['age'\]: \['income'\] are not known when 'age' is drawn"):
        with_(synthesiser, predictors={"age": ("income",)}).apply(people_by_age())
    release = with_(synthesiser, visit=("income",), rules=("if income > 5000: age = 50",)).apply(people_by_age())
    assert len(release.frame) == 600


@both
def test_without_predictors_columns_are_independent(synthesiser):
    draw = np.random.default_rng(1)
    x = draw.normal(size=3000)
    frame = pd.DataFrame({"x": x, "y": x + 0.1 * draw.normal(size=3000)})
    tied = with_(synthesiser).apply(frame, seed=1).frame
    loose = with_(synthesiser, predictors={"y": ()}).apply(frame, seed=1).frame
    assert tied.corr().iloc[0, 1] > 0.95
    assert abs(loose.corr().iloc[0, 1]) < 0.08


@both
def test_partial_synthesis_keeps_the_other_columns_and_cells(synthesiser):
    frame = people_by_age()
    release = synthesiser.apply(frame, columns=["income", "marital"], given=["age", "sex"], seed=1)
    assert (release.origin == np.arange(600)).all()
    assert (release.frame[["age", "sex"]] == frame[["age", "sex"]]).all().all()
    chosen = with_(synthesiser, cells={"income": "income > 5000"})
    after = chosen.apply(frame, columns=["income"], given=["age", "sex"], seed=1).frame
    rich = frame.income > 5000
    assert (after.income[~rich] == frame.income[~rich]).all()
    assert (after.income[rich] != frame.income[rich]).mean() > 0.9
    assert after.income[rich].min() > 4900
    with pytest.raises(NotEnoughRecords, match="at least 5 are needed to draw others"):
        with_(synthesiser, cells={"income": f"income >= {frame.income.nlargest(2).min()}"}).apply(
            frame, columns=["income"]
        )


@both
def test_missing_values_are_drawn_or_stay(synthesiser):
    frame = people_by_age()
    frame.loc[frame.age > 50, "income"] = np.nan
    frame.loc[::10, "sex"] = None
    after = synthesiser.apply(frame, seed=2, missing="mask").frame
    share = after.income.isna()[after.age > 55].mean(), after.income.isna()[after.age < 45].mean()
    assert share[0] > 0.8
    assert share[1] < 0.2
    assert 0.03 < after.sex.isna().mean() < 0.2
    partial = synthesiser.apply(frame, columns=["income"], given=["age", "sex"], seed=2, missing="mask").frame
    assert (partial.income.isna() == frame.income.isna()).all()


@both
def test_any_number_of_records_and_any_frame(synthesiser):
    assert len(with_(synthesiser, records=50).apply(people_by_age(), seed=1).frame) == 50
    after = with_(synthesiser, records=1500).apply(pl.from_pandas(people_by_age()), seed=1).frame
    assert isinstance(after, pl.DataFrame)
    assert len(after) == 1500
    with pytest.raises(BadInput, match="are kept, so that the records stay"):
        with_(synthesiser, records=50).apply(people_by_age(), columns=["income"], given=["age"])
    with pytest.raises(NotEnoughRecords, match="needs at least 5 records to learn from: 4 given"):
        synthesiser.apply(people_by_age(4))


@both
def test_strata_are_synthesised_apart(synthesiser):
    frame = people_by_age()
    frame["income"] += np.where(frame.sex == "f", 0, 1e6)
    after = synthesiser.apply(frame, columns=["age", "income"], by="sex", seed=1).frame
    assert (after.sex.value_counts() == frame.sex.value_counts()).all()
    assert ((after.income >= 1e6) == (after.sex == "m")).all()


# -- trees ---------------------------------------------------------------------------------------


def test_trees_without_smoothing_give_observed_values_only():
    frame = people_by_age()
    after = Cart(smooth=False).apply(frame, seed=1).frame
    assert np.isin(after.income, frame.income).all()


def test_smoothing_releases_no_unique_value():
    draw = np.random.default_rng(2)
    x = np.where(draw.random(800) < 0.3, 0.0, draw.gamma(2.0, 100.0, size=800))
    frame = pd.DataFrame({"g": draw.choice(list("abc"), 800), "x": x})
    after = Cart().apply(frame, seed=1).frame
    once = frame.x.value_counts()[lambda counts: counts == 1].index
    assert not np.isin(after.x, once).any()
    assert (after.x == 0).mean() == pytest.approx(0.3, abs=0.08)
    assert after.x.between(frame.x.min(), frame.x.max()).all()


def test_trees_find_relations_no_line_describes():
    draw = np.random.default_rng(3)
    x = draw.uniform(-2, 2, 2000)
    frame = pd.DataFrame({"x": x, "y": x**2 + 0.05 * draw.normal(size=2000), "z": np.where(np.abs(x) < 1, "in", "out")})
    after = Cart().apply(frame, seed=1).frame
    assert np.abs(after.y - after.x**2).mean() < 0.15
    assert ((after.z == "in") == (np.abs(after.x) < 1)).mean() > 0.98


# -- regressions ---------------------------------------------------------------------------------


def test_models_must_fit_their_columns():
    frame = people_by_age()
    with pytest.raises(BadInput, match=r"models\['age'\]='logistic' is for categories and the column is continuous"):
        SequentialRegression(models={"age": "logistic"}, visit=("sex",)).apply(frame)
    with pytest.raises(BadInput, match=r"models\['sex'\]='normal' is for numbers and the column is nominal"):
        SequentialRegression(models={"sex": "normal"}).apply(frame)
    with pytest.raises(BadInput, match=r"'logistic' is for two categories: 3 occur"):
        SequentialRegression(models={"marital": "logistic"}).apply(frame)
    with pytest.raises(BadInput, match=r"'count' needs whole numbers from 0 up"):
        SequentialRegression(models={"income": "count"}).apply(frame)


def test_columns_of_very_many_categories_are_left_to_trees():
    frame = people_by_age().assign(name=[f"person {i % 100}" for i in range(600)])
    with pytest.raises(BadInput, match=r"'name' has 100 categories and 60 are allowed \(most_levels\)"):
        SequentialRegression().apply(frame)
    assert Cart().apply(frame, seed=1).frame.name.nunique() > 30


def test_counts_and_semicontinuous_columns_keep_their_nature():
    draw = np.random.default_rng(4)
    x = draw.normal(size=2000)
    frame = pd.DataFrame({
        "x": x,
        "visits": draw.negative_binomial(2, 2 / (2 + np.exp(1 + 0.5 * x))).astype(float),
        "pay": np.where(draw.random(2000) < 1 / (1 + np.exp(-x)), 50 + 5 * x + draw.normal(size=2000), 0.0),
    })  # fmt: skip
    chosen = SequentialRegression(models={"visits": "count", "pay": "semicontinuous"}, scale="values")
    after = chosen.apply(Microdata(frame), seed=1).frame
    assert (after.visits == after.visits.round()).all()
    assert after.visits.mean() == pytest.approx(frame.visits.mean(), rel=0.1)
    assert after.visits.var() == pytest.approx(frame.visits.var(), rel=0.35)
    assert (after.pay == 0).mean() == pytest.approx((frame.pay == 0).mean(), abs=0.05)
    assert after.pay[after.pay != 0].min() > 25
    assert np.corrcoef(after.x, after.pay == 0)[0, 1] == pytest.approx(np.corrcoef(x, frame.pay == 0)[0, 1], abs=0.08)


def test_ordered_and_multinomial_categories_follow_their_predictors():
    draw = np.random.default_rng(5)
    x = draw.normal(size=4000)
    latent = 1.5 * x + draw.logistic(size=4000)
    levels = ["low", "middle", "high"]
    frame = pd.DataFrame({
        "x": x,
        "o": pd.Categorical.from_codes(np.digitize(latent, [-1.0, 1.5]), levels, ordered=True),
        "n": np.array(["a", "b", "c"])[np.argmax(np.outer(x, [0, 1, -1]) + draw.gumbel(size=(4000, 3)), axis=1)],
    })  # fmt: skip
    after = SequentialRegression().apply(frame, seed=1).frame
    for name in ("o", "n"):
        before_means, after_means = (f.groupby(name, observed=True).x.mean() for f in (frame, after))
        assert np.abs(before_means - after_means).max() < 0.12
        shares = frame[name].value_counts(normalize=True) - after[name].value_counts(normalize=True)
        assert shares.abs().max() < 0.03


@pytest.mark.full
@pytest.mark.parametrize("proper", [True, False])
def test_gaussian_data_keep_means_and_covariances_on_average(proper):
    V = np.array([[1.0, 0.6, 0.3], [0.6, 2.0, -0.4], [0.3, -0.4, 1.5]])
    X = np.random.default_rng(0).multivariate_normal([1, 2, 3], V, size=400)
    frame = pd.DataFrame(X, columns=list("abc"))
    method = SequentialRegression(scale="values", powers=1, proper=proper)
    found = [method.apply(frame, seed=seed).frame.to_numpy() for seed in range(200)]
    means = np.array([f.mean(axis=0) for f in found])
    covariances = np.array([np.cov(f.T) for f in found])
    for estimates, target in ((means, X.mean(axis=0)), (covariances, np.cov(X.T))):
        error = estimates.std(axis=0) / np.sqrt(len(estimates))
        assert (np.abs(estimates.mean(axis=0) - target) < 4 * error + 5e-3).all()


# -- multiple imputation -------------------------------------------------------------------------


def test_multiple_imputation_draws_new_people_with_their_background():
    frame = people_by_age()
    method = MultipleImputation(model=Cart())
    files = method.files(frame, 3, columns=["marital", "income"], given=["age", "sex"], seed=1)
    assert len(files) == 3
    assert all((file.origin == -1).all() for file in files)
    assert not files[0].frame.equals(files[1].frame)
    assert np.isin(files[0].frame.age, frame.age).all()
    assert files[0].frame.age.tolist() != frame.age.tolist()
    assert files[0].frame.notna().all().all()


def test_multiple_imputation_takes_its_units_from_the_population_frame():
    frame = people_by_age()
    population = pd.DataFrame({"age": np.arange(100.0, 1100.0), "sex": ["f", "m"] * 500})
    method = MultipleImputation(records=400)
    (file,) = method.files(frame, 1, columns=["marital", "income"], given=["age", "sex"], population=population, seed=1)
    assert len(file.frame) == 400
    assert file.frame.age.min() >= 100
    assert not file.frame.age.duplicated().any()
    with pytest.raises(BadInput, match=r"values of 'sex' that the sample lacks: \['x'\]"):
        method.files(frame, 1, columns=["income"], given=["sex"], population=pd.DataFrame({"sex": ["x"] * 900}))
    with pytest.raises(BadInput, match="400 records are asked for and the population frame has 10 units"):
        method.files(frame, 1, columns=["income"], given=["age"], population=population.head(10))
