from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.core.formula import parse_formula
from microveil.core.measured import NotApplicable
from microveil.loss import IntervalOverlap, RegressionChange
from tests.loss.files import frame_of, tell_exact_moments
from tests.reference import mdav, original, thyroid

FTI = "fti ~ age + tsh + t3 + t4u"


def test_agrees_with_another_tool():
    x, synthetic, figures = thyroid()
    b, se = np.array(figures["compare_lm_fti"]["coef_obs"])[:, :2].T
    for i, y in enumerate(synthetic):
        parts = RegressionChange(formulas=(FTI,))(x, y, linked=False).parts
        b_after = np.array(figures["lm_fti"]["coef_each"][i])
        se_after = np.sqrt(figures["lm_fti"]["var_each"][i])
        assert parts["standardised difference"] == pytest.approx(np.mean(np.abs(b_after - b) / se), rel=1e-8)
        assert parts["coefficients"] == pytest.approx(100 * np.mean(np.abs(b_after / b - 1)), rel=1e-8)
        assert parts["standard errors"] == pytest.approx(100 * np.mean(np.abs(se_after / se - 1)), rel=1e-7)
        assert parts["fti ~ t4u"] == pytest.approx(abs(b_after[4] - b[4]) / se[4], rel=1e-8)


def test_exact_covariances_keep_coefficients_and_their_errors():
    for name in ("census", "eia"):
        x = original(name)
        x = x.drop(columns="PTOTVAL") if name == "census" else x
        y = frame_of(tell_exact_moments(x.to_numpy(), np.random.default_rng(1)))
        y.columns = x.columns
        found = RegressionChange()(x, y)
        # near-collinear sums in eia leave fewer digits
        assert found.value < (1e-4 if name == "eia" else 1e-8), name


@pytest.mark.parametrize("name", ["census", "eia"])
def test_reference_files_as_they_are(name: str):
    x, y = mdav(name)
    assert RegressionChange()(x, x).value == 0
    found = RegressionChange()(x, y)
    assert np.isfinite(list(found.parts.values())).all()
    if name == "census":
        assert "columns that are sums of others, or nearly so, are left out: PEARNVAL" in found.notes


def test_totals_are_left_out_and_named_instead_of_giving_figures_without_meaning():
    data = mv.Microdata(mv.datasets.make_enterprises(400, seed=1), **mv.datasets.enterprises_schema())
    amounts = data.names("confidential")
    release = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=5)).apply(data, columns=amounts, given=[], seed=1)
    repaired = mv.mask.Repair(low=0.0).apply(release.data, columns=amounts)
    for measure in (RegressionChange(), IntervalOverlap()):
        found = measure(data, repaired.frame)
        (note,) = [note for note in found.notes if note.startswith("columns that are sums of others")]
        assert "total_revenue" in note
        assert "total_sales" in note
        assert "residential" not in note
    # beside the totals it would be in the hundreds, and the overlap far below -1
    assert RegressionChange()(data, repaired.frame).value < 5
    assert IntervalOverlap()(data, repaired.frame).value > 0
    # whoever names a formula gets it as it stands
    formula = "total_sales ~ residential_sales + commercial_sales"
    assert "total_sales ~ residential_sales" in RegressionChange(formulas=(formula,))(data, repaired.frame).parts


def test_categories_are_predictors():
    generator = np.random.default_rng(2)
    x = pd.DataFrame({"c": generator.choice(["u", "v", "w"], 300), "a": generator.standard_normal(300)})
    x["y"] = 2 * x["a"] + (x["c"] == "v") + generator.standard_normal(300)
    moved = x.assign(y=x["y"] + 3 * (x["c"] == "w"))
    parts = RegressionChange(formulas=("y ~ a + c",))(x, moved).parts
    assert {"y ~ intercept", "y ~ a"} < set(parts)
    assert max(parts[term] for term in ("y ~ c=v", "y ~ c=w", "y ~ c=u") if term in parts) > 10


def test_predictors_lost_in_the_protected_file_are_noted():
    x = frame_of(np.random.default_rng(3).standard_normal((50, 3)))
    found = RegressionChange()(x, x.assign(x2=x["x1"]))
    assert "predictors imply one another in the protected file; shortest solution: x0" in found.notes


def test_missing_values_are_left_out():
    x = frame_of(np.random.default_rng(4).standard_normal((50, 2)))
    y = x.copy()
    y.iloc[0, 0] = np.nan
    assert "1 of 50 protected records with missing values were left out" in RegressionChange()(x, y).notes


@pytest.mark.parametrize("text", ["y", "y ~", "~ a", "y ~ a + ", "y ~ a +"])
def test_unreadable_formulas(text: str):
    with pytest.raises(BadInput, match="is not of the form 'y ~ a \\+ b'"):
        RegressionChange(formulas=(text,))


def test_other_wrong_formulas():
    x = pd.DataFrame({"y": np.arange(9.0), "a": np.arange(9.0) ** 2, "c": list("uvwuvwuvw")})
    with pytest.raises(BadInput, match="names a column twice"):
        parse_formula("y ~ a + y")
    with pytest.raises(UnknownName, match=r"formulas: there is no column 'b'"):
        RegressionChange(formulas=("y ~ b",))(x, x)
    with pytest.raises(BadInput, match="the response 'c' must be continuous"):
        RegressionChange(formulas=("c ~ a",))(x, x)
    assert isinstance(RegressionChange()(x[["a"]], x[["a"]]), NotApplicable)


def test_ordered_numbers_have_one_slope_and_stated_categories_a_term_for_each():
    draw = np.random.default_rng(4)
    age = draw.integers(18, 88, 300)
    pay = 100.0 + 3.0 * age + draw.normal(0, 1, 300)
    frame = pd.DataFrame({"pay": pay, "age": age})
    moved = frame.assign(age=frame["age"].clip(upper=80))
    loss = RegressionChange(formulas=("pay ~ age",))
    as_amount = loss(mv.Microdata(frame, kinds={"age": "continuous"}), moved).parts
    assert {name for name in as_amount if "~" in name} == {"pay ~ intercept", "pay ~ age"}
    assert loss(mv.Microdata(frame, kinds={"age": "ordinal"}), moved).parts == as_amount
    assert len(loss(mv.Microdata(frame, kinds={"age": "nominal"}), moved).parts) > 40
    # bands are categories, and so are numbers beside them
    bands = frame.assign(age=np.where(age < 50, "18-49", frame["age"].astype(str)))
    assert len(loss(mv.Microdata(frame, kinds={"age": "ordinal"}), bands).parts) > 30
