"""Columns drawn one after the other: inside ranges that rules state, and totals from their parts."""

from __future__ import annotations

import numpy as np
import pytest

import microveil as mv
from microveil.core.edits import parse_edits
from microveil.synth.drawn_inside import ranges_of
from tests.firms import AMOUNTS, as_data, broken_rules, firms, released

METHODS = [mv.synth.Cart(), mv.synth.SequentialRegression(scale="values", proper=False, powers=1)]
TOLD = "total was not drawn but computed by the rule 'total == home + abroad'"


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_ranges_hold_totals_add_up_and_other_rules_are_counted(method):
    release = released(method, firms())
    broken = broken_rules(release.frame)
    assert set(broken) <= {"rent <= 0.9 * costs", "costs <= total"}
    assert TOLD in release.notes
    for rule, number in broken.items():
        assert any(f"the rule {rule!r}" in note and note.startswith(f"{number} record") for note in release.notes)


def test_without_rules_a_regression_leaves_the_ranges():
    assert (released(METHODS[1], firms(), ()).frame["abroad"] < 0).any()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_records_that_stay_keep_their_gaps_and_totals_whose_parts_did_not_change(method):
    frame = firms()
    frame.loc[::9, ["abroad", "total"]] = np.nan
    some = type(method)(cells={"home": "home > 200"})
    release = released(some, frame, columns=["total", "home", "abroad"], missing="mask")
    assert (release.frame["total"].isna() == frame["total"].isna()).all()
    assert "total == home + abroad" not in broken_rules(release.frame)
    same = (release.frame["home"] == frame["home"]) & (release.frame["abroad"] == frame["abroad"])
    assert (
        release.frame["total"][same & frame["total"].notna()] == frame["total"][same & frame["total"].notna()]
    ).all()


def test_a_total_that_somebody_asks_for_is_drawn():
    release = released(mv.synth.Cart(visit=("total",)), firms())
    assert TOLD not in release.notes


def test_a_total_of_kept_parts_does_not_come_back():
    frame = firms()
    release = released(mv.synth.Cart(), frame, columns=["total"], given=["home", "abroad"])
    assert (release.frame["total"] != frame["total"]).any()
    assert TOLD not in release.notes


def test_stated_bounds_and_rules_are_both_kept():
    edits = parse_edits(["a >= 0", "2 * a <= 10", "b <= 3", "a <= b"])
    assert ranges_of(edits, {"a": (None, 4.0), "c": (1.0, None)}) == {
        "a": (0.0, 4.0),
        "c": (1.0, None),
        "b": (None, 3.0),
    }
    assert ranges_of(edits, {"a": (1.0, 9.0)})["a"] == (1.0, 5.0)


def test_clusters_of_local_synthesis_are_turned_inside_the_rules():
    frame = firms()
    release = released(mv.hybrid.LocalSynthesis(k=40, max_groups=2), frame)
    assert broken_rules(release.frame) == {}
    assert (release.frame[AMOUNTS].sum() == frame[AMOUNTS].sum()).all()
    jittered = released(mv.hybrid.LocalSynthesis(k=40, max_groups=2, jitter_moments=0.2), frame)
    assert any("break the rule" in note for note in jittered.notes)


def test_multiple_imputation_computes_totals_too():
    columns = ["total", "home", "abroad", "rent"]
    data = as_data(firms())
    step = {"method": mv.synth.MultipleImputation(), "columns": columns, "given": ["costs"]}
    release = mv.Plan([step]).run(data, seed=7)
    assert not {"total == home + abroad", "home >= 0", "abroad >= 0", "rent >= 0"} & set(broken_rules(release.frame))
