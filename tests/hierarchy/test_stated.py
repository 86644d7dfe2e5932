"""Hierarchies stated for columns: mappings, files, rules; what meets and what is refused."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem, UnknownColumn
from microveil.hierarchy.stated import extend_paths
from tests.reference import shared_file

FRAME = pa.table({"age": [17, 23, 94], "zip": ["1010", "1020", "8010"], "day": [date(2024, 3, d) for d in (1, 2, 3)]})
BY_TENS = {17: ("[10, 20)", "*"), 23: ("[20, 30)", "*"), 94: ("[90, 100)", "*")}


@pytest.mark.parametrize(
    "stated",
    [
        mv.hierarchy.Intervals(widths=[10]),
        {"intervals": {"widths": [10]}},
        mv.hierarchy.Intervals(widths=[10]).of([17, 23, 94]),
        {str(age): list(path) for age, path in BY_TENS.items()},
        BY_TENS,
    ],
)
def test_ways_to_state_the_same(stated):
    data = mv.Microdata(FRAME, hierarchies={"age": stated})
    assert {age: data.schema["age"].hierarchy[age] for age in BY_TENS} == BY_TENS


def test_files_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mv.Hierarchy(BY_TENS).write("age.csv")
    for path in ("age.csv", tmp_path / "age.csv"):
        assert mv.Microdata(FRAME, hierarchies={"age": path}).values("age").hierarchy == BY_TENS
    mv.write(mv.Microdata(FRAME, roles=dict.fromkeys(FRAME.column_names, "other")), "data.csv", unprotected=True)
    read = mv.read("data.csv", hierarchies={"age": "age.csv", "day": "dates", "zip": "redact"})
    assert dict(read.values("age").hierarchy) == BY_TENS
    assert read.values("day").hierarchy[date(2024, 3, 1)] == ("2024-03", "2024-Q1", "2024", "2020-2029", "*")
    assert read.values("zip").hierarchy["8010"][0] in ("801*", "801*")


def test_days_of_a_file_meet_days_of_a_column(tmp_path):
    path = tmp_path / "day.csv"
    mv.hierarchy.Dates(levels=["month"]).of(FRAME["day"].to_pylist()).write(path)
    data = mv.Microdata(FRAME, hierarchies={"day": path})
    assert data.values("day").hierarchy[date(2024, 3, 2)] == ("2024-03", "*")
    stamped = pd.DataFrame({"day": pd.to_datetime(["2024-03-01", "2024-03-02", "2024-03-03"])})
    assert set(mv.Microdata(stamped, hierarchies={"day": path}).values("day").hierarchy.values()) == {("2024-03", "*")}


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("redct", r"the hierarchy of column 'zip' is 'redct', and there is no such file; .* did you mean 'redact'\?"),
        ("none.csv", "is 'none.csv', and there is no such file; name a file, or one of"),
    ],
)
def test_what_is_neither_file_nor_rule(stated, said):
    with pytest.raises(FileProblem, match=said):
        mv.Microdata(FRAME, hierarchies={"zip": stated})


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (3, "the hierarchy of column 'zip' is 3; map each value to a list of coarser values"),
        ({"1010": ["w"], "1020": ["w"]}, "has no path for '8010' of the column; give each value a path"),
        (
            {"1010": ["w", "a"], "1020": ["w", "b"], "8010": ["g", "a"]},
            "is not nested: 'w' at level 1 becomes 'a' in value '1010' and 'b' in value '1020'",
        ),
        ({"intervals": {"width": [10]}}, r"intervals has no parameter 'width'; did you mean 'widths'\?"),
        (mv.hierarchy.Dates(), "dates takes days, written .*; the column holds '1010', '1020', '8010'"),
    ],
)
def test_what_is_refused(stated, said):
    with pytest.raises((BadInput, KeyError), match=said):
        mv.Microdata(FRAME, hierarchies={"zip": stated})


def test_an_unknown_column():
    with pytest.raises(UnknownColumn, match="hierarchies: there is no column 'ages'; did you mean 'age'"):
        mv.Microdata(FRAME, hierarchies={"ages": "dates"})


def test_facts_stated_otherwise_keep_the_hierarchy_and_none_takes_it_back():
    data = mv.Microdata(FRAME, hierarchies={"age": BY_TENS})
    assert data.with_(roles={"age": "key"}).values("age").hierarchy == BY_TENS
    assert data.with_(kinds={"age": "ordinal"}).values("age").hierarchy == BY_TENS
    assert data.with_(hierarchies={"age": None}).values("age").hierarchy is None
    assert data.with_(hierarchies={"zip": "redact"}).values("age").hierarchy == BY_TENS


def test_missing_codes_need_no_path():
    frame = pa.table({"age": [17, 23, 99]})
    data = mv.Microdata(frame, missing={"age": [99]}, hierarchies={"age": {17: ["young"], 23: ["young"]}})
    assert data.values("age").hierarchy[17] == ("young",)


@pytest.mark.parametrize(
    "stated",
    [
        {17: ["teen"], 23: ["adult"], 94: ["adult"]},
        mv.hierarchy.Intervals(widths=[10], top=90),
        mv.hierarchy.Order(sizes=[2]),
        mv.Hierarchy({"17": ["teen"], "23": ["adult"], "94": ["adult"]}),
    ],
)
def test_a_private_log_holds_the_hierarchy(stated, tmp_path):
    frame = pa.table({"age": [17, 23, 94] * 4, "income": [float(i) for i in range(12)]})
    data = mv.Microdata(frame, hierarchies={"age": stated})
    release = mv.mask.GlobalRecode().apply(data, columns=["age"], seed=1)
    path = tmp_path / "log.json"
    mv.plan.save_log(release, path)
    again = mv.plan.replay(path, frame)
    assert again.frame.equals(release.frame)
    assert set(again.frame["age"].to_pylist()) != {17, 23, 94}


def test_a_log_with_days(tmp_path):
    days = pa.table({"day": [date(2024, month, 1) for month in (1, 2, 7)] * 4})
    table = mv.hierarchy.Dates(levels=["quarter"]).of(days["day"].to_pylist())
    for stated in ("dates", dict(table)):
        release = mv.mask.GlobalRecode().apply(mv.Microdata(days, hierarchies={"day": stated}), columns=["day"], seed=1)
        path = tmp_path / f"{len(str(stated))}.json"
        mv.plan.save_log(release, path)
        assert mv.plan.replay(path, days).frame.equals(release.frame)


def test_a_hierarchy_of_some_values_is_completed_by_its_rule():
    some = mv.hierarchy.Intervals(widths=[10]).of([17])
    data = mv.Microdata(FRAME, hierarchies={"age": some})
    assert dict(data.values("age").hierarchy) == BY_TENS


def test_blanks_around_values_of_a_file_are_not_in_the_way(tmp_path):
    path = tmp_path / "zip.csv"
    path.write_text("1010 ;w;*\n 1020;w;*\n8010;g;*\n")
    assert mv.Microdata(FRAME, hierarchies={"zip": path}).values("zip").hierarchy["1020"] == ("w", "*")


def test_a_table_is_a_hierarchy_too():
    table = pd.DataFrame({"zip": ["1010", "1020", "8010"], "city": ["Vienna", "Vienna", "Graz"]})
    made = mv.Hierarchy.from_frame(table)
    assert made["8010"] == ("Graz", "*")
    assert mv.Hierarchy.from_frame(pa.table({"age": [17], "a": ["x"]}))[17] == ("x",)
    with pytest.raises(BadInput, match=r"the table has an empty field in row 2"):
        mv.Hierarchy.from_frame(table.assign(city=["Vienna", None, "Graz"]))
    with pytest.raises(BadInput, match=r"has no rows"):
        mv.Hierarchy.from_frame(table.head(0))


def test_classes_that_a_method_made_have_no_path():
    made = mv.Microdata(FRAME, hierarchies={"zip": "redact", "age": BY_TENS}).values("zip").hierarchy
    assert "101*" not in made
    assert "1999" not in made
    assert 17.5 in mv.hierarchy.Intervals(widths=[10]).of([17])


def test_very_many_categories_have_distances_one_by_one_but_no_table():
    codes = [f"{code:05}" for code in range(6000)]
    frame = pa.table({"zip": codes, "x": [float(i) for i in range(6000)]})
    data = mv.Microdata(frame, hierarchies={"zip": mv.hierarchy.Redact(replaced=[2])})
    moved = pa.table({"zip": codes[1:] + codes[:1], "x": frame["x"]})
    # 99 in 100 neighbours share their first three digits, which is half of the way up
    assert mv.loss.ValueChange()(data, moved).parts["change[zip]"] == pytest.approx(0.99 * 0.5 + 0.01)
    with pytest.raises(BadInput, match=r"a column with 6,000 categories has a hierarchy, which gives distances of"):
        mv.mask.Microaggregation(partition=mv.partition.MDAV(k=3)).apply(data, columns=["zip", "x"])


def test_the_hierarchies_of_adult_meet_its_records():
    stated = mv.hierarchy.read_hierarchies(shared_file("data", "adult", "adult_hierarchies.csv"))
    data = mv.read(shared_file("data", "adult", "adult.csv.gz"), hierarchies=stated)
    assert data.kinds["age"] == "continuous"
    release = mv.mask.GlobalRecode(level={"age": 2}).apply(data, columns=["age", "education"], seed=1)
    ages = data.frame["age"].to_pylist()
    assert [stated["age"][str(age)][1] for age in ages] == release.frame["age"].to_pylist()
    assert set(release.frame["education"].to_pylist()) == set(stated["education"].at(1))


def test_a_rule_extends_its_hierarchy_to_values_of_another_file():
    made = mv.Microdata(FRAME, hierarchies={"zip": mv.hierarchy.Redact(replaced=[2])}).values("zip").hierarchy
    assert extend_paths(made, ("8099",))["8099"] == ("80**", "*")
    assert extend_paths(made, ())["1010"] == ("10**", "*")
    assert extend_paths(BY_TENS, (30,)) is BY_TENS
