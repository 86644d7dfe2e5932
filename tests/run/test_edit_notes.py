"""What is told of the rules of the data, and what is promised."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.firms import AMOUNTS, as_data, broken_rules, firms, released

NOT_SINGLE = {"total == home + abroad", "rent <= 0.9 * costs", "costs <= total"}


def told(release):
    return [note for note in release.notes if "the rule" in note]


@pytest.mark.parametrize(
    "method",
    [mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)), mv.mask.Sample(fraction=0.5)],
    ids=lambda method: method.name,
)
def test_rules_kept_by_construction_are_not_told_as_broken(method):
    release = released(method, firms())
    assert broken_rules(release.frame) == {}
    assert told(release) == []
    promised = {str(promise.claim) for promise in release.promises}
    assert {f"{edit} in every record" for edit in release.original.edits} <= promised


@pytest.mark.parametrize("method", [mv.mask.RankSwap(p=10), mv.mask.DataShuffle()], ids=lambda method: method.name)
def test_changing_places_keeps_rules_about_one_column(method):
    release = released(method, firms())
    broken = broken_rules(release.frame)
    assert "total == home + abroad" in broken
    assert set(broken) <= NOT_SINGLE
    promised = {str(promise.claim) for promise in release._state.promises}
    assert {"home >= 0 in every record", "staff >= 1 in every record"} <= promised


def test_a_rule_that_the_original_broke_is_told_with_both_numbers():
    frame = firms()
    frame.loc[:2, "rent"] = -5.0
    release = released(mv.mask.RankSwap(p=10), frame, columns=["rent"])
    assert told(release)[0].startswith("3 records break the rule 'rent >= 0' (of the original 3); micro-hybrid, and")


def test_columns_that_stayed_are_named():
    release = released(mv.mask.RankSwap(p=20), firms(), columns=["rent"])
    assert told(release)[0].endswith(
        "costs stayed: protect the columns of a rule in one step, or keep these beside it (given)"
    )


def test_rules_about_columns_that_nobody_changed_are_not_told():
    frame = firms()
    frame.loc[:2, "rent"] = -5.0
    assert told(released(mv.mask.RankSwap(p=10), frame, columns=["staff"])) == []


def test_a_rule_about_a_column_that_became_classes_means_nothing():
    release = released(mv.mask.GlobalRecode(cuts={"staff": [5, 10]}), firms(), ("staff >= 1",), columns=["staff"])
    assert told(release) == ["the rule 'staff >= 1' means nothing any more: staff came back as classes"]


def test_a_rule_that_only_rounding_breaks_is_told_and_not_promised():
    draws = np.random.default_rng(1)
    halves = draws.integers(1, 400, 200)
    frame = pd.DataFrame({"a": 2 * halves, "b": 3 * halves, "c": draws.integers(0, 50, 200)})
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    release = released(hybrid, frame, ("3 * a == 2 * b", "c >= 0"), columns=["a", "b", "c"])
    broken = int((3 * release.frame["a"] != 2 * release.frame["b"]).sum())
    assert broken > 0
    assert f"{broken} records break the rule '3 * a == 2 * b' by the digits of the file" in told(release)[0]
    promised = {str(promise.claim) for promise in release._state.promises}
    assert "c >= 0 in every record" in promised
    assert not any("3 * a" in claim for claim in promised)


def test_a_later_step_that_breaks_a_rule_is_told_and_no_error():
    plan = mv.Plan([(mv.hybrid.MicroHybrid(), AMOUNTS), (mv.mask.UncorrelatedNoise(p=0.3), AMOUNTS)])
    release = plan.run(as_data(firms()), seed=7)
    broken = broken_rules(release.frame)
    assert broken
    promised = {str(promise.claim) for promise in release._state.promises}
    for rule, number in broken.items():
        assert any(note.startswith(f"{number} records break the rule {rule!r}") for note in told(release))
        assert f"{rule} in every record" not in promised


def test_sums_of_numbers_of_32_bits_are_judged_as_somebody_reads_them():
    draws = np.random.default_rng(3)
    half = draws.random(200).astype(np.float32)
    frame = pd.DataFrame({"half": half, "whole": 2 * half, "other": draws.random(200).astype(np.float32)})
    data = mv.Microdata(
        frame, edits=["whole == 2 * half"], roles=dict.fromkeys(frame, "confidential"), integers="keep exact"
    )
    release = mv.hybrid.MicroHybrid().apply(data, seed=3)
    texts = {name: release.frame[name].to_numpy().astype(str).astype(float) for name in ("half", "whole")}
    broken = int((np.abs(texts["whole"] - 2 * texts["half"]) > 1e-12).sum())
    assert broken > 0
    assert told(release)[0].startswith(f"{broken} records break the rule 'whole == 2 * half' by the digits of the file")
    assert not any("whole" in str(promise.claim) and "==" in str(promise.claim) for promise in release._state.promises)
