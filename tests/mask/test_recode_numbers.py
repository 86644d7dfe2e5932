"""A hierarchy that is stated for a column of numbers decides, or is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.mask import GlobalRecode
from microveil.measure import Pair
from microveil.measure.classes import read_classes

AGES = [3, 17, 18, 40, 64, 65, 90, 33]
FRAME = pd.DataFrame({"age": AGES, "income": [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, np.nan]})
PATHS = {age: ("minor" if age < 18 else "adult", "person") for age in AGES}


def test_a_hierarchy_of_whole_numbers_decides():
    data = mv.Microdata(FRAME, hierarchies={"age": PATHS})
    assert data.kinds["age"] == "continuous"
    release = GlobalRecode().apply(data, columns=["age"])
    assert list(release.frame["age"]) == [PATHS[age][0] for age in AGES]
    twice = GlobalRecode(level={"age": 2}).apply(data, columns=["age"])
    assert set(twice.frame["age"]) == {"person"}


@pytest.mark.parametrize("spelt", [str, float, "{}.0".format])
def test_keys_meet_numbers_by_value(spelt):
    data = mv.Microdata(FRAME, hierarchies={"age": {spelt(age): path for age, path in PATHS.items()}})
    assert data.values("age").hierarchy[17.0] == ("minor", "person")
    assert list(GlobalRecode().apply(data, columns=["age"]).frame["age"])[:3] == ["minor", "minor", "adult"]


def test_a_number_without_a_path_is_named_when_the_data_are_stated():
    with pytest.raises(BadInput, match=r"the hierarchy of column 'age' has no path for 3, 90 of the column; give each"):
        mv.Microdata(FRAME, hierarchies={"age": {age: path for age, path in PATHS.items() if 3 < age < 90}})


def test_two_spellings_of_one_number_with_two_paths_are_refused():
    with pytest.raises(BadInput, match=r"gives 17.0 two paths, as '17' and as '17.0'"):
        mv.Microdata(pd.DataFrame({"age": [17, 18]}), hierarchies={"age": {"17": ("a",), "17.0": ("b",), "18": ("a",)}})


def test_a_rule_knows_numbers_that_a_step_before_made():
    data = mv.Microdata(FRAME, hierarchies={"age": mv.hierarchy.Intervals(widths=[10, 20], top=80)})
    plan = mv.Plan(
        [
            {"method": {"uncorrelated-noise": {"p": 0.1}}, "columns": ["age"]},
            {"method": "global-recode", "columns": ["age"]},
        ]
    )
    assert set(plan.run(data, seed=1).frame["age"]) <= {
        "[-10, 0)",
        *(f"[{low}, {low + 10})" for low in range(0, 80, 10)),
        ">=80",
    }


def test_a_mapping_does_not_know_them_and_says_so():
    data = mv.Microdata(FRAME, hierarchies={"age": PATHS})
    plan = mv.Plan(
        [
            {"method": {"uncorrelated-noise": {"p": 0.1}}, "columns": ["age"]},
            {"method": "global-recode", "columns": ["age"]},
        ]
    )
    with pytest.raises(BadInput, match=r"the hierarchy of 'age' has no place for .* and 3 more values; give"):
        plan.run(data, seed=1)


def test_amounts_with_gaps_keep_their_gaps():
    data = mv.Microdata(FRAME, hierarchies={"income": mv.hierarchy.Intervals(widths=[2.5, 5])})
    found = GlobalRecode().apply(data, columns=["income"], missing="mask").frame["income"]
    assert list(found[:-1]) == ["[0, 2.5)"] * 2 + ["[2.5, 5)"] * 2 + ["[5, 7.5)"] * 3
    assert found.isna().tolist() == [False] * 7 + [True]


def test_classes_that_hold_no_neighbours_have_no_order():
    data = mv.Microdata(FRAME, hierarchies={"age": {age: ("odd" if age % 2 else "even",) for age in AGES}})
    assert GlobalRecode().apply(data, columns=["age"]).data.kinds["age"] == "nominal"


def test_means_beside_a_hierarchy_are_refused():
    data = mv.Microdata(FRAME, hierarchies={"age": PATHS})
    with pytest.raises(BadInput, match=r"representative='mean' stands for intervals, and 'age' has a hierarchy"):
        GlobalRecode(representative="mean").apply(data, columns=["age"])


def test_released_classes_are_read_by_the_hierarchy():
    data = mv.Microdata(FRAME, hierarchies={"age": PATHS})
    release = GlobalRecode().apply(data, columns=["age"])
    pair = Pair.of(data, release)
    before, after = pair.own_tables(("age",))
    none = np.empty(0, dtype=np.int64)
    found = read_classes(before["age"], after["age"], none, none)
    assert np.allclose(sorted(found.shares()), [2 / 8, 6 / 8])


def test_one_level_up_is_told_of_amounts():
    data = mv.Microdata(FRAME, roles={"age": "key", "income": "key"}, hierarchies={"age": PATHS})
    assert "with age one level up" in repr(mv.assess(data))


def test_classes_of_subdomains_are_in_one_order():
    frame = pd.DataFrame({"age": [21, 45, 33, 22, 47, 36], "area": list("aabbab")})
    data = mv.Microdata(frame, hierarchies={"age": mv.hierarchy.Intervals(widths=[10])})
    release = GlobalRecode().apply(data, columns=["age"], by=["area"])
    assert release.data.values("age").levels == ("[20, 30)", "[30, 40)", "[40, 50)")
