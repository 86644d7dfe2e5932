"""Repair by the edits of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from tests.firms import AMOUNTS, as_data, broken_rules, firms, with_gaps

NOISE = {"method": mv.mask.UncorrelatedNoise(p=0.4), "columns": AMOUNTS}
REPAIR = mv.mask.Repair()


@pytest.mark.parametrize("integers", ["round", "keep exact"])
@pytest.mark.parametrize("by", [None, "region"])
def test_after_repair_no_rule_is_broken_and_that_is_promised(integers, by):
    data = as_data(firms(), integers=integers)
    release = mv.Plan([NOISE, {"method": REPAIR, "by": by}]).run(data, seed=3)
    assert broken_rules(release.frame) == {}
    assert any("moved into the edits of the data" in note for note in release.notes)
    promised = {str(promise.claim) for promise in release._state.promises}
    assert {"rent <= 0.9 * costs in every record", "total == home + abroad in every record"} <= promised


def test_records_that_keep_the_rules_stay_as_they_are():
    frame = firms()
    frame.loc[3, "rent"] = -1.0
    frame.loc[5, "total"] += 7
    release = mv.Plan([REPAIR]).run(as_data(frame), seed=1)
    same = (release.frame[AMOUNTS] == frame[AMOUNTS]).all(axis=1)
    assert list(np.flatnonzero(~same)) == [3, 5]
    assert release.frame.loc[3, "rent"] == 0
    assert release.frame.loc[3, "home"] == frame.loc[3, "home"]
    assert broken_rules(release.frame) == {}
    assert "2 records were moved into the edits of the data" in release.notes


def test_repair_first_makes_broken_data_fit_for_methods_that_keep_rules():
    frame = firms()
    frame.loc[:4, "rent"] = -1.0
    hybrid = {"method": mv.hybrid.MicroHybrid(), "columns": AMOUNTS, "given": []}
    with pytest.raises(BadInput, match=r"5 records of the data break the rule 'rent >= 0'"):
        mv.Plan([hybrid]).run(as_data(frame), seed=1)
    assert broken_rules(mv.Plan([REPAIR, hybrid]).run(as_data(frame), seed=1).frame) == {}


def test_columns_that_are_not_chosen_stay_and_count_in_the_rules():
    frame = firms()
    frame["rent"] += 0.9 * frame["costs"]
    data = as_data(frame, ("rent >= 0", "rent <= 0.9 * costs"))
    release = mv.Plan([(REPAIR, ["rent"])]).run(data, seed=1)
    assert (release.frame["costs"] == frame["costs"]).all()
    assert broken_rules(release.frame, ("rent >= 0", "rent <= 0.9 * costs")) == {}


def test_gaps_stay():
    frame = with_gaps(firms())
    steps = [{**NOISE, "missing": "mask"}, {"method": REPAIR, "missing": "mask"}]
    release = mv.Plan(steps).run(as_data(frame), seed=3)
    assert broken_rules(release.frame) == {}
    assert (release.frame[AMOUNTS].isna() == frame[AMOUNTS].isna()).all(axis=None)


def test_rules_that_contradict_one_another_are_told():
    data = as_data(firms(), ("rent >= 5", "rent <= 3"))
    release = mv.Plan([NOISE, REPAIR]).run(data, seed=1)
    assert any("240 records break edits that no change of these columns satisfies" in note for note in release.notes)


def test_ranges_that_are_named_are_all_that_is_repaired():
    release = mv.Plan([NOISE, (mv.mask.Repair(low=0.0), AMOUNTS)]).run(as_data(firms()), seed=3)
    assert release.frame[AMOUNTS].min().min() >= 0
    assert "total == home + abroad" in broken_rules(release.frame)


@pytest.mark.parametrize(
    "rules",
    [("z >= 0", "z == 0"), ("a >= b", "b >= a"), ("a == b", "a >= b", "b >= 0"), ("a == 5", "a <= 5")],
    ids=" and ".join,
)
def test_rules_that_meet_on_one_face_are_no_contradiction(rules):
    draws = np.random.default_rng(6)
    frame = pd.DataFrame(draws.normal(4, 3, (200, 3)), columns=["a", "b", "z"])
    data = mv.Microdata(frame, edits=list(rules), roles=dict.fromkeys(frame, "confidential"), integers="keep exact")
    release = mv.mask.Repair().apply(data)
    for edit in data.edits:
        slack = edit.slack({name: release.frame[name].to_numpy() for name in frame})
        assert (np.abs(slack) if edit.equal else np.maximum(-slack, 0)).max() < 1e-10
