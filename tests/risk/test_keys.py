"""k-anonymity and uniqueness."""

import json

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import UnknownName
from microveil.core.measured import NotApplicable
from microveil.core.registry import registered
from tests.reference import shared_file

KEYS7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture
def five_people():
    return pd.DataFrame(
        {"age": ["young", "young", "old", "old", None], "sex": ["m", "m", "f", "f", "f"], "income": [1.5, 2, 3, 4, 5]}
    )


def test_counts_of_the_household_survey(household_survey):
    expected = json.loads(shared_file("oracles", "risk_categorical", "testdata_global.json").read_text())
    found = mv.risk.KAnonymity(keys=KEYS7)(household_survey)
    assert found.value == 1
    assert [found.parts[f"records below {k}"] for k in (2, 3, 5)] == [expected["violate"][f"k{k}"] for k in (2, 3, 5)]
    assert found.parts["mean class size"] == pytest.approx(4580 / expected["no_weight"]["global_risk_ER"])
    assert mv.risk.Uniqueness(keys=KEYS7)(household_survey).value == pytest.approx(100 * expected["n1"] / 4580)


def test_unique_cells_of_tables_are_records_some_combination_singles_out(household_survey):
    by_hand = np.zeros(len(household_survey), dtype=bool)
    for a in KEYS7:
        for b in KEYS7:
            if a < b:
                by_hand |= (household_survey.groupby([a, b])["sex"].transform("size") == 1).to_numpy()
    found = mv.risk.Uniqueness(keys=KEYS7, sizes=(2,))(household_survey)
    assert found.value == pytest.approx(100 * by_hand.mean())


@pytest.mark.parametrize(("missing", "k", "below2"), [("own", 1, 1), ("wildcard", 2, 0)])
def test_both_readings_of_a_missing_key(five_people, missing, k, below2):
    found = mv.risk.KAnonymity(keys=["age", "sex"], missing=missing)(five_people)
    assert found.value == k
    assert found.parts["records below 2"] == below2


def test_suppressed_file_keeps_k_only_with_wildcards():
    masked = pd.read_csv(shared_file("oracles", "suppression", "testdata_kv7_age_k3.csv"))
    keys = [*KEYS7, "age"]
    kinds = dict.fromkeys(keys, "nominal")
    data = mv.Microdata(masked, kinds=kinds)
    assert mv.risk.KAnonymity(keys=keys, missing="wildcard")(data).value >= 3
    below = int((masked.groupby(keys, dropna=False)["sex"].transform("size") < 3).sum())
    assert below > 290
    assert mv.risk.KAnonymity(keys=keys, missing="own")(data).parts["records below 3"] == below


def test_keys_are_the_columns_with_that_role(five_people):
    data = mv.Microdata(five_people, roles={"sex": "key"})
    assert mv.risk.KAnonymity()(data).value == 2
    assert mv.risk.KAnonymity()(data, five_people).value == 2
    assert "no column has the role key" in mv.risk.KAnonymity()(five_people).reason
    assert "no column has the role key" in mv.risk.Uniqueness()(five_people).reason


def test_unknown_keys_are_told_with_the_nearest(five_people):
    with pytest.raises(UnknownName, match=r"there is no column 'agee'.*did you mean 'age'"):
        mv.risk.KAnonymity(keys=["agee"])(five_people)


def test_continuous_keys_are_noted(five_people):
    found = mv.risk.KAnonymity(keys=["income"])(five_people)
    assert found.notes[0].startswith("continuous keys (income) are compared by exact value")


def test_reading_is_a_sentence_with_the_number(five_people):
    assert mv.risk.KAnonymity(keys=["sex"])(five_people).reading == (
        "Every record shares the keys with at least 1 other record."
    )
    assert mv.risk.Uniqueness(keys=["age", "sex"])(five_people).reading == (
        "1 of 5 records (20 %) are singled out by the 2 keys."
    )


def test_subdomains_are_measured_on_their_own_records(household_survey):
    data = mv.Microdata(household_survey, roles={"sampling_weight": "weight", "ori_hid": "household"})
    found = mv.risk.IndividualRisk(keys=KEYS7)(data, by="urbrur")
    # urbrur is a key: classes do not cross the subdomains, so the records' risks are those of the whole
    risk = mv.risk.IndividualRisk(keys=KEYS7).records(data)
    for code, part in zip((1, 2), found.domains.values(), strict=True):
        assert part.value == pytest.approx(100 * risk[(household_survey["urbrur"] == code).to_numpy()].mean())


@pytest.mark.parametrize("measure", [m for m in registered(mv.risk.Risk) if m.alone], ids=lambda m: m.name)
def test_measures_of_one_file_give_a_sentence_with_a_number_or_a_reason(household_survey, measure):
    roles = dict.fromkeys(KEYS7, "key") | {
        "sampling_weight": "weight",
        "ori_hid": "household",
        "hhcivil": "confidential",
    }
    found = measure()(mv.Microdata(household_survey, roles=roles))
    assert any(character.isdigit() for character in found.reading)
    assert found.reading.endswith((".", ")"))
    low, high = found.bounds
    assert low <= found.value <= high
    assert "no " in measure()(household_survey).reason


def test_frequencies_say_nothing_about_people_after_keys_were_perturbed():
    frame = pd.DataFrame({"age": np.arange(40) % 10 * 5, "sex": ["f", "m"] * 20, "x": np.arange(40.0)})
    data = mv.Microdata(frame, roles={"age": "key", "sex": "key"}, kinds={"age": "continuous"})
    swapped = mv.mask.RankSwap(p=30).apply(data, columns=["age"], seed=1)
    counts = (
        mv.risk.IndividualRisk,
        mv.risk.Suda,
        mv.risk.Uniqueness,
        mv.risk.ReidentificationRisk,
        mv.risk.KAnonymity,
    )
    for measure in (cls() for cls in counts):
        result = measure(data, swapped)
        assert isinstance(result, NotApplicable)
        assert "the key age was perturbed (rank-swap)" in result.reason
    # about linkage something can still be said
    assert mv.risk.ScenarioRisk()(data, swapped).value >= 0
    assert isinstance(mv.risk.ScenarioRisk()(data, swapped, linked=False), NotApplicable)
