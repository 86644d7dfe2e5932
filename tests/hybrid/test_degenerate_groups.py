"""Groups that would come back unchanged are counted, and merged if asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import NothingHidden
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV
from microveil.synth import Cart
from tests.hybrid.groups import assert_moments


def zeros_and_amounts():
    """Thirty equal records, thirty that differ, in groups of ten."""
    draw = np.random.default_rng(2)
    return pd.DataFrame({"x": np.concatenate([np.zeros(30), 50 + draw.normal(size=30)])})


def test_groups_that_could_not_be_changed_are_reported():
    release = MicroHybrid().apply(zeros_and_amounts(), seed=1)
    assert "30 of 60 records came back unchanged" in release.notes
    text = "3 of 6 groups could not be changed (equal values, or determined by the kept columns): whoever is known"
    assert any(note.startswith(text) for note in release.notes)
    assert (
        "all members share one value of x in 3 of the 6 groups; whoever is known to be in such a group has it revealed"
        in release.notes
    )


def test_they_join_the_nearest_group_that_can_be_changed():
    frame = zeros_and_amounts()
    release = MicroHybrid(degenerate="merge").apply(frame, seed=1)
    assert "3 groups in which nothing would have changed were merged with the nearest" in release.notes
    assert "0 of 60 records came back unchanged" in release.notes
    assert not any("could not be changed" in note for note in release.notes)
    sizes = np.sort(np.bincount(release.groups))
    assert sizes.tolist() == [10, 10, 40]
    joined = np.flatnonzero(release.groups == np.bincount(release.groups).argmax())
    # the lowest of the three groups of amounts
    others = np.setdiff1d(np.arange(60), joined)
    assert frame.x[joined].max() < frame.x[others].min()
    assert_moments(frame, release, ["x"])


def test_values_determined_by_kept_columns_count_as_degenerate():
    draw = np.random.default_rng(3)
    s = np.concatenate([draw.normal(size=20), 90 + draw.normal(size=20)])
    frame = pd.DataFrame({"t": np.where(np.arange(40) < 20, 2 * s, 90 + draw.normal(size=40)), "s": s})
    method = MicroHybrid(partition=MDAV(k=20), degenerate="merge")
    release = method.apply(frame, columns=["t"], given=["s"], seed=1)
    assert release.groups.max() == 0
    assert_moments(frame, release, ["t", "s"])
    assert (release.frame.t != frame.t).all()
    # a tree does not care for the regression
    kept = MicroHybrid(partition=MDAV(k=20), degenerate="merge", synthesiser=Cart())
    assert kept.apply(frame, columns=["t"], given=["s"], seed=1).groups.max() == 1


def test_constant_groups_alone_join_one_another():
    frame = pd.DataFrame({"x": np.repeat([0.0, 1.0, 10.0, 11.0], 10)})
    release = MicroHybrid(degenerate="merge").apply(frame, seed=1)
    assert np.bincount(release.groups).tolist() == [20, 20]
    assert (release.groups[:20] == release.groups[0]).all()
    with pytest.warns(NothingHidden):
        same = MicroHybrid(degenerate="merge").apply(pd.DataFrame({"x": np.ones(40)}), seed=1)
    assert same.groups.max() == 0


def test_categories_decide_too():
    frame = zeros_and_amounts().assign(job=["cook", "clerk"] * 15 + ["cook"] * 30)
    release = MicroHybrid(degenerate="merge", cluster_on=("x",)).apply(frame, columns=["x", "job"], seed=1)
    # in groups of equal amounts jobs still change places
    assert np.bincount(release.groups).tolist() == [10] * 6
    assert not any("merged" in note or "could not be changed" in note for note in release.notes)
    equal = frame.assign(job="cook")
    merged = MicroHybrid(degenerate="merge", cluster_on=("x",)).apply(equal, columns=["x", "job"], seed=1)
    assert "3 groups in which nothing would have changed were merged with the nearest" in merged.notes
