"""Rules about dates are found, kept by the plan that is proposed, and counted where a plan breaks them."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.plan import inspect, verdict_of


def stays(n: int = 150) -> pd.DataFrame:
    draw = np.random.default_rng(3)
    begin = pd.Timestamp("2025-01-01") + pd.to_timedelta(draw.integers(0, 300, n), "D")
    los = draw.poisson(6, n)
    return pd.DataFrame(
        {
            "admission": begin.strftime("%Y-%m-%d"),
            "discharge": (begin + pd.to_timedelta(los, "D")).strftime("%Y-%m-%d"),
            "los": los,
            "gender": draw.choice(["f", "m"], n),
            "diagnosis": draw.choice(["K35", "F32", "J18"], n),
            "cost": draw.gamma(2.0, 900.0, n).round(2),
        }
    )


RULES = ["admission <= discharge", "discharge == admission + los"]


def of_days(found: mv.plan.Inspection) -> dict[str, str]:
    return {str(rule.edit): rule.comment for rule in found.rules if rule.of_days}


def test_dates_in_an_order_and_the_days_between_them_are_proposed():
    found = inspect(stays())
    assert of_days(found) == dict.fromkeys(RULES, "holds in all 150 records")
    assert set(RULES) <= set(found.edits)
    assert "`blocks` lists, so that admission <= discharge and" in found.comments["plan"].replace("\n# ", " ")


def test_stays_that_count_the_first_day_and_rare_breaks_are_found():
    frame = stays()
    frame["los"] += 1
    frame.loc[4, ["admission", "discharge", "los"]] = ["2025-05-05", "2025-05-01", -3]
    found = inspect(frame)
    assert of_days(found) == {
        "admission <= discharge": "1 of 150 records breaks it: row 5",
        "discharge + 1 == admission + los": "holds in all 150 records",
    }
    assert "admission <= discharge" not in found.edits


def test_dates_that_no_two_records_could_confuse_need_no_rule():
    frame = stays().assign(interview="2026-03-01")
    frame.loc[::2, "interview"] = "2026-03-02"
    assert list(of_days(inspect(frame))) == RULES


def test_the_proposed_plan_keeps_the_rules_and_one_by_one_they_are_counted():
    found = inspect(stays())
    release = found.plan.run(found.data, seed=1)
    verdict = verdict_of(release, found.scenarios)
    assert f"every record keeps all {len(found.edits)} rules of the data" in verdict.line
    assert not (release.frame["admission"] > release.frame["discharge"]).any()
    assert (release.frame["admission"] != stays()["admission"]).mean() > 0.8

    each = mv.hybrid.MicroHybrid(categories="multinomial")
    release = each.apply(found.data, columns=["admission", "discharge", "los"], given=[], seed=1)
    frame = release.frame
    early = int((frame["admission"] > frame["discharge"]).sum())
    assert early > 20
    assert any(
        note.startswith(f"{early} records break the rule 'admission <= discharge': dates") for note in release.notes
    )
    verdict = verdict_of(release, found.scenarios)
    assert f"{early} 'admission <= discharge'" in verdict.line
    counted = mv.loss.EditViolations()(found.data, release)
    assert counted.parts["admission <= discharge"] == early


def test_dates_that_came_back_coarser_are_told_and_not_taken_as_kept():
    data = mv.Microdata(stays(), roles={"admission": "key"}, edits=["admission <= discharge", "cost >= 0"])
    coarse = {day: [day[:7]] for day in stays()["admission"].unique()}
    release = mv.mask.GlobalRecode(level=1).apply(data.with_(hierarchies={"admission": coarse}), columns=["admission"])
    assert any("'admission <= discharge' means nothing any more: admission came" in note for note in release.notes)
    line = verdict_of(release).line
    assert "every record keeps 1 rule of the data · 1 rule of the data could not be counted" in line


def test_a_secret_date_is_not_shown_beside_true_keys():
    frame = stays().rename(columns={"discharge": "diagnosed"}).drop(columns="los")
    data = mv.Microdata(frame, roles={"diagnosed": "confidential", "admission": "key"})
    found = inspect(data)
    assert "admission <= diagnosed" in found.edits
    assert found.plan.steps[0].method.blocks is None
    assert "The plan does not keep admission <= diagnosed" in found.comments["plan"].replace("\n# ", " ")
