"""Global recoding and recode files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.data.microdata import Microdata
from microveil.mask import GlobalRecode, LocalSuppression
from microveil.mask.recode_rules import parse_rule, read_recode_file
from microveil.plan import Plan, Step
from tests.marks import ANY_FILE

FRAME = pd.DataFrame(
    {
        "age": [3, 17, 18, 40, 64, 65, 90, 33],
        "job": ["smith", "miner", "nurse", "nurse", "clerk", "clerk", "smith", "judge"],
        "income": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    }
)
KEY = "aae24849842d7082b66f57ce8270bd04da2c39ffb97df22803c270983032c4e5"
PATHS = {
    "smith": ("manual", "work"),
    "miner": ("manual", "work"),
    "nurse": ("care", "work"),
    "clerk": ("office", "work"),
    "judge": ("office", "work"),
}


def test_cuts_make_open_ended_intervals():
    release = GlobalRecode(cuts={"age": [18, 65]}).apply(FRAME, columns=["age"], seed=1)
    assert release.frame["age"].tolist() == ["<18"] * 2 + ["[18, 65)"] * 3 + [">=65"] * 2 + ["[18, 65)"]
    assert release.data.kinds["age"] == "ordinal"
    assert release.data.values("age").levels == ("<18", "[18, 65)", ">=65")


def test_the_mean_may_stand_for_an_interval():
    release = GlobalRecode(cuts={"income": [4.0]}, representative="mean").apply(FRAME, columns=["income"], seed=1)
    assert release.frame["income"].tolist() == [2.0] * 3 + [6.0] * 5


def test_merges_by_name_leave_the_others():
    merges = {"job": {"outdoor": ["smith", "miner"]}}
    masked = GlobalRecode(merges=merges).apply(FRAME, columns=["job"], seed=1).frame
    assert masked["job"].tolist() == ["outdoor", "outdoor", "nurse", "nurse", "clerk", "clerk", "outdoor", "judge"]
    with pytest.raises(BadInput, match="did you mean 'miner'"):
        GlobalRecode(merges={"job": {"x": ["minner"]}}).apply(FRAME, columns=["job"], seed=1)
    with pytest.raises(BadInput, match="both 'x' and 'y'"):
        GlobalRecode(merges={"job": {"x": ["smith"], "y": ["smith"]}}).apply(FRAME, columns=["job"], seed=1)


@ANY_FILE
@pytest.mark.parametrize(("level", "expected"), [(0, 5), (1, 3), (2, 1)])
def test_each_level_of_a_hierarchy_determines_the_next(level, expected):
    data = Microdata(FRAME, hierarchies={"job": PATHS})
    if level == 0:
        with pytest.warns(UserWarning, match="released every original record"):
            masked = GlobalRecode(level=level).apply(data, columns=["job"], seed=1).frame
    else:
        masked = GlobalRecode(level=level).apply(data, columns=["job"], seed=1).frame
    assert masked["job"].nunique() == expected


def test_two_steps_up_one_after_the_other_equal_two_at_once():
    data = Microdata(FRAME, hierarchies={"job": PATHS})
    values = data.values("job")
    from microveil.mask.recode_levels import generalise

    once = generalise(generalise(values, 1, "job"), 1, "job")
    assert once.levels == generalise(values, 2, "job").levels == ("work",)


def test_a_value_outside_the_hierarchy_is_named():
    paths = {key: value for key, value in PATHS.items() if key != "judge"}
    with pytest.raises(BadInput, match=r"the hierarchy of column 'job' has no path for 'judge' of the column"):
        Microdata(FRAME, hierarchies={"job": paths})


@pytest.mark.parametrize("level", [3, {"job": 7}])
def test_a_level_above_the_top_is_refused_in_words(level):
    came = level if isinstance(level, int) else level["job"]
    message = rf"level {came} of 'job' is above the top of its hierarchy, which is level 2; give 2 or less"
    with pytest.raises(BadInput, match=message):
        GlobalRecode(level=level).apply(Microdata(FRAME, hierarchies={"job": PATHS}), columns=["job"])


def test_rare_levels_are_joined():
    frame = pd.DataFrame({"c": ["a"] * 10 + ["b"] * 9 + ["c"] * 2 + ["d"]})
    masked = GlobalRecode(rare=3).apply(frame, columns=["c"], seed=1).frame["c"]
    assert masked.value_counts().to_dict() == {"a": 10, "b": 9, "other": 3}
    ordered = Microdata(frame, levels={"c": ["c", "a", "b", "d"]})
    masked = GlobalRecode(rare=3).apply(ordered, columns=["c"], seed=1).frame["c"]
    assert masked.value_counts().to_dict() == {"c..a": 12, "b..d": 10}


@pytest.mark.parametrize("cut_by", ["quantile", "width", "optimal"])
def test_amounts_fall_into_about_as_many_bins_as_asked(cut_by):
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(100, 15, size=500)})
    masked = GlobalRecode(bins=5, cut_by=cut_by).apply(frame, seed=1).frame["x"]
    assert 4 <= masked.nunique() <= 5
    if cut_by == "quantile":
        assert masked.value_counts().min() >= 80


def test_gaps_stay_gaps():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0]})
    masked = GlobalRecode(cuts={"x": [2.0]}).apply(frame, seed=1, missing="mask").frame["x"]
    assert masked.isna().tolist() == [False, True, False, False]


def test_rules_as_in_recode_files():
    rule = parse_rule("1: 3, 10-19, -2, 90-")
    assert [rule.covers(v) for v in (3, 10, 15.5, 19, 20, 1, 89, 90, "12")] == [
        True, True, True, True, False, True, False, True, True,
    ]  # fmt: skip
    masked = GlobalRecode(rules={"age": ["1: -17", "2: 18-64", "3: 65-"]}).apply(FRAME, columns=["age"], seed=1).frame
    assert masked["age"].tolist() == ["1", "1", "2", "2", "2", "3", "3", "2"]
    with pytest.raises(BadInput, match=r"no rule says what becomes of \[90.0\]"):
        GlobalRecode(rules={"age": ["1: -17", "2: 18-64", "3: 65-80"]}).apply(FRAME, columns=["age"], seed=1)
    with pytest.raises(BadInput, match="not a recoding"):
        parse_rule("1 10-19")


def test_mu_argus_files(tmp_path):
    lines = ["1: 0-17", "2: 18-64", "3: 65-98", "9: 99", "<MISSING> 9", '<CODELIST> "age.cdl"']
    (tmp_path / "age.grc").write_text("\r\n".join(lines))
    (tmp_path / "age.cdl").write_text("1,young\n2,working age\n3,old\n")
    frame = pd.DataFrame({"age": [5, 30, 70, 99]})
    plain = GlobalRecode.from_recode_files({"age": tmp_path / "age.grc"}).apply(frame, columns=["age"], seed=1).frame
    assert plain["age"].tolist()[:3] == ["1", "2", "3"]
    assert plain["age"].isna().tolist() == [False, False, False, True]
    named = GlobalRecode.from_recode_files({"age": tmp_path / "age.grc"}, labels=True)
    assert named.apply(frame, columns=["age"], seed=1).frame["age"].tolist()[:3] == ["young", "working age", "old"]
    assert GlobalRecode.from_spec(named.to_spec()) == named
    with pytest.raises(FileProblem, match=r"nothing\.grc cannot be read"):
        read_recode_file(tmp_path / "nothing.grc")


def test_classes_only_merge_going_up():
    data = Microdata(FRAME, hierarchies={"job": PATHS})
    smallest = []
    for level in (1, 2):
        masked = GlobalRecode(level=level).apply(data, columns=["job"], seed=1).frame
        smallest.append(masked["job"].value_counts().min())
    assert smallest == sorted(smallest)


def test_recoded_keys_may_be_suppressed_without_giving_a_promise_up():
    """The usual way of a survey: coarser keys first, and then the cells by which few records stand out."""
    data = Microdata(FRAME, roles={"age": "key", "job": "key", "income": "confidential"}, kinds={"age": "ordinal"})
    plan = Plan(
        [Step(GlobalRecode(merges={"job": {"other": ["miner"]}}), ["job"]), Step(LocalSuppression(k=2), ["job"])]
    )
    release = plan.run(data, seed=1)
    assert release.frame["job"].isna().any()
    assert not release.lost


@pytest.mark.parametrize("engine", ["memory", "blocks"])
def test_a_column_that_is_joined_in_one_subdomain_only_is_text_in_all(tmp_path, engine):
    """Ages of women are frequent and stay numbers, one of men is joined: a column of a file holds texts or numbers."""
    ages = [15] * 5 + [20] * 6 + [25] * 6 + [15] * 4 + [20] * 6 + [25] * 6
    frame = pd.DataFrame({"age": ages, "sex": ["f"] * 17 + ["m"] * 16})
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    data = mv.scan(tmp_path / "people.parquet", kinds={"age": "ordinal", "sex": "nominal"}, roles={"age": "key"})
    plan = Plan([Step(GlobalRecode(rare=5), ["age"], by=["sex"])])
    found = plan.run(
        data,
        engine=engine,
        into=tmp_path / "out",
        seed=KEY,
    )
    shown = pd.concat(map(pd.read_parquet, found.files))
    assert shown.groupby("sex")["age"].value_counts().to_dict() == {
        ("f", "15"): 5, ("f", "20"): 6, ("f", "25"): 6, ("m", "15..20"): 10, ("m", "25"): 6,
    }  # fmt: skip
