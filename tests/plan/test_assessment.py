"""The risk of a file as it is: figures as in sdcMicro, reasons in words, and honest comparison with a release."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.core.measured import NotApplicable
from microveil.data.codebook import Codebook
from microveil.plan import assessed_file
from microveil.plan.riskiest import smallest_uniques
from tests.marks import ANY_FILE
from tests.reference import shared_file

KEYS7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
ROLES = dict.fromkeys(KEYS7, "key") | {"sampling_weight": "weight", "ori_hid": "household"}


@pytest.fixture(scope="module")
def testdata():
    return mv.Microdata(pd.read_csv(shared_file("data", "testdata.csv")), roles=ROLES)


@pytest.fixture(scope="module")
def found(testdata):
    return mv.assess(testdata)


def five_workers(**more):
    return pd.DataFrame(
        {
            "sex": ["f", "f", "m", "m", "f"],
            "work": ["cook", "cook", "judge", "cook", "cook"],
            "age": [20, 20, 61, 20, 40],
        }
    ).assign(**more)


KEYS = ["sex", "work", "age"]


def test_household_survey_as_in_sdcmicro(found):
    whole = json.loads(shared_file("oracles", "risk_categorical", "testdata_global.json").read_text())
    file = found.original
    assert file.below == {k: whole["violate"][f"k{k}"] for k in (2, 3, 5)}
    assert file.below_wildcard == file.below
    # exact, where sdcMicro approximates 10.78 and 51.81
    assert file.expected == pytest.approx(10.7755, abs=1e-4)
    assert file.household_expected == pytest.approx(51.7996, abs=1e-4)
    assert file.special.records == 157
    assert sum(file.histogram) == file.records == 4580
    assert file.population.value < 100 * 157 / 4580


def test_contributions_of_keys_as_in_sdcmicro(found):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "suda2_full7_contrib.csv"))
    expected = dict(zip(oracle["variable"], oracle["contribution"], strict=True))
    assert dict(found.original.special.contributions) == pytest.approx(expected)


def test_records_as_in_sdcmicro(found):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "testdata_freq_risk.csv"))
    special = pd.read_csv(shared_file("oracles", "risk_categorical", "suda2_full7_origTRUE.csv"))
    records = found.records()
    assert list(records.columns) == ["row", "fk", "fk_wildcard", "Fk", "risk", "household_risk", "dis"]
    assert (records["row"] == np.arange(1, 4581)).all()
    assert (records["fk"] == oracle["fk"]).all()
    assert records["Fk"].to_numpy() == pytest.approx(oracle["Fk"].to_numpy())
    # sdcMicro's short form differs a little from three records on
    assert records["risk"].to_numpy() == pytest.approx(oracle["rk_approx"].to_numpy(), rel=0.01)
    assert records["household_risk"].to_numpy() == pytest.approx(oracle["hier_risk"].to_numpy(), rel=0.01)
    assert records["dis"].to_numpy() == pytest.approx(special["disScore"].to_numpy(), abs=1e-6)


def test_missing_keys_in_both_readings_as_in_sdcmicro():
    frame = pd.read_csv(shared_file("data", "francdat.csv"))
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "francdat_freq_risk.csv"))
    keys = ["Key1", "Key2", "Key3", "Key4"]
    data = mv.Microdata(frame, roles={"w": "weight"}, kinds=dict.fromkeys(keys, "nominal"))
    each = mv.assess(data, keys=keys).records()
    assert each["fk"].tolist() == oracle["fk"].tolist()
    assert each["risk"].to_numpy() == pytest.approx(oracle["rk_exact"].to_numpy(), rel=1e-9)
    gaps = frame.astype({"Key1": "float", "Key3": "float"})
    gaps.loc[[0, 3], "Key1"] = np.nan
    gaps.loc[6, "Key3"] = np.nan
    part = mv.assess(data.with_(gaps), keys=keys)
    assert part.records()["fk_wildcard"].tolist() == oracle["fk_na_alpha1"].tolist()
    assert part.original.gaps
    assert part.original.below_wildcard[2] < part.original.below[2]
    assert "records alone (below 2-anonymity), if a missing value may be any" in repr(part)


def test_the_reason_is_what_singles_a_record_out(found, testdata):
    frame = testdata.frame
    for record in found.original.riskiest:
        assert record.why.startswith("alone with ")
        facts = [
            fact.rsplit(" ", 1) for fact in record.why.removeprefix("alone with ").replace(" and ", ", ").split(", ")
        ]
        alike = np.logical_and.reduce([frame[key] == int(value) for key, value in facts])
        assert np.flatnonzero(alike).tolist() == [record.row - 1]


@given(st.integers(2, 20), st.integers(1, 5), st.integers(0, 10**6))
def test_smallest_uniques_are_those_of_the_definition(n, width, seed):
    codes = np.unique(np.random.default_rng(seed).integers(0, 3, (n, width)), axis=0)
    which = len(codes) // 2
    expected = []
    for size in range(1, width + 1):
        expected = [
            subset
            for subset in combinations(range(width), size)
            if (codes[:, subset] == codes[which, subset]).all(axis=1).sum() == 1
        ]
        if expected:
            break
    assert smallest_uniques(codes, which) == expected


def test_many_keys_give_one_set_without_spare_columns():
    rng = np.random.default_rng(4)
    codes = np.unique(rng.integers(0, 2, (400, 70)), axis=0)
    [found] = smallest_uniques(codes, 7)
    alike = [(codes[:, subset] == codes[7, subset]).all(axis=1).sum() for subset in combinations(found, len(found) - 1)]
    assert (codes[:, found] == codes[7, found]).all(axis=1).sum() == 1
    assert min(alike) > 1


def test_a_missing_value_is_a_reason_only_where_nothing_else_is():
    codes = np.array([[0, -1, 0], [0, 0, 1], [1, 0, 0]])
    assert smallest_uniques(codes, 0) == [(0, 2)]
    assert smallest_uniques(np.array([[0, -1], [0, 0]]), 0) == [(1,)]


def test_changes_of_keys_are_counted_again(testdata):
    data = testdata.with_(roles={"age": "key"})
    file = mv.assess(data).original
    by_change = {change.change: change for change in file.changes}
    keys = [*KEYS7, "age"]
    without = data.frame.groupby([key for key in keys if key != "relat"])["sex"].transform("size")
    assert by_change["without relat"].alone == (without == 1).sum()
    assert by_change["without relat"].below_three == (without < 3).sum()
    fives = data.frame.assign(age=data.frame["age"] // 5).groupby(keys)["sex"].transform("size")
    assert by_change["with age in classes of 5"].alone == (fives == 1).sum()
    left_out = mv.risk.IndividualRisk(keys=tuple(key for key in keys if key != "age"))(data)
    assert by_change["without age"].expected == pytest.approx(left_out.parts["expected re-identifications"])
    assert file.changes[0].alone == min(change.alone for change in file.changes)


def test_hierarchies_and_rare_values_are_changes_too():
    n = 400
    place = np.where(np.arange(n) < 4, [f"village {i}" for i in range(n)], "town")
    data = mv.Microdata(
        pd.DataFrame({"place": place, "sex": ["f", "m"] * (n // 2)}),
        roles={"place": "key", "sex": "key"},
        hierarchies={"place": {**{f"village {i}": ("country",) for i in range(4)}, "town": ("city",)}},
    )
    by_change = {change.change: change.alone for change in mv.assess(data).original.changes}
    assert by_change == {
        "without place": 0,
        "with place one level up": 0,
        "with 4 rare values of place as one": 0,
        "without sex": 4,
    }


def test_labels_of_codes_are_used_in_words():
    frame = five_workers(sex=[1.0, 1.0, 2.0, 2.0, 1.0])
    book = Codebook(labels={"sex": {1.0: "female", 2.0: "male"}})
    data = mv.Microdata(frame, kinds={"sex": "nominal", "age": "nominal"}, codebook=book)
    file = mv.assess(data, keys=KEYS).original
    assert file.riskiest[0].why == "alone with work judge, and with age 61"
    assert file.combinations[0].values == {"sex": "male", "work": "judge", "age": "61"}
    assert file.frequencies[0].values == (("female", 3), ("male", 2))
    coarse = mv.assess(data, frame.assign(sex=["1", "1", "1..2", "1..2", "1"]), keys=KEYS).protected
    assert coarse.frequencies[0].values == (("female", 3), ("1..2", 2))


def test_records_that_are_not_alone_are_told_as_such():
    found = mv.assess(pd.concat([five_workers()] * 2, ignore_index=True), keys=["sex", "work"])
    assert found.original.riskiest[0].why == "shares its keys with 1 other record: sex m and work judge"
    assert found.original.special.records == 0
    assert "No record is singled out by its keys (SUDA score 0)." in repr(found)
    assert "Few keys together leave no record alone." in repr(found)


def test_weights_change_people_and_risk():
    plain = mv.assess(five_workers(), keys=["sex", "work"]).original
    assert plain.expected == pytest.approx(3)  # three classes in a file that is the population
    assert isinstance(plain.population, NotApplicable)
    data = mv.Microdata(five_workers(w=[10.0] * 5), roles={"sex": "key", "work": "key", "w": "weight"})
    weighted = mv.assess(data).original
    assert weighted.combinations[0].people == 10
    assert weighted.expected < plain.expected
    known = mv.assess(five_workers(), keys=["sex", "work"], population=500).original
    assert known.population.value < 40
    with pytest.raises(BadInput, match="population=4 is smaller than the file"):
        mv.assess(five_workers(), keys=["sex", "work"], population=4)


def test_roles_nobody_stated_are_proposed_and_said():
    frame = pd.DataFrame(
        {"gender": ["f", "m"] * 30, "region": [1, 2, 3] * 20, "income": np.arange(60) + 0.5, "weight": 7.0}
    )
    found = mv.assess(frame)
    assert found.proposed == {"key": ("gender", "region"), "weight": ("weight",)}
    assert found.original.weighted
    assert "Nobody stated these roles" in repr(found)
    named = mv.assess(frame, keys=["region"])
    assert named.proposed == {"weight": ("weight",)}
    stated = mv.assess(mv.Microdata(frame, roles={"region": "key"}))
    assert stated.proposed == {}
    assert not stated.original.weighted
    with pytest.raises(BadInput, match="there is no key"):
        mv.assess(pd.DataFrame({"income": np.arange(60) + 0.5}))
    with pytest.raises(UnknownName, match=r"keys: there is no column 'regio'.*did you mean 'region'"):
        mv.assess(frame, keys=["regio"])


@ANY_FILE
def test_before_and_after_stand_side_by_side():
    data = mv.Microdata(five_workers(), roles=dict.fromkeys(KEYS, "key"), kinds={"age": "nominal"})
    release = mv.mask.LocalSuppression(k=2).apply(data, seed=1)
    found = mv.assess(data, release)
    assert (found.original.below[2], found.protected.below[2]) == (3, 0)
    assert found.shown is found.protected
    frame = found.to_frame()
    assert list(frame.columns) == ["figure", "original", "protected"]
    assert frame.set_index("figure").loc["records alone (below 2-anonymity)"].tolist() == [3, 0]
    assert mv.assess(release).protected.below == found.protected.below
    assert len(found.records("protected")) == 5


@ANY_FILE
def test_perturbed_keys_are_not_counted():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"region": rng.integers(0, 40, 300).astype(str), "sex": rng.choice(["f", "m"], 300)})
    data = mv.Microdata(frame, roles={"region": "key", "sex": "key"})
    release = mv.mask.Pram().apply(data, columns=["region"], seed=1)
    for protected in (release, release.frame):
        found = mv.assess(data, protected)
        assert found.protected is None
        assert found.withheld.startswith("The key region was perturbed")
        assert "says nothing about people" in repr(found)
        counts = found.to_frame().set_index("figure")["protected"]
        assert list(counts.dropna().index) == ["records", "records linked by all compared columns, %"]
        with pytest.raises(BadInput, match="region was perturbed"):
            found.records("protected")
    assert "(pram)" in mv.assess(data, release).withheld
    unlinked = mv.assess(data, release.frame, linked=False)
    assert unlinked.protected is None
    assert "occur more often in the protected file than in the original" in repr(unlinked)


@ANY_FILE
def test_true_keys_are_counted_where_nobody_knows_the_rows():
    data = mv.Microdata(five_workers(), roles=dict.fromkeys(KEYS, "key"), kinds={"age": "nominal"})
    suppressed = mv.mask.LocalSuppression(k=2).apply(data, seed=1).frame.iloc[::-1]
    recoded = five_workers().assign(age=["young", "young", "old", "young", "old"])
    for protected in (suppressed, recoded):
        found = mv.assess(data, protected, linked=False)
        assert found.protected is not None
        assert "it cannot be told whether keys were perturbed" in repr(found)


@ANY_FILE
def test_coarser_keys_of_another_file_are_counted():
    frame = pd.DataFrame({"age": np.arange(40) + 20, "code": np.arange(40) % 4, "sex": ["f", "m"] * 20})
    data = mv.Microdata(frame, roles=dict.fromkeys(frame.columns, "key"))
    coarse = frame.assign(age=(frame["age"] // 10 * 10).astype(str) + "s", code=frame["code"] // 2)
    found = mv.assess(data, coarse)
    assert found.withheld == ""
    assert found.protected.below[2] < found.original.below[2]
    fewer = mv.assess(data, coarse.drop(columns="age"))
    assert fewer.protected.keys == ("code", "sex")
    assert "lacks the keys age" in repr(fewer)
    assert "None of the keys" in mv.assess(data, frame[["sex"]], keys=["age"]).withheld


@ANY_FILE
def test_classes_of_ordered_codes_in_another_file_are_counted():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 200), "size": rng.integers(1, 6, 200)})
    data = mv.Microdata(frame, roles={"age": "key", "size": "key"})
    release = mv.mask.KAnonymise(k=3).apply(data, columns=["age", "size"], seed=1)
    assert "ordinal" in data.kinds["size"]
    for protected in (release, release.frame):
        assert mv.assess(data, protected).protected.below[3] == 0


def test_limits_of_scenarios():
    data = mv.Microdata(five_workers(), roles=dict.fromkeys(KEYS, "key"), kinds={"age": "nominal"})
    strict = mv.risk.Scenario("neighbour", ["sex", "work"], thresholds={"risk": 0.5, "share": 10})
    lenient = mv.risk.Scenario("register", ["sex"], thresholds={"risk": 0.5})
    found = mv.assess(data, scenarios=[strict, lenient])
    assert [scenario.at_risk for scenario in found.scenarios] == [pytest.approx(40), 0]
    assert found.over_limit == ("neighbour",)
    assert "Scenario neighbour: 40 % of the records have a risk above 50 % (10 % may), over its limits." in repr(found)
    assert mv.assess(data).over_limit == ()


def test_scenarios_of_a_large_file_are_told_from_a_sample_that_says_so(monkeypatch):
    generator = np.random.default_rng(5)
    sex, area, pay = (generator.integers(0, most, 3000) for most in (2, 400, 9))
    frame = pd.DataFrame({"sex": sex, "area": area, "pay": pay * 100.0})
    data = mv.Microdata(frame, roles={"sex": "key", "area": "key"}, kinds={"sex": "nominal", "area": "nominal"})
    intruder = mv.risk.Scenario("boss", keys=("sex", "area"), known=("pay",), thresholds={"risk": 0.4, "share": 90})
    whole = mv.assess(data, scenarios=[intruder]).scenarios[0]
    monkeypatch.setattr("microveil.plan.assessed_scenarios.SAMPLED_ABOVE", 2000)
    monkeypatch.setattr("microveil.plan.assessed_scenarios._SAMPLE", 900)
    some = mv.assess(data, scenarios=[intruder]).scenarios[0]
    assert whole.sampled == ""
    assert "of 3,000" in some.sampled
    assert some.sampled in some.said
    assert some.to_json()["sampled"] == some.sampled
    # a record is as much at risk in the sample as in the whole file: only chance of the draw is between the two
    assert some.at_risk == pytest.approx(whole.at_risk, abs=4)
    assert some.at_risk <= some.at_most
    strict = replace(some, share=(some.at_risk + some.at_most) / 2)
    assert strict.holds is False  # within the limit in the sample, and perhaps not in the whole file


@ANY_FILE
def test_scenarios_do_not_count_keys_that_seem_perturbed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"region": rng.integers(0, 4, 300).astype(str), "sex": rng.choice(["f", "m"], 300)})
    data = mv.Microdata(frame, roles={"region": "key", "sex": "key"})
    swapped = frame.assign(region=frame["region"].sample(frac=1, random_state=1).to_numpy())
    scenario = mv.risk.Scenario("neighbour", ["region", "sex"])
    linked = mv.assess(data, swapped, scenarios=[scenario]).protected_scenarios[0]
    assert linked.at_risk is not None  # by linkage
    unlinked = mv.assess(data, swapped, scenarios=[scenario], linked=False)
    assert unlinked.withheld
    assert "the keys region, sex seem perturbed" in unlinked.protected_scenarios[0].reason


def test_many_keys_and_records_limit_the_search(monkeypatch):
    monkeypatch.setattr(assessed_file, "_MOST_WORK", 5 * 3)
    limited = mv.assess(five_workers(), keys=KEYS).original
    assert isinstance(limited.special, NotApplicable)
    assert "the search takes long with 5 records and 3 keys" in limited.special.reason
    assert limited.each.dis is None
    assert limited.riskiest[0].why == "alone with work judge, and with age 61"
    monkeypatch.setattr(assessed_file, "_MOST_WORK", 5 * 6)
    assert "combinations of up to 2 keys" in repr(mv.assess(five_workers(), keys=KEYS))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_come_back_in_the_users_library(make):
    found = mv.assess(make(five_workers().to_dict("list")), keys=KEYS)
    assert type(found.records()) is make
    assert type(found.to_frame()) is make
    assert json.loads(found.to_text())["original"]["records_below"]["2"] == 3
    cells = re.sub(r"<td[^>]*>", "<td>", found._repr_html_())
    assert "<td>records alone (below 2-anonymity)</td><td>3</td>" in cells


def test_names_in_html_are_shown_not_run():
    frame = five_workers().rename(columns={"sex": "<script>"})
    assert "<script>" not in mv.assess(frame, keys=["<script>", "work"])._repr_html_()


def test_wrong_file_is_an_error():
    found = mv.assess(five_workers(), keys=KEYS)
    with pytest.raises(BadInput, match="no protected file was given"):
        found.records("protected")
    with pytest.raises(BadInput, match="which='both' is not one of"):
        found.records("both")


def test_progress_tells_every_part():
    told = []
    mv.assess(
        five_workers(), five_workers(), keys=KEYS, progress=lambda what, number, total: told.append((number, total))
    )
    assert told == [(i, 10) for i in range(1, 11)]


def test_what_can_be_measured_stands_beside_keys_that_cannot_be_counted():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"region": draw.integers(0, 9, 200).astype(str), "income": draw.lognormal(8, 1, 200)})
    data = mv.Microdata(frame, roles={"region": "key", "income": "confidential"})
    release = mv.mask.Pram().apply(data, columns=["region"], seed=1)
    found = mv.assess(data, release)
    table = found.to_frame().set_index("figure")
    assert table.loc["records", "protected"] == 200
    linked = table.loc["records linked by all compared columns, %"]
    assert linked["original"] == pytest.approx(100)
    # incomes are as they were
    assert linked["protected"] > 90
    unlinked = mv.assess(data, release.frame, linked=False)
    assert unlinked.withheld
    assert "records linked by all compared columns, %" not in set(unlinked.to_frame()["figure"])
    assert unlinked.to_frame().set_index("figure").loc["records", "protected"] == 200


def test_why_a_scenario_that_knows_amounts_is_above_the_risk_by_keys():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"region": draw.integers(0, 9, 200), "income": draw.lognormal(8, 1, 200), "w": 50.0})
    data = mv.Microdata(frame, roles={"region": "key", "income": "confidential", "w": "weight"})
    knows = mv.risk.Scenario("tax office", ["region"], ["income"])
    said = repr(mv.assess(data, scenarios=[knows]))
    assert (
        "The intruder of tax office also knows income and takes the most similar record; that others in the population "
        "are alike does not help against it." in said
    )
    assert "takes the most similar record" not in repr(mv.assess(data, scenarios=[mv.risk.Scenario("n", ["region"])]))


@pytest.mark.long
def test_what_linking_finds_is_the_worst_case_of_the_verdict():
    """Values that were swapped by ranks are found better by ranks, and one to one: the nearest record would flatter."""
    data = mv.Microdata(mv.datasets.make_enterprises(300, seed=2), **mv.datasets.enterprises_schema())
    amounts = list(data.names("confidential"))
    release = mv.Plan([(mv.mask.RankSwap(p=15), amounts), (mv.mask.Pram(), ["region", "sector"])]).run(data, seed=1)
    found = mv.assess(data, release, keys=["region", "sector"])
    nearest = mv.risk.DistanceLinkage()(data, release).value
    assert found.linked.protected == mv.plan.verdict_of(release).after.linked
    assert found.linked.protected > nearest + 5


def test_households_count_though_their_numbers_are_left_out_of_releases():
    table = mv.datasets.make_survey(300, seed=2)
    found = mv.inspect(table)
    assert found.data.roles["household_id"] == "identifier"
    stated = mv.assess(found.data.with_(roles={"household_id": "household"}))
    left_out = mv.assess(found.data)
    assert left_out.original.household_expected == stated.original.household_expected
    assert left_out.proposed == {}
    assert left_out.notes[0].startswith("household_id is left out of releases; it tells who lives together")
