"""Figures of a utility plan: computed by hand, with intervals before, decided after, and advice that is measured."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownColumn
from microveil.measure import Pair
from microveil.plan.milder_changes import milder_changes
from microveil.plan.utility_baseline import estimate_goals
from microveil.plan.utility_figures import check_goals
from microveil.plan.utility_plan import Goal
from microveil.plan.utility_reached import Reached, reach_goals
from microveil.run.contract import Step

X = pa.table({"pay": [10.0, 20.0, 30.0, 50.0], "sex": ["f", "f", "m", "m"], "w": [1.0, 3.0, 1.0, 1.0]})
Y = pa.table({"pay": [10.0, 24.0, 30.0, 50.0], "sex": ["f", "f", "m", "f"], "w": [1.0, 3.0, 1.0, 1.0]})
FACTS = {"roles": {"w": "weight", "pay": "confidential", "sex": "key"}}


def reach(goal: Goal, after: pa.Table = Y) -> Reached:
    before = mv.Microdata(X, **FACTS)
    return reach_goals(Pair.of(before, after), [goal])[0]


def test_statistics_are_weighted_and_the_worst_group_decides() -> None:
    # women: (10 + 3 * 20) / 4 = 17.5 before, (10 + 3 * 24 + 50) / 5 = 26.4 after; men: 40 before, 30 after
    found = reach(Goal("pay", "mean", "pay", ("sex",), tolerance=0.5))
    assert found.found == pytest.approx(26.4 / 17.5 - 1)
    assert not found.kept
    assert found.said == "pay (weighted mean of pay by sex) is NOT kept: 50.9 % off, most in f; 50 % are tolerated."
    assert reach(Goal("pay", "mean", "pay", ("sex",), tolerance=0.51)).kept
    men = reach(Goal("pay", "sum", "pay", where={"sex": "m"}, tolerance=0.625))  # 80 before, 30 after
    assert (men.found, men.kept) == (0.625, True)
    # 4 and 2 in the population before, 5 and 1 after
    assert reach(Goal("people", "count", by=("sex",), tolerance=1)).found == 0.5


def test_a_figure_says_whether_it_is_weighted_where_there_are_weights() -> None:
    regression = reach(Goal("e", regression="pay ~ sex", overlap=-9))
    assert regression.text == "pay ~ sex, without weights"
    assert reach(Goal("r", indicator="total(pay)", tolerance=9)).text == "total(pay), weighted"
    assert reach(Goal("t", table=("sex",), tolerance=1)).text == "weighted table of sex"
    plain = mv.Microdata(X.drop_columns(["w"]))
    assert reach_goals(Pair.of(plain, plain), [Goal("m", "mean", "pay", tolerance=1)])[0].text == "mean of pay"


def test_tables_count_the_share_in_another_cell() -> None:
    found = reach(Goal("sexes", table=("sex",), tolerance=0.16))
    assert found.found == pytest.approx(1 / 6)
    assert not found.kept
    assert reach(Goal("sexes", table=("sex",), tolerance=0.17)).kept


def test_indicators_are_those_of_the_language() -> None:
    found = reach(Goal("ratio", indicator="total(pay) / count()", tolerance=0.08))
    assert found.found == pytest.approx((10 + 72 + 80) / (10 + 60 + 80) - 1)
    assert found.kept


def test_regressions_are_judged_by_their_least_overlap() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200))
    frame = pa.table({"a": a, "b": b, "y": a + 2 * b + rng.normal(size=200)})
    data = mv.Microdata(frame)
    goal = Goal("equation", regression="y ~ a + b", overlap=0.8)
    same = reach_goals(Pair.of(data, data.with_(frame)), [goal])[0]
    assert (same.found, same.kept) == (1.0, True)
    shaken = frame.set_column(0, "a", pa.array(rng.permutation(a)))
    broken = reach_goals(Pair.of(data, data.with_(shaken)), [goal])[0]
    own = mv.loss.IntervalOverlap(formulas=("y ~ a + b",)).fits(Pair.of(data, data.with_(shaken)))[0]
    assert not broken.kept
    assert broken.found is not None
    assert broken.found < 0  # the slope of a was 1 and is about 0: the intervals lie apart
    assert "that of a" in broken.said
    assert own[0][1].coefficients[1] == pytest.approx(1, abs=0.2)


def test_figures_that_nobody_can_compute_any_more_are_not_kept() -> None:
    goal = Goal("pay", "mean", "pay", ("sex",), tolerance=9)
    gone = reach(goal, Y.drop_columns(["pay"]))
    assert (gone.found, gone.kept) == (None, False)
    assert "the release has no column pay" in gone.said
    assert "no records of m" in reach(goal, Y.set_column(1, "sex", pa.array(["f"] * 4))).said
    coded = Y.set_column(0, "pay", pa.array(["0-25", "0-25", "25-50", "25-50"]))
    assert "pay is no number in the release" in reach(goal, coded).said
    assert "pay is no number" in reach(Goal("e", regression="pay ~ sex", overlap=0), coded).said


def test_a_figure_of_nothing_changes_by_its_amount() -> None:
    zero = X.set_column(0, "pay", pa.array([-10.0, 0.0, 5.0, 5.0]))
    before = mv.Microdata(zero, **FACTS)
    moved = reach_goals(Pair.of(before, before.with_(X)), [Goal("sum", "sum", "pay", tolerance=0.1)])[0]
    assert (moved.found, moved.kept) == (150.0, False)
    assert "150 off, where it was 0" in moved.said


@pytest.mark.parametrize(
    ("goal", "error", "message"),
    [
        (
            Goal("g", "mean", "pay", ("w",), tolerance=1),
            BadInput,
            "'w' is an amount; groups and tables are of categories",
        ),
        (Goal("g", "mean", "sex", tolerance=1), BadInput, "'sex' is no column of numbers"),
        (Goal("g", "mean", "pay", where={"sex": "x"}, tolerance=1), BadInput, "no record has sex = 'x'"),
        (Goal("g", regression="sex ~ pay", overlap=1), BadInput, "'sex' is nominal, and regressions are of amounts"),
        (Goal("g", table=("sax",), tolerance=1), UnknownColumn, "did you mean 'sex'"),
    ],
)
def test_goals_that_do_not_fit_the_data_are_told_before(goal: Goal, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_goals(mv.Microdata(X, **FACTS), (goal,))


def test_intervals_before_are_those_of_theory() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(50, 10, size=400)
    data = mv.Microdata(pa.table({"x": x, "y": 3 * x + rng.normal(size=400)}))
    mean, slope = estimate_goals(data, [Goal("m", "mean", "x", tolerance=0), Goal("r", regression="y ~ x", overlap=1)])
    (name, one) = mean.figures[0]
    half = 1.96 * x.std() / 20
    assert (name, one.value) == ("", pytest.approx(x.mean()))
    assert one.high - one.low == pytest.approx(2 * half, rel=0.2)
    assert one.low < x.mean() < one.high
    assert dict(slope.figures)["x"].holds(3.0)
    assert mean == estimate_goals(data, [mean.goal])[0]  # the same records, the same interval


def test_intervals_of_large_files_are_as_narrow_as_their_records_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    data = mv.Microdata(pa.table({"x": rng.normal(50, 10, size=2_000)}))
    goals = [Goal("s", "sum", "x", tolerance=0)]
    whole = estimate_goals(data, goals)[0].figures[0][1]
    monkeypatch.setattr("microveil.plan.utility_baseline._MOST_DRAWN", 500)
    some = estimate_goals(data, goals)[0].figures[0][1]
    assert some.value == whole.value
    assert some.high - some.low == pytest.approx(whole.high - whole.low, rel=0.25)


def test_milder_changes_concern_the_columns_of_the_figures() -> None:
    micro = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=40))
    steps = [(Step(micro, ["a", "b"]), ["a", "b"]), (Step(mv.mask.RankSwap(p=5), ["c"]), ["c"])]
    found = list(milder_changes(steps, ["a"]))
    assert [one.words for one in found] == [
        "k=20 instead of 40 (microaggregation)",
        "microaggregation (partition: mdav (k: 40)) without a, which then leaves as in the file: less protection",
    ]
    assert found[1].steps[0].columns == ("b",)


@pytest.fixture(scope="module")
def coded_keys() -> tuple[mv.Microdata, pa.Table]:
    """Keys that are numbers, and a file in which some of their cells are classes, so that all of them are text."""
    frame = pa.table(
        {"pay": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0], "sex": [1, 1, 2, 2, 1, 2], "age": [20, 21, 20, 21, 20, 21]}
    )
    kinds = {"sex": "nominal", "age": "ordinal", "pay": "continuous"}
    data = mv.Microdata(frame, roles={"sex": "key", "age": "key", "pay": "confidential"}, kinds=kinds)
    return data, frame.set_column(1, "sex", pa.array(["1", "1", "2", "2", "1", "1..2"]))


def test_a_number_that_a_class_made_text_of_is_the_same_value(coded_keys: tuple[mv.Microdata, pa.Table]) -> None:
    data, after = coded_keys
    goals = [
        Goal("by", "mean", "pay", ("sex",), tolerance=0.3),
        Goal("where", "sum", "pay", where={"sex": 1}, tolerance=0),
        Goal("table", table=("sex", "age"), tolerance=0.2),
        Goal("equation", regression="pay ~ sex", overlap=0.1),
    ]
    by, where, table, equation = reach_goals(Pair.of(data, after), goals)
    assert by.said == "by (mean of pay by sex) is kept: 25 % off, most in 2; 30 % are tolerated."  # 14 / 3 and 7 / 2
    assert (where.found, where.kept) == (0, True)
    assert table.found == pytest.approx(1 / 6)  # one record stands in a class
    # the class is a value of its own: records in it do not shift the difference of 2 and 1, which is 3.5 - 8 / 3
    assert equation.kept
    assert {of: new for of, _, new in equation.values}["sex=2"] == pytest.approx(3.5 - 8 / 3)


def test_a_regression_on_values_that_became_classes_is_lost(coded_keys: tuple[mv.Microdata, pa.Table]) -> None:
    data, after = coded_keys
    classes = after.set_column(2, "age", pa.array(["20", "20..21", "20", "20..21", "20", "20..21"]))
    found = reach_goals(Pair.of(data, classes), [Goal("e", regression="pay ~ age", overlap=0)])[0]
    assert found.said == "e (pay ~ age) is NOT kept: the release has no records of age=21."


def test_a_regression_on_a_constant_is_no_figure() -> None:
    frame = pa.table({"y": [1.0, 2.0, 4.0, 3.0], "c": [1.0] * 4})
    found = reach_goals(Pair.of(mv.Microdata(frame), frame), [Goal("e", regression="y ~ c", overlap=0.5)])[0]
    assert found.said == "e (y ~ c) is NOT kept: the original has no such figure."
