from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.loss import ContingencyLoss
from microveil.loss.counts import count_both, table_distances
from tests.reference import shared_file, thyroid

X = pd.DataFrame({"sex": list("ffmmfm"), "town": list("aabbcc")})


def test_one_suppression_changes_a_table_by_two():
    y = X.assign(sex=[None, *X["sex"][1:]])
    one = ContingencyLoss(order=1)(X, y)
    assert one.parts["CTBIL"] == 2
    assert one.parts["order 1[sex]"] == pytest.approx(100 / 6)
    assert one.value == pytest.approx(100 / 12)
    two = ContingencyLoss(order=2)(X, y)
    assert two.parts["CTBIL"] == 4
    assert two.value == pytest.approx(100 * (1 / 6 + 0 + 1 / 6) / 3)


def test_counts_of_the_swapped_file_agree_with_another_tool():
    folder = ("oracles", "recordswap")
    x, y = (pd.read_csv(shared_file(*folder, f"{name}.csv")) for name in ("original", "swapped"))
    names = ["nuts2", "national"]
    found = ContingencyLoss(order=2)(x[names].astype(str), y[names].astype(str)).parts
    expected = pd.read_csv(shared_file(*folder, "infoloss_measures.csv")).set_index("what").loc["Mean"]
    assert found["CTBIL per cell"] == pytest.approx(expected["absD"])
    assert found["roots per cell"] == pytest.approx(expected["abssqrtD"])
    assert found["relative per cell"] == pytest.approx(expected["relabsD"])
    assert found["cells lost"] == found["cells new"] == 0
    assert found["order 1"] == 0


def test_tabular_measures_agree_with_another_tool():
    x, synthetic, figures = thyroid()
    expected = figures["utility_tab_male_onthyroxine_sick_age5"]
    cuts = np.quantile(x["age"], [0.2, 0.4, 0.6, 0.8])

    def columns(frame: pd.DataFrame) -> list[np.ndarray]:
        flags = [frame[name].to_numpy(dtype=np.int64) for name in ("male", "on_thyroxine", "sick")]
        return [np.digitize(frame["age"], cuts), *flags]

    for i, y in enumerate(synthetic):
        found = table_distances(*count_both(columns(x), columns(y)))
        for ours, theirs in {
            "VW": "VW", "FT": "FT", "G": "G", "JSD": "JSD", "Hellinger": "dBhatt", "SPECKS": "SPECKS", "pMSE": "pMSE",
            "PO50": "PO50", "MabsDD": "MabsDD", "WMabsDD": "WMabsDD", "df": "df", "df G": "dfG",
        }.items():  # fmt: skip
            assert found[ours] == pytest.approx(expected[theirs][i], rel=1e-9), ours


def test_recoding_is_applied_to_the_original_first():
    y = X.assign(town=X["town"].map({"a": "ab", "b": "ab", "c": "c"}))
    found = ContingencyLoss(order=2)(X, y)
    assert found.value == 0
    assert found.notes == ("compared after recoding the original in the same way: town",)
    unlinked = ContingencyLoss(order=1)(X, y, linked=False)
    assert unlinked.parts["order 1[town]"] == pytest.approx(100 * 4 / 6)


def test_files_of_different_length_are_compared_by_shares():
    double = pd.concat([X, X])
    found = ContingencyLoss(order=2)(X, double)
    assert found.value == 0
    assert found.parts["CTBIL"] == 0
    assert "the files differ in length: counts of the protected file are scaled to the original's" in found.notes


def test_reading_names_the_worst_table():
    y = X.assign(sex=list("mmmmmm"))
    reading = ContingencyLoss(order=2)(X, y).reading
    assert reading == (
        "In tables of up to 2 columns 33.3 % of the records would have to change cell to restore the original counts, "
        "most in sex (50 %)."
    )


LEVELS = pd.DataFrame({"school": [1, 1, 2, 2, 3, 3, 4, 4], "sex": list("fmfmfmfm")})


def test_ranges_of_codes_are_no_new_categories():
    data = mv.Microdata(LEVELS, kinds={"school": "ordinal"})
    recoded = LEVELS.assign(school=["1", "1", "2..3", "2..3", "2..3", "2..3", "4", "4"])
    for linked in (True, False):
        found = ContingencyLoss(order=2)(data, recoded, linked=linked)
        assert found.value == 0
        assert found.notes == ("compared after recoding the original in the same way: school",)


def test_classes_that_overlap_count_in_parts():
    data = mv.Microdata(LEVELS, kinds={"school": "ordinal"})
    local = LEVELS.assign(school=["1..2", "1", "1..2", "2", "2..4", "2..4", None, "4"])
    found = ContingencyLoss(order=2)(data, local)
    released = np.zeros((5, 2))
    for i, members in enumerate([(0, 1), (0,), (0, 1), (1,), (1, 2, 3), (1, 2, 3), (4,), (3,)]):
        released[list(members), i % 2] += 1 / len(members)
    original = np.vstack([np.ones((4, 2)), [[0, 0]]])
    moved = [abs(original.sum(1) - released.sum(1)).sum() / 16, abs(original - released).sum() / 16]
    assert found.parts["order 1[school]"] == pytest.approx(100 * moved[0])
    assert found.parts["order 2"] == pytest.approx(100 * moved[1])
    assert found.notes == ("each released class counts in equal parts for the values it holds: school",)


def test_everything_in_one_class_loses_what_the_counts_said():
    data = mv.Microdata(pd.DataFrame({"school": [1] * 9 + [2]}), kinds={"school": "ordinal"})
    coarse = pd.DataFrame({"school": ["1..2"] * 9 + ["2"]})
    assert ContingencyLoss(order=1)(data, coarse).value == pytest.approx(100 * (0.9 - 0.45))


def test_spread_classes_have_a_title_of_their_own():
    assert ContingencyLoss().title == ContingencyLoss.title == "Loss in contingency tables"
    assert ContingencyLoss(classes="spread").title == "Loss in contingency tables, classes spread"
