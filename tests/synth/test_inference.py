"""Combining rules, comparison of regressions, coverage, and the checks after synthesis."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from microveil.core import BadInput
from microveil.data import Microdata
from microveil.loss import Propensity
from microveil.loss.counts import count_both, table_distances
from microveil.synth import Cart, MultipleImputation, SequentialRegression, combine, compare, post_check
from tests.reference import thyroid

FORMULA = "fti ~ age + tsh + t3 + t4u"


def test_the_rules_on_round_numbers():
    full = combine([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], "full")
    assert full.estimate[0] == 2
    assert full.between[0] == 1
    assert full.variance[0] == pytest.approx(4 / 3 - 0.5)
    assert full.freedom[0] == pytest.approx(2 * (1 - 0.5 / (4 / 3)) ** 2)
    partial = combine([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], "partial")
    assert partial.variance[0] == pytest.approx(0.5 + 1 / 3)
    assert partial.freedom[0] == pytest.approx(2 * (1 + 0.5 * 3) ** 2)
    low, high = partial.interval(0.9)
    half = stats.t.ppf(0.95, partial.freedom[0]) * np.sqrt(partial.variance[0])
    assert (high - low)[0] == pytest.approx(2 * half)
    adjusted = combine([1.0, 1.1], [0.5, 0.5], "full", records=200, original_records=100)
    assert adjusted.adjusted[0]
    assert adjusted.variance[0] == pytest.approx(1.0)
    assert combine([1.0], [0.5], "plug-in").variance[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (([1.0], [0.5], "partial"), "needs at least 2; for one file use synthesis='plug-in'"),
        (([1.0, np.nan], [0.5, 0.5], "partial"), "without gaps"),
        (([1.0, 2.0], [0.5, -0.5], "partial"), "variances >= 0"),
        (([1.0, 2.0], [0.5, 0.5], "other"), r"synthesis='other' is not one of \['full', 'partial', 'plug-in'\]"),
    ],
)
def test_what_cannot_be_combined_is_refused(wrong, message):
    with pytest.raises(BadInput, match=message):
        combine(*wrong)


def test_a_joint_test_of_one_estimand_is_its_t_test():
    q, u = [[1.0], [1.4], [0.7], [1.2], [0.9], [1.1]], [[[0.3]]] * 6
    found = combine(q, u, "partial")
    statistic, p, freedom = found.test(0.2)
    assert statistic == pytest.approx((found.estimate[0] - 0.2) ** 2 / found.variance[0])
    assert freedom[0] == 1
    assert p == pytest.approx(stats.f.sf(statistic, 1, freedom[1]))
    spread = combine([[0.0], [4.0], [-3.0], [2.0], [-5.0], [6.0]], u, "full")
    assert spread.test(0.2)[0] == pytest.approx((spread.estimate[0] - 0.2) ** 2 / spread.variance[0])


# -- another tool's three files -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("expected", {"synthesis": "plug-in", "target": "original"}),
        ("population", {"synthesis": "plug-in"}),
        ("population_incomplete", {"synthesis": "partial"}),
    ],
)
def test_combined_regressions_agree_with_another_tool(key, rule):
    x, synthetic, figures = thyroid()
    found = compare(x, synthetic, FORMULA, **rule)
    for each, b, v in zip(found.each, figures["lm_fti"]["coef_each"], figures["lm_fti"]["var_each"], strict=True):
        assert each.values == pytest.approx(b, rel=1e-9)
        assert np.diag(each.covariance) == pytest.approx(v, rel=1e-9)
    expected = np.array(figures["lm_fti"][key])
    assert found.combined.estimate == pytest.approx(expected[:, 0], rel=1e-9)
    assert found.combined.error == pytest.approx(expected[:, 1], rel=1e-9)
    ratio = found.combined.estimate / found.combined.error
    assert ratio == pytest.approx(expected[:, 2], rel=1e-9)
    if key != "population_incomplete":
        assert found.combined.p_value == pytest.approx(expected[:, 3], rel=1e-7)


def test_the_comparison_with_the_original_agrees_with_another_tool():
    x, synthetic, figures = thyroid()
    expected = figures["compare_lm_fti"]
    found = compare(x, synthetic, FORMULA, synthesis="plug-in", target="original")
    original = np.array(expected["coef_obs"])
    assert found.original.values == pytest.approx(original[:, 0], rel=1e-9)
    assert found.original.errors == pytest.approx(original[:, 1], rel=1e-9)
    differences = np.array(expected["coef_diff"])
    assert found.difference == pytest.approx(differences[:, 2], rel=1e-9)
    assert found.standardised_difference == pytest.approx(differences[:, 3], rel=1e-9)
    assert np.abs(found.standardised_difference).mean() == pytest.approx(expected["mean_abs_std_diff"], rel=1e-9)
    overlaps = [row["CI overlap"] for row in expected["ci_overlap"]]
    assert found.overlap == pytest.approx(overlaps, rel=1e-9)
    assert found.overlap.mean() == pytest.approx(expected["mean_ci_overlap"], rel=1e-9)
    assert found.lack_of_fit[0] == pytest.approx(expected["lack_of_fit"], rel=1e-9)
    assert "(intercept)" in repr(found)
    assert "mean overlap 0.335" in repr(found)


def test_replicated_uniques_of_another_tools_files():
    x, synthetic, _ = thyroid()
    keys = ["male", "age", "on_thyroxine", "sick", "fti"]
    assert [len(post_check(x, y, keys=keys).replicated) for y in synthetic] == [245, 216, 220]


def typed(x):
    flags = ("male", "on_thyroxine", "sick", "query_hyperthyroid", "psych")
    return Microdata(x, kinds={**dict.fromkeys(flags, "nominal"), "age": "continuous"})


def utilities(x, y):
    """Propensity with main effects and with pairs, and the table of three flags by age, all relative to chance."""
    cuts = np.quantile(x["age"], [0.2, 0.4, 0.6, 0.8])
    codes = [
        [np.digitize(f["age"], cuts), *(f[name].to_numpy(dtype=np.int64) for name in ("male", "on_thyroxine", "sick"))]
        for f in (x, y)
    ]
    table = table_distances(*count_both(*codes))
    return np.array([
        Propensity(order=1)(x, y).value,
        Propensity(order=2, terms="interactions")(x, y).value,
        table["VW"] / table["df"],
        table["FT"] / table["df"],
    ])  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(
    "synthesiser",
    [Cart(smooth=False, donors="bootstrap"), SequentialRegression(proper=False)],
    ids=["cart", "regression"],
)
def test_utility_is_within_the_range_of_another_tools_files_or_better(synthesiser):
    x, synthetic, _ = thyroid()
    theirs = np.array([utilities(x, y) for y in synthetic])
    ours = np.array([utilities(x, synthesiser.apply(typed(x), seed=seed).frame) for seed in range(10)])
    assert (ours.mean(axis=0) <= theirs.max(axis=0)).all(), (ours.mean(axis=0), theirs)


# -- other analyses ------------------------------------------------------------------------------


def test_own_analyses_and_logistic_regressions_can_be_compared():
    x, synthetic, _ = thyroid()

    def mean_age(frame):
        return ["mean age"], [frame["age"].mean()], [[frame["age"].var() / len(frame)]]

    found = compare(x, synthetic, mean_age)
    assert found.original.values[0] == pytest.approx(x.age.mean())
    logistic = compare(x, synthetic, "sick ~ age + male", model="logistic")
    p = 1 / (1 + np.exp(-(logistic.original.values[0] + x[["age", "male"]] @ logistic.original.values[1:])))
    assert (x.sick - p).sum() == pytest.approx(0, abs=1e-6)
    assert ((x.sick - p) * x.age).sum() == pytest.approx(0, abs=1e-4)
    with pytest.raises(BadInput, match="must have two values"):
        compare(x, synthetic, "age ~ sick", model="logistic")
    with pytest.raises(BadInput, match="is not of the form 'y ~ a"):
        compare(x, synthetic, "age")


def test_values_never_seen_and_broken_rules_are_found():
    x = pd.DataFrame({"age": [3.0, 40.0, 50.0, 60.0], "state": ["never", "married", "never", "married"]})
    y = pd.DataFrame({"age": [4.0, 99.0, 50.0], "state": ["married", "odd", "never"]})
    found = post_check(x, y, rules=["if age < 12: state = 'never'"])
    assert found.outside == {"age": 1, "state": 1}
    assert found.rules == {"if age < 12: state = 'never'": 1}
    assert found.replicated.tolist() == [2]
    assert found.copies == 1
    assert not found.clean
    assert "1 records break the rule" in repr(found)
    assert post_check(x, y, bounds={"age": (0, None)}).outside["age"] == 0


# -- coverage ------------------------------------------------------------------------------------


def covered(intervals, truth):
    return np.mean([low <= truth <= high for low, high in intervals])


def chance_to_cover(y, truth, files, times=400):
    """How often intervals from fully synthetic files of a normal sample cover: (1 + 1/m) b - u by posterior draws."""
    draw, n, shape = np.random.default_rng(1), len(y), (times, files)
    variance = y.var(ddof=1) * (n - 1) / draw.chisquare(n - 1, shape)
    mean = y.mean() + np.sqrt(variance / n) * draw.standard_normal(shape)
    q = mean + np.sqrt(variance / n) * draw.standard_normal(shape)
    u = (variance * draw.chisquare(n - 1, shape) / (n - 1) / n).mean(axis=1)
    b = (1 + 1 / files) * q.var(axis=1, ddof=1)
    freedom = np.where(b > u, (files - 1) * (1 - u / b) ** 2, np.inf)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(np.where(b > u, b - u, u))
    return np.mean(np.abs(q.mean(axis=1) - truth) <= half)


@pytest.mark.full
def test_intervals_from_fully_synthetic_files_cover():
    intervals, chances, ratios = [], [], []
    for replicate in range(300):
        draw = np.random.default_rng(replicate)
        frame = pd.DataFrame({"y": draw.normal(5.0, 2.0, size=100)})
        chances.append(chance_to_cover(frame["y"].to_numpy(), 5.0, 50))
        files = MultipleImputation().files(frame, 50, columns=["y"], given=[], seed=replicate)
        values = [file.frame["y"].to_numpy() for file in files]
        found = combine([y.mean() for y in values], [y.var(ddof=1) / 100 for y in values], "full",
                        records=100, original_records=100)  # fmt: skip
        low, high = found.interval()
        intervals.append((low[0], high[0]))
        ratios.append(found.between[0] / found.within[0])
    # of all samples 96 % would be covered, of these 300 about 95 %; each is by itself, so that the standard error of
    # their share is 0.008, and 3.9 of these are exceeded once in 10,000. Noticed are the normal quantile in place of t
    # (0.907) and b in place of (1 + 1/m) b - u (0.987)
    p = np.array(chances)
    assert abs(covered(intervals, 5.0) - p.mean()) < 3.9 * np.sqrt((p * (1 - p)).sum()) / len(p)
    # means differ between files by drawn parameters and by drawn records, u for each: files drawn at the estimates
    # (1 in place of 2) would cover as well. The relative variance of b is 2/49 + 6/95/50, as means are of a t law
    assert abs(np.mean(ratios) - 2) < 3.9 * 2 * np.sqrt((2 / 49 + 6 / 95 / 50) / len(ratios))


@pytest.mark.full
def test_intervals_from_partially_synthetic_files_cover():
    intervals = []
    method = SequentialRegression(scale="values", powers=1)
    for replicate in range(400):
        draw = np.random.default_rng(replicate)
        x = draw.normal(size=120)
        frame = pd.DataFrame({"x": x, "y": 1 + 2 * x + draw.normal(size=120)})
        files = [method.apply(frame, columns=["y"], given=["x"], seed=f"{replicate}-{i}").frame for i in range(5)]
        low, high = compare(frame, files, "y ~ x", synthesis="partial").combined.interval()
        intervals.append((low[1], high[1]))
    assert 0.92 <= covered(intervals, 2.0) <= 0.98
