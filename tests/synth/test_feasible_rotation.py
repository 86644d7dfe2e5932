"""Exact moments inside the rules of the data."""

from __future__ import annotations

import numpy as np
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.kernels.rotation.feasible import Drawn
from microveil.synth.feasible_rotation import _notes
from tests.firms import AMOUNTS, as_data, broken_rules, firms, released

ROTATION = mv.synth.FeasibleRotation()


def assert_moments_stay(new, frame, columns=AMOUNTS):
    old = frame[columns]
    np.testing.assert_allclose(new[columns].mean(), old.mean(), rtol=1e-12)
    scale = np.sqrt(np.outer(old.var(), old.var()))
    assert (np.abs(new[columns].cov() - old.cov()) <= 1e-9 * scale).all(axis=None)


@pytest.mark.parametrize("zeros", ["keep", "move"])
def test_moments_and_rules_of_a_whole_file(zeros):
    frame = firms()
    release = released(mv.synth.FeasibleRotation(zeros=zeros), frame, exact=True)
    assert_moments_stay(release.frame, frame)
    assert broken_rules(release.frame) == {}
    promised = {str(promise.claim) for promise in release._state.promises}
    assert {f"{rule} in every record" for rule in ("total == home + abroad", "costs <= total")} <= promised


def test_kept_columns_keep_their_covariances_and_count_in_the_rules():
    frame = firms()
    drawn = ["total", "home", "abroad", "rent"]
    release = released(ROTATION, frame, exact=True, columns=drawn, given=["costs", "staff"])
    assert_moments_stay(release.frame, frame)
    assert (release.frame[["costs", "staff"]] == frame[["costs", "staff"]]).all(axis=None)
    assert broken_rules(release.frame) == {}
    assert (release.frame["home"] != frame["home"]).mean() > 0.9


def test_categories_are_kept_with_their_means():
    frame = firms()
    release = released(ROTATION, frame, exact=True, given=["region"])
    np.testing.assert_allclose(
        release.frame.groupby("region")[AMOUNTS].mean(), frame.groupby("region")[AMOUNTS].mean(), rtol=1e-10
    )
    assert broken_rules(release.frame) == {}


def test_rules_beyond_the_columns_at_hand_are_told():
    release = released(ROTATION, firms(), columns=["rent", "home"], given=[])
    (told,) = [note for note in release.notes if "not kept" in note]
    assert told.startswith(
        "total == home + abroad, rent <= 0.9 * costs: not kept; columns of a rule are drawn together"
    )


def test_data_that_break_a_rule_are_refused_with_their_number():
    frame = firms()
    frame.loc[[3, 5], "rent"] = -1.0
    with pytest.raises(BadInput, match=r"^2 records of the data break the rule 'rent >= 0', .* correct them"):
        released(ROTATION, frame)
    frame.loc[3, "rent"] = 1.0
    with pytest.raises(BadInput, match=r"^1 record of the data breaks the rule 'rent >= 0', .* correct it"):
        released(ROTATION, frame)


def test_without_rules_amounts_may_become_negative_as_with_ipso():
    frame = firms()
    release = released(ROTATION, frame, (), exact=True)
    assert_moments_stay(release.frame, frame)
    assert (release.frame[AMOUNTS] < 0).any(axis=None)


def test_subdomains_keep_their_moments():
    frame = firms()
    release = released(ROTATION, frame, exact=True, by="region", given=[])
    assert broken_rules(release.frame) == {}
    assert release._state.synthetic


def test_totals_of_small_records_beside_large_ones_are_exact():
    frame = firms(40)
    frame[AMOUNTS] = frame[AMOUNTS] / 7 * np.where(np.arange(40) % 2, 1e9, 1e-3)[:, None]
    frame["staff"] += 1
    frame["total"] = frame["home"] + frame["abroad"]
    assert broken_rules(released(ROTATION, frame, exact=True).frame) == {}


def test_what_cannot_move_is_told():
    frame = firms(12)
    frame[["home", "total"]] = 0.0
    frame.loc[4, ["home", "total"]] = 50.0
    data = as_data(frame, ("home >= 0", "total >= 0"))
    for came_back, what in (
        ("tell", "whoever knows some values finds the others"),
        (None, "whoever knows some values finds the others"),  # a file of one record over and over is of no use
        ("average", "1 group with such records"),
    ):
        method = mv.synth.FeasibleRotation(zeros="move", came_back=came_back)
        release = mv.Plan([{"method": method, "columns": ["home", "total"], "given": []}]).run(data, seed=1)
        (told,) = [note for note in release.notes if "12 records of 12 came back as one of their group was" in note]
        assert what in told


def test_a_walk_that_resembles_the_original_is_told_with_what_to_do():
    frame = firms()
    frame.loc[4, ["home", "total"]] = [1e7, 1e7 + frame.loc[4, "abroad"]]
    one = released(ROTATION, frame, ("home >= 0",), columns=["home"], given=[])
    assert any("the rules leave little room" in note and "groups of similar records" in note for note in one.notes)
    wide = released(ROTATION, frame, ("home >= -1e9",), columns=["home"], given=[])
    assert not any("little room" in note for note in wide.notes)
    correlated = [note for note in wide.notes if "with those that they came from" in note]
    assert correlated


@pytest.mark.parametrize(("size", "remedy"), [(3, "take a larger k,"), (100, "take a smaller k,")])
def test_what_to_do_depends_on_the_size_of_groups(size, remedy):
    drawn = Drawn(np.zeros((4 * size, 1)), np.full(4 * size, -1), np.ones(4), 0.6, 0.01, 30)
    assert remedy in _notes(drawn, 4 * size, exact=True)[1]
