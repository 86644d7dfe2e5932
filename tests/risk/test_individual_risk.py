"""Individual and household risk."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import hyp2f1

import microveil as mv
from microveil.kernels.tables.individual import individual_risk
from microveil.risk.individual_risk import household_risk
from tests.reference import shared_file

KEYS7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def weighted_survey(household_survey):
    return mv.Microdata(household_survey, roles={"sampling_weight": "weight", "ori_hid": "household"})


def test_published_values():
    found = individual_risk(np.array([1, 2, 2, 1]), np.array([215.0, 360.0, 152.0, 180.0]))
    assert found.round(4).tolist() == [0.0251, 0.0054, 0.0126, 0.0290]


@pytest.mark.parametrize("p", [1e-6, 0.01, 0.3, 0.49999, 0.50001, 0.9, 0.999999])
def test_closed_forms(p):
    q = 1 - p
    found = individual_risk(np.array([1, 2, 3]), np.array([1, 2, 3]) / p)
    if q > 1e-3:  # the closed forms cancel near q = 0
        expected = [
            p / q * np.log(1 / p),
            p / q**2 * (p * np.log(p) + q),
            p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * np.log(p)),
        ]
        assert found == pytest.approx(expected, rel=1e-8)
    for f in (4, 17, 31, 60):
        assert individual_risk(np.array([f]), np.array([f / p]))[0] == pytest.approx(
            p / f * hyp2f1(1, 1, f + 1, q), rel=1e-10
        )


@given(st.integers(1, 10**6), st.floats(1e-9, 1.0))
def test_between_one_over_population_and_one_over_sample(f, p):
    for method in ("exact", "approximate"):
        risk = individual_risk(np.array([f]), np.array([f / p]), method)[0]
        assert p / f * (1 - 1e-12) <= risk <= 1 / f * (1 + 1e-12)


def test_census_gives_one_over_f_and_small_weights_are_no_smaller_population():
    assert individual_risk(np.array([4, 4]), np.array([4.0, 2.0])).tolist() == [0.25, 0.25]


@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_francdat(method):
    data = mv.Microdata(pd.read_csv(shared_file("data", "francdat.csv")), roles={"w": "weight"})
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "francdat_freq_risk.csv"))
    found = mv.risk.IndividualRisk(keys=["Key1", "Key2", "Key3", "Key4"], method=method).records(data)
    assert found == pytest.approx(
        oracle[{"exact": "rk_exact", "approximate": "rk_approx"}[method]].to_numpy(), rel=1e-9
    )


def test_household_survey(weighted_survey):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "testdata_freq_risk.csv"))
    whole = json.loads(shared_file("oracles", "risk_categorical", "testdata_global.json").read_text())["with_weight"]
    measure = mv.risk.IndividualRisk(keys=KEYS7, method="approximate")
    risk = measure.records(weighted_survey)
    assert risk == pytest.approx(oracle["rk_approx"].to_numpy(), rel=1e-9)
    assert household_risk(risk, weighted_survey.households) == pytest.approx(oracle["hier_risk"].to_numpy(), rel=1e-9)
    found = measure(weighted_survey)
    assert found.value == pytest.approx(whole["global_risk_pct"], rel=1e-9)
    assert found.parts["expected re-identifications"] == pytest.approx(whole["global_risk_ER"], rel=1e-9)
    assert found.parts["household risk (%)"] == pytest.approx(whole["hier_risk_pct"], rel=1e-9)


def test_without_weights_the_file_is_the_population(weighted_survey):
    found = mv.risk.IndividualRisk(keys=KEYS7)(weighted_survey.frame.drop(columns="sampling_weight"))
    assert found.parts["expected re-identifications"] == pytest.approx(412)
    assert "no column has the role weight" in found.notes[0]


def test_text_households_and_missing_ones_are_taken():
    frame = pd.DataFrame({"k": ["a", "b", "b", "c"], "home": ["x", "x", None, None]})
    found = mv.risk.IndividualRisk(keys=["k"])(mv.Microdata(frame, roles={"home": "household"}))
    # risks 1, 1/2, 1/2, 1: the first household is at risk for sure, the others are alone
    assert found.parts["household risk (%)"] == pytest.approx(100 * (1 + 1 + 0.5 + 1) / 4)
