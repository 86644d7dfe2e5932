"""The rules that build hierarchies: values computed by hand, and what they refuse."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.hierarchy import Dates, Groups, Intervals, Order, Prefixes, Redact, Tree


def test_intervals_hold_their_lower_end():
    rule = Intervals(widths=[5, 10, 20])
    assert rule.whole_path(20) == ("[20, 25)", "[20, 30)", "[20, 40)", "*")
    assert rule.whole_path(24.9) == ("[20, 25)", "[20, 30)", "[20, 40)", "*")
    assert rule.whole_path(-1) == ("[-5, 0)", "[-10, 0)", "[-20, 0)", "*")


def test_intervals_of_decimals_are_exact():
    rule = Intervals(widths=[0.1, 0.5])
    assert rule.whole_path(0.3) == ("[0.3, 0.4)", "[0, 0.5)", "*")
    assert rule.whole_path("0.7") == ("[0.7, 0.8)", "[0.5, 1)", "*")
    assert rule.whole_path(np.float64(-0.1)) == ("[-0.1, 0)", "[-0.5, 0)", "*")


def test_intervals_begin_and_end_where_it_is_said():
    rule = Intervals(widths=[5, 10], origin=18, bottom=20, top=90)
    assert rule.whole_path(18) == ("<20", "<20", "*")
    assert rule.whole_path(22) == ("[20, 23)", "[20, 28)", "*")
    assert rule.whole_path(89) == ("[88, 90)", "[88, 90)", "*")
    assert rule.whole_path(90) == (">=90", ">=90", "*")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Intervals(widths=[5, 12]), "12 is not a multiple of 5, so that classes would not nest"),
        (lambda: Intervals(widths=[10, 5]), "5 is not a multiple of 10"),
        (lambda: Intervals(widths=[]), "needs numbers above 0"),
        (lambda: Intervals(widths=[5, float("inf")]), "needs numbers above 0"),
        (lambda: Intervals(widths=[5], bottom=9, top=9), "bottom=9 is not below top=9"),
        (lambda: Intervals(widths=[5]).of(["a", 3, True]), "intervals takes numbers; the column holds 'a', True"),
        (lambda: Intervals(widths=[5]).of([]), "intervals is given no value"),
        (lambda: Intervals(widths=[5]).of([1e30]), r"width 5 around 1e\+30 have ends that cannot be told apart"),
        (lambda: Intervals(widths=[1e-9]).of([1e6]), "have ends that cannot be told apart; give wider ones"),
        (lambda: Order(sizes=[2, 3]), "3 is not a multiple of 2"),
        (lambda: Order(levels=["a", "b"]).of(["a", "c"]), "takes values that are among its levels; .* 'c'"),
        (lambda: Order(levels=["a", "b", "a"]), "levels names 'a' twice"),
        (lambda: Groups(levels=[]), "levels is empty"),
        (lambda: Groups(levels=[{}]), "level 1 lists no group"),
        (lambda: Groups(levels=[{"x": []}]), "the group 'x' of level 1 has no member"),
        (lambda: Groups(levels=[{"x": ["a"], "y": ["a"]}]), "'a' is in the groups 'x' and 'y' of level 1"),
        (lambda: Redact(replaced=[2, 1]), r"replaced=\[2, 1\] is not a list of rising"),
        (lambda: Redact(replaced=[6], length=5), "goes beyond length=5"),
        (lambda: Redact(mark="xx"), "must be one character"),
        (lambda: Redact(length=3).of(["12", "1234"]), "takes codes that are not longer than its length; .* '1234'"),
        (lambda: Dates(levels=["week", "month"]), "weeks lie across two months; leave out 'week' or 'month'"),
        (lambda: Dates(levels=["year", "month"]), "periods from short to long"),
        (lambda: Dates().of(["31.12.2024"]), r"dates takes days, written .*; the column holds '31\.12\.2024'"),
        (lambda: Prefixes(lengths=[1, 2]), "is not a list of falling"),
        (lambda: Tree(), "needs either the file of the tree or its parents"),
        (lambda: Tree(parents={"a": "b"}, delimiter=";"), "is that of a file; give the file too"),
        (lambda: Tree(parents={"a": "b", "b": "a"}).of(["a"]), "leads from 'a' back to itself"),
        (lambda: Tree(parents={"a": "b"}).of(["c"]), "tree takes nodes of the tree; the column holds 'c'"),
        (lambda: mv.Hierarchy({}), "map each value to a list of coarser values"),
        (lambda: mv.Hierarchy({"a": "x"}), "maps 'a' to 'x'; give a list of coarser values"),
        (
            lambda: mv.Hierarchy({"a": ["c"], "b": ["c"], "c": ["d"], "d": ["d"]}),
            r"calls a group at level 1 'c' \(in value 'a'\), and 'c' is a value that becomes 'd' there; give the group",
        ),
        (lambda: Groups(levels=[{"2": [1, 3], "x": [2]}]).of([1, 2, 3]), "and '2' is a value that becomes 'x' there"),
        (
            lambda: mv.Hierarchy({"a": ["x"], None: ["x"]}),
            "has no value in the path .*; gaps need no path, leave them out",
        ),
        (
            lambda: mv.Hierarchy.from_frame(pd.DataFrame({"v": [1.0, np.nan], "c": ["x", "x"]})),
            "the table has no value in row 2; gaps need no path",
        ),
        (lambda: mv.Hierarchy({"a": ["x", None]}), "has an empty field in value 'a'"),
    ],
)
def test_what_is_wrong_is_said(wrong, said):
    with pytest.raises(BadInput, match=said):
        wrong()


def test_order_is_that_of_the_column_or_stated():
    levels = ["none", "basic", "middle", "high", "top"]
    made = Order(sizes=[2, 4], levels=levels).of(levels)
    assert made["basic"] == ("none..basic", "none..high", "*")
    assert made["top"] == ("top", "top", "*")
    # the levels stay known, whichever of them a column holds
    assert made.rule.of(["top", "basic"])["basic"] == ("none..basic", "none..high", "*")
    assert Order(sizes=[2], levels=[1, 2, 3]).whole_path(3.0) == ("3", "*")


def test_ordinal_columns_give_their_stated_order():
    frame = pd.DataFrame({"size": ["large", "small", "large"]})
    data = mv.Microdata(frame, levels={"size": ["small", "middle", "large"]}, hierarchies={"size": Order(sizes=[2])})
    assert data.values("size").hierarchy["small"] == ("small..middle", "*")
    assert data.values("size").hierarchy["large"] == ("large", "*")


def test_numbers_and_days_rise_and_texts_have_no_order_of_their_own():
    assert Order().of([3, 1, 2, 10])[3] == ("3..10", "*")
    days = [date(2024, 3, 1), date(2024, 1, 1), date(2024, 2, 1)]
    assert Order().of(days)[days[2]] == ("2024-01-01..2024-02-01", "*")
    texts = ["low", "middle", "high"]
    said = r"order needs the order of 'high', 'low', 'middle'; state the order in the levels of the rule"
    with pytest.raises(BadInput, match=said):
        mv.Microdata(pd.DataFrame({"size": texts}), hierarchies={"size": Order()})
    with pytest.raises(BadInput, match="state the order"):
        Order().of(texts)
    ordered = pd.DataFrame({"size": pd.Categorical(texts, categories=texts, ordered=True)})
    assert mv.Microdata(ordered, hierarchies={"size": Order()}).values("size").hierarchy["low"][0] == "low..middle"


def test_a_slip_in_the_name_of_a_member_is_told():
    cities, states = ["Vienna", "Linz", "Graz"], {"East": ["Vienna", "Linz"], "South": ["Graz"]}
    with pytest.raises(BadInput, match=r"'Viena' in the group 'East' is no value .* did you mean 'Vienna'\?"):
        Groups(levels=[{"East": ["Viena", "Linz"]}]).of(cities)
    with pytest.raises(BadInput, match=r"'Est' in the group 'Austria' of level 2 is nothing .* did you mean 'East'\?"):
        Groups(levels=[states, {"Austria": ["Est", "South"]}]).of(cities)
    with pytest.raises(BadInput, match=r"'Vienna' in the group 'Austria' of level 2 is nothing that level 1 shows"):
        Groups(levels=[states, {"Austria": ["Vienna", "South"]}]).of(cities)
    # a classification may list more than a file has, and a value that no group lists may be named further up
    assert Groups(levels=[{**states, "West": ["Bregenz"]}]).of(cities)["Graz"] == ("South", "*")
    above = Groups(levels=[{"East": ["Vienna", "Linz"]}, {"Austria": ["East", "Graz"]}])
    assert above.of(cities)["Graz"] == ("Graz", "Austria", "*")


def test_values_that_only_a_register_has_are_no_slips():
    frame = pd.DataFrame({"city": ["Vienna", "Linz"] * 3})
    rule = Groups(levels=[{"East": ["Vienna", "Linz", "Wels"]}])
    data = mv.Microdata(frame, roles={"city": "key"}, hierarchies={"city": rule})
    register = pd.DataFrame({"city": ["Vienna", "Linz", "Graz"] * 4})
    mask = mv.mask.Lattice(model=mv.Anonymity(k=1, register=8))
    assert set(mask.apply(data, register=register).frame["city"]) == {"East"}


def test_groups_of_groups():
    rule = Groups(levels=[{"low": [1, 2], "high": [3]}, {"all": ["low", "high"]}])
    assert rule.whole_path(1) == ("low", "all", "*")
    assert rule.whole_path(9) == ("9", "9", "*")


@pytest.mark.parametrize(
    ("rule", "code", "path"),
    [
        (Redact(length=5), "10115", ("1011*", "101**", "10***", "1****", "*")),
        (Redact(length=5, side="left", replaced=[2, 4]), "10115", ("**115", "****5", "*")),
        (Redact(length=5, pad="0", pad_side="left", replaced=[2, 3]), 4109, ("041**", "04***", "*")),
        (Redact(length=4, replaced=[1, 2]), "10", ("10**", "10**", "*")),
        (Redact(length=8, replaced=[3, 5]), "SW1A 2AA", ("SW1A ***", "SW** ***", "*")),
        (Redact(length=4, replaced=[2], mark="x"), "1010", ("10xx", "*")),
    ],
)
def test_characters_are_replaced_from_either_side(rule, code, path):
    assert rule.whole_path(code) == path


def test_the_longest_code_gives_the_length():
    made = Redact().of(["123", "12345"])
    assert made["123"] == ("123**", "123**", "12***", "1****", "*")
    assert made.rule.length == 5


def test_days_in_periods():
    rule = Dates(levels=["day", "month", "quarter", "year", "decade"])
    path = ("2024-12-30", "2024-12", "2024-Q4", "2024", "2020-2029", "*")
    for value in ("2024-12-30", date(2024, 12, 30), datetime(2024, 12, 30, 17, 5), "2024-12-30T01:00:00"):  # noqa: DTZ001
        assert rule.whole_path(value) == path
    assert Dates(pattern="%d.%m.%Y", levels=["year"]).whole_path("30.12.2024") == ("2024", "*")


def test_a_week_belongs_to_one_year():
    rule = Dates(levels=["week", "year", "decade"])
    assert rule.whole_path("2024-12-30") == rule.whole_path("2025-01-01") == ("2025-W01", "2025", "2020-2029", "*")


def test_prefixes_of_codes():
    rule = Prefixes(lengths=[3, 2])
    assert rule.whole_path(2411) == ("241", "24", "*")
    assert rule.whole_path("01.11") == ("01.1", "01", "*")
    assert rule.whole_path("01") == ("01", "01", "*")


def test_trees_from_files(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text("Vienna;Austria;capital\nGraz;Austria\nAustria;Europe\nMalta;Europe\nEurope;*\nOslo;Norway\n")
    made = Tree(file=str(path)).of(["Vienna", "Malta", "Austria", "Oslo"])
    assert made["Vienna"] == ("Austria", "Europe", "*")
    assert made["Malta"] == ("Malta", "Europe", "*")
    assert made["Austria"] == ("Austria", "Europe", "*")
    assert made["Oslo"] == ("Oslo", "Norway", "*")
    path.write_text("a;b\n")
    assert made.rule.whole_path("Graz") == ("Austria", "Europe", "*")  # the file may change now
    path.write_text("a;b\na;c\n")
    with pytest.raises(BadInput, match="gives 'a' two parents, 'b' and in line 2 'c'"):
        Tree(file=str(path)).of(["a"])
    path.write_text("a;b\nc\n")
    with pytest.raises(BadInput, match="no node and parent in line 2"):
        Tree(file=str(path)).of(["a"])


def test_columns_of_any_library_can_be_given():
    for values in (pd.Series([3, 7, None]), np.array([3.0, 7.0, np.nan]), [3, 7, 7, None]):
        assert list(Intervals(widths=[5]).of(values)) == [3, 7]
