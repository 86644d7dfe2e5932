"""Somebody who knows all members of a group but one: exact moments give the last one away, jittered ones do not."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.claims import GroupsAtLeast
from microveil.core import BadInput
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV
from microveil.synth import Cart, Ipso
from tests.hybrid.groups import amounts

K = 10


def differenced(frame, release, column):
    """What subtraction gives for one member of each group, and its true value, in standard deviations of the group."""
    errors = []
    for group in range(release.groups.max() + 1):
        rows = np.flatnonzero(release.groups == group)
        truth, total = frame[column].to_numpy()[rows], release.frame[column].to_numpy()[rows].sum()
        errors.append((total - truth[:-1].sum() - truth[-1]) / truth.std())
    return np.array(errors)


@pytest.mark.parametrize("more", [{}, {"small_groups": "pooled"}, {"synthesiser": Ipso(rho=0.5)}], ids=str)
def test_the_error_of_the_intruder_is_what_was_asked_for(more):
    frame = amounts(8000, 2, 0)
    exact = MicroHybrid(partition=MDAV(k=K), **more).apply(frame, seed=1)
    assert np.abs(differenced(frame, exact, "t0")).max() < 1e-9
    jittered = MicroHybrid(partition=MDAV(k=K), jitter_moments=0.5, **more).apply(frame, seed=1)
    for column in frame:
        errors = differenced(frame, jittered, column)
        # 800 groups: the standard error of a standard deviation is 2.5 per cent
        assert errors.std() == pytest.approx(0.5, rel=0.1)
        assert abs(errors.mean()) < 4 * 0.5 / np.sqrt(800)


def test_pooled_groups_are_jittered_too():
    frame = amounts(3000, 1, 3)
    method = MicroHybrid(partition=MDAV(k=4), small_groups="pooled", jitter_moments=0.5)
    release = method.apply(frame, columns=["t0"], given=["s0", "s1", "s2"], seed=1)
    assert differenced(frame, release, "t0").std() == pytest.approx(0.5, rel=0.1)
    assert any(note.startswith("jitter moved means of groups by") for note in release.notes)


def test_jitter_takes_the_promises_back_and_says_how_far_moments_moved():
    frame = amounts(500, 2, 1)
    names = {"columns": ["t0", "t1"], "given": ["s0"], "seed": 1}
    release = MicroHybrid(partition=MDAV(k=K), jitter_moments=0.2).apply(frame, **names)
    assert release.claims == (GroupsAtLeast(("t0", "t1"), k=K),)
    assert MicroHybrid(jitter_moments=0.2).claims(("t0",)) == (GroupsAtLeast(k=10),)
    (note,) = (note for note in release.notes if note.startswith("jitter moved"))
    groups = [data[["t0", "t1"]].groupby(release.groups) for data in (frame, release.frame)]
    spread = groups[0].std(ddof=0)
    moved = [
        np.abs((groups[1].agg(what, **how) - groups[0].agg(what, **how)) / spread).to_numpy().max()
        for what, how in (("mean", {}), ("std", {"ddof": 0}))
    ]
    assert f"means of groups by {moved[0]:.2g} and their standard deviations by {moved[1]:.2g} standard" in note
    assert not any("skewness" in note for note in release.notes)
    # the file as a whole hardly moves
    assert np.abs(release.frame.mean() - frame.mean()).max() < 0.02


def test_the_guarantee_tells_of_it():
    frame = amounts(300, 2, 0)
    exact, jittered = (MicroHybrid(jitter_moments=tau).apply(frame, seed=1).guarantee for tau in (0.0, 0.3))
    assert exact.k == jittered.k == 10
    (exposed,) = (line for line in exact.statements if not line.protects)
    assert "means and covariances of every group are exact" in exposed.text
    assert all(line.protects for line in jittered.statements)


def test_jitter_is_for_exact_moments():
    with pytest.raises(BadInput, match=r"jitter_moments=0\.1 moves the exact moments of ipso \(variant C\); cart here"):
        MicroHybrid(jitter_moments=0.1, synthesiser=Cart())
    with pytest.raises(BadInput, match=r"jitter_moments must be 0 or more; -1 was given"):
        MicroHybrid(jitter_moments=-1)
