"""Rules that a file keeps are proposed with their support; chance is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.plan import Project, inspect
from microveil.plan.inspection import first_look
from microveil.plan.proposed_rules import Rule


def business(n: int = 400) -> pd.DataFrame:
    draw = np.random.default_rng(2)
    home, abroad = np.round(draw.gamma(1.0, 900.0, (2, n)) * (draw.random((2, n)) < 0.8), 2)
    total = np.round(home + abroad, 2)
    return pd.DataFrame(
        {
            "firm id": np.arange(n) + 70_001,
            "founded": draw.integers(1950, 2020, n),
            "home revenue": home,
            "abroad revenue": abroad,
            "total revenue": total,
            "taxed revenue": np.where(draw.random(n) < 0.4, total, np.round(total * draw.random(n), 2)),
            "balance": np.round(draw.normal(0, 900, n), 2),
        }
    )


def rules(frame: pd.DataFrame, **stated: object) -> dict[str, Rule]:
    return {str(rule.edit): rule for rule in inspect(mv.Microdata(frame, **stated)).rules}


def test_amounts_sums_and_bounds_are_proposed_with_their_support():
    frame = business()
    found = rules(frame)
    assert set(found) == {
        "`home revenue` >= 0",
        "`abroad revenue` >= 0",
        "`total revenue` >= 0",
        "`taxed revenue` >= 0",
        "`total revenue` == `home revenue` + `abroad revenue`",
        "`taxed revenue` <= `total revenue`",  # that parts are at most their total follows from the sum
    }
    assert all(rule.active for rule in found.values())
    zeros = int((frame["home revenue"] == 0).sum())
    assert found["`home revenue` >= 0"].why == f"holds in all 400 records; {zeros} are 0"
    assert "reach it" in found["`taxed revenue` <= `total revenue`"].why


def test_what_nearly_all_records_keep_is_shown_with_those_that_do_not():
    frame = business()
    frame.loc[[3, 9], "total revenue"] += 5
    frame.loc[7, "home revenue"] = -1.0
    found = inspect(frame)
    broken = {str(rule.edit): rule for rule in found.rules if not rule.active}
    total = "`total revenue` == `home revenue` + `abroad revenue`"
    assert broken["`home revenue` >= 0"].why == "1 of 400 records breaks it: row 8"
    assert broken[total].why == "3 of 400 records break it: rows 4, 8, 10"
    assert total not in found.edits
    text = Project.propose("a.csv", "", mv.Microdata(frame), found).to_text()
    assert f"# - '{total}'  # 3 of 400 records break it: rows 4, 8, 10\n" in text
    assert "Rules that nearly hold and are not used" in repr(found)
    assert "3 of 400 records break it" in found._repr_html_()


def test_sums_that_most_records_keep_are_shown_and_equal_zeros_are_none():
    frame = business(1000)
    off = np.random.default_rng(5).random(1000) < 0.07
    frame.loc[off, "total revenue"] += 1
    draw = np.random.default_rng(6)
    frame["grants"], frame["fines"] = np.round(draw.gamma(1.0, 90.0, (2, 1000)) * (draw.random((2, 1000)) < 0.05), 2)
    found = rules(frame)
    total = found["`total revenue` == `home revenue` + `abroad revenue`"]
    assert total.broken == int(off.sum())
    assert not total.active
    assert not any("grants" in text and "fines" in text for text in found)


def test_a_chain_of_bounds_is_told_by_its_links():
    draw = np.random.default_rng(3)
    low = np.round(draw.gamma(2.0, 500.0, 300), 1)
    middle = low + np.where(draw.random(300) < 0.5, 0.0, np.round(draw.gamma(2.0, 400.0, 300), 1))
    high = middle + np.where(draw.random(300) < 0.5, 0.0, np.round(draw.gamma(2.0, 400.0, 300), 1))
    found = rules(pd.DataFrame({"low": low.round(1), "middle": middle.round(1), "high": high.round(1)}))
    assert {"low <= middle", "middle <= high"} <= set(found)
    assert "low <= high" not in found


@pytest.mark.parametrize("records", [8, 19])
def test_few_records_show_no_rule(records):
    assert not rules(business(records))


def test_the_project_holds_rules_that_read_again_and_the_data_run_inside_them():
    frame = business()
    found = inspect(frame)
    project = Project.propose("a.csv", "", found.source, found)
    again = Project.from_text(project.to_text())
    assert again == project
    assert list(again.constraints) == found.edits == [str(edit) for edit in found.data.edits]
    assert "- '`home revenue` >= 0'  # holds in all 400 records; " in project.to_text()
    assert found.plan is not None
    assert [step.method.name for step in found.plan.steps] == ["micro-hybrid"]
    release = found.plan.run(found.data, seed=1)
    assert not release.lost
    assert not release.data.broken_edits()
    assert sum("in every record" in str(promise) for promise in release.promises) == len(found.edits)


def test_stated_rules_are_kept_broken_or_not_and_say_that_a_column_holds_amounts():
    frame = pd.DataFrame({"sex": ["f", "m"] * 20, "rooms": [1, 2, 3, 4] * 10, "rent": np.linspace(-1, 90, 40).round(1)})
    found = inspect(mv.Microdata(frame, kinds={"rooms": "continuous"}, edits=["rent >= 0", "rooms >= 1"]))
    assert found.edits[:2] == ["rent >= 0", "rooms >= 1"]
    assert found.rules[0].comment == "stated; 1 of 40 records breaks it: row 1"
    assert found.kinds["rooms"] == "continuous"
    assert found.data.edits[:2] == found.source.edits
    assert first_look(found.source).data.edits == found.source.edits


def test_a_rule_of_columns_that_change_places_is_told_and_not_stated():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "sex": ["f", "m"] * 250,
            "benefit": draw.integers(1, 40, 500),
            "income": draw.gamma(2.0, 9000.0, 500).round(0),
        }
    )
    found = inspect(frame.assign(paid=frame["benefit"] + frame["income"]))
    assert found.kinds["benefit"] == "ordinal"
    rule = next(rule for rule in found.rules if str(rule.edit) == "paid == benefit + income")
    assert rule.comment == "holds in all 500 records; not kept by the plan: benefit changes places in groups"
    assert found.edits == ["income >= 0", "paid >= 0"]


def test_names_that_no_rule_can_say_have_none():
    frame = business().rename(columns={"home revenue": "home `revenue`"})
    assert not any("home" in text for text in rules(frame))
