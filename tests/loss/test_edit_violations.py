"""Records that break the rules of the data are counted, by rule and beside those of the original."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.core.measured import Measured, NotApplicable
from microveil.loss import EditViolations

BEFORE = pd.DataFrame(
    {
        "sex": list("ffmm"),
        "home": [1.5, 2.5, 0.0, 4.25],
        "abroad": [1.5, -1.0, 2.0, np.nan],
        "total": [3.0, 1.5, 2.0, 9.0],
    }
)
RULES = ["abroad >= 0", "total == home + abroad"]


def measured(after: pd.DataFrame, **how: object) -> Measured | NotApplicable:
    return EditViolations()(mv.Microdata(BEFORE, edits=RULES), after, **how)


def test_each_rule_is_counted_and_a_record_once():
    after = BEFORE.assign(abroad=[1.5, -1.0, -2.0, np.nan], total=[3.5, 1.5, 2.0, 9.0])
    found = measured(after)
    assert isinstance(found, Measured)
    assert found.value == 75.0
    assert found.parts == {
        "abroad >= 0": 2.0,
        "total == home + abroad": 2.0,
        "abroad >= 0: in the original": 1.0,
    }
    assert found.said == (
        "3 released records (75 %) break one of the 2 rules of the data; 1 record of the original does too."
    )


def test_a_file_inside_the_rules_has_none_and_rows_need_not_correspond():
    found = measured(BEFORE.iloc[[0, 2, 3]], linked=False)
    assert found.value == 0
    assert found.said == (
        "No released record (0 %) breaks one of the 2 rules of the data; 1 record of the original does."
    )


def test_rules_of_columns_that_are_gone_or_came_back_as_classes_are_not_counted():
    found = measured(BEFORE.assign(total=["0-5", "0-5", "0-5", "5-9"]))
    assert set(found.parts) == {"abroad >= 0", "abroad >= 0: in the original"}
    nothing = measured(BEFORE[["sex", "home"]])
    assert isinstance(nothing, NotApplicable)
    assert "amounts in both files" in nothing.reason


def test_it_does_not_apply_where_nobody_stated_rules():
    found = EditViolations()(BEFORE, BEFORE)
    assert isinstance(found, NotApplicable)
    assert "nobody stated rules" in found.reason


def test_a_release_keeps_the_rules_of_columns_that_are_amounts_still():
    frame = pd.DataFrame({"home": np.arange(40) % 20 + 0.5, "total": np.arange(40) + 20.5})
    data = mv.Microdata(frame, edits=["home >= 0", "home <= total"])
    release = mv.mask.KAnonymise(k=4).apply(data, columns=["home"], seed=1)
    assert release.data.kinds["home"] != "continuous"
    assert release.data.edits == ()
    assert isinstance(EditViolations()(release), NotApplicable)
    assert any("means nothing any more" in note for note in release.notes)
