"""Groups too small for the kept columns: larger groups, without these columns, or one regression for all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.claims import CovariancesAmongReplaced, CovariancesKept, GroupsAtLeast, MeansKept
from microveil.core import BadInput, NotEnoughRecords
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV, VMDAV, Blocked, Consensus, Refined
from microveil.synth import Cart, Ipso
from tests.hybrid.groups import amounts, assert_moments, moment_change

NAMES = {"columns": ["t0", "t1"], "given": ["s0", "s1", "s2"], "seed": 1}


def hybrid_with(policy, k=4, **more):
    return MicroHybrid(partition=MDAV(k=k), small_groups=policy, **more)


@pytest.mark.parametrize(
    "partition",
    [
        MDAV(k=4),
        Refined(base=MDAV(k=4)),
        Blocked(base=MDAV(k=3), size=40),
        Consensus(k=4, partitions=(MDAV(k=4), VMDAV(k=3))),
    ],
    ids=lambda partition: partition.name,
)
def test_k_is_raised_to_what_the_regression_needs(partition):
    frame = amounts(120, 2, 3)
    release = MicroHybrid(partition=partition, small_groups="raise_k").apply(frame, **NAMES)
    # 1 + 3 kept + max(2, 2 replaced)
    assert f"k was raised from {partition.k} to 6: 1 + 3 for the columns kept + 2 free dimensions" in release.notes
    assert np.bincount(release.groups).min() >= 6
    assert_moments(frame, release, list(frame))
    enough = hybrid_with("raise_k", k=7).apply(frame, **NAMES)
    assert not any("raised" in note for note in enough.notes)


def test_kept_categories_and_the_dial_raise_k_further():
    frame = amounts(200, 2, 1).assign(job=list("abcd") * 50)
    release = hybrid_with("raise_k").apply(frame, columns=["t0", "t1"], given=["s0", "job"], seed=1)
    assert any("to 7: 1 + 4 for the columns kept + 2 free" in note for note in release.notes)
    dial = hybrid_with("raise_k", synthesiser=Ipso(rho=0.5)).apply(frame, columns=["t0", "t1"], given=["s0"], seed=1)
    assert any("to 6: 1 + 1 for the columns kept + 4 free" in note for note in dial.notes)
    with pytest.raises(NotEnoughRecords, match="mdav needs at least k=7 records; there are 6"):
        hybrid_with("raise_k").apply(frame[:6], columns=["t0", "t1"], given=["s0", "job"])


def test_kept_columns_are_left_out_where_groups_are_small():
    frame = amounts(80, 2, 3).assign(block=np.repeat([0.0, 100.0], [60, 20]))
    # sixty records in groups of 15, which are large enough, then twenty in groups of 5
    release = hybrid_with("drop_kept", k=5).apply(frame, **NAMES)
    assert release.claims[:2] == (
        MeansKept(columns=("t0", "t1")),
        CovariancesAmongReplaced(columns=("t0", "t1")),
    )
    assert moment_change(frame[["t0", "t1"]].to_numpy(), release.frame[["t0", "t1"]].to_numpy()) < 1e-9
    assert moment_change(frame.to_numpy()[:, :5], release.frame.to_numpy()[:, :5]) > 1e-3
    assert "in 16 of 16 groups, too small for them, the kept columns were left out" in " ".join(release.notes)
    assert "covariances of t0, t1 with one another are exactly the original's" in repr(release)


def test_only_groups_that_are_small_lose_their_kept_columns():
    draw = np.random.default_rng(0)
    n = 41
    frame = pd.DataFrame({"t": draw.normal(size=n), "s": draw.normal(size=n), "g": np.where(np.arange(n) < 4, 1e3, 0)})
    frame.loc[5:, "g"] += np.where(np.arange(n)[5:] < 20, 0, 500)
    frame["s2"] = draw.normal(size=n)
    method = MicroHybrid(partition=MDAV(k=4), small_groups="drop_kept", cluster_on=("g",))
    release = method.apply(frame, columns=["t"], given=["s", "s2"], seed=1)
    sizes = np.bincount(release.groups)
    assert sizes.min() < 5 <= sizes.max()  # 1 + 2 kept + 2
    for group, size in enumerate(sizes):
        rows = release.groups == group
        moved = abs(np.cov(frame.s[rows], release.frame.t[rows] - frame.t[rows])[0, 1])
        assert moved > 1e-6 if size < 5 else moved < 1e-12


def test_nothing_is_left_out_and_all_is_promised_where_groups_are_large():
    frame = amounts(80, 2, 3)
    release = hybrid_with("drop_kept", k=10).apply(frame, **NAMES)
    names = ("t0", "t1")
    assert release.claims == (MeansKept(names), CovariancesKept(names), GroupsAtLeast(names, k=10))
    assert_moments(frame, release, list(frame))
    # before a run is made, the weaker promise is all there is
    assert hybrid_with("drop_kept").claims(names) == (MeansKept(), CovariancesAmongReplaced(), GroupsAtLeast(k=4))


def test_left_out_in_one_subdomain_is_not_promised_in_any():
    frame = amounts(120, 1, 3).assign(region=["a", "b"] * 60)
    frame["kind"] = np.where(frame.region == "a", 0.0, frame.s2)
    method = MicroHybrid(partition=MDAV(k=5), small_groups="drop_kept", cluster_on=("s0",))
    release = method.apply(frame, columns=["t0"], given=["s0", "s1", "kind"], by="region", seed=1)
    assert [type(claim) for claim in release.claims] == [MeansKept, GroupsAtLeast]


def test_pooled_groups_keep_their_means_and_the_file_its_covariances():
    frame = amounts(120, 2, 3)
    release = hybrid_with("pooled").apply(frame, **NAMES)
    assert moment_change(frame.to_numpy(), release.frame.to_numpy()) < 1e-9
    groups = [data.groupby(release.groups).mean() for data in (frame, release.frame)]
    assert np.abs(groups[0] - groups[1]).to_numpy().max() < 1e-9
    inside = [data.groupby(release.groups).var() for data in (frame, release.frame)]
    assert np.abs(inside[0].t0 - inside[1].t0).max() > 0.01
    text = " ".join(release.notes)
    assert "one regression for all 30 groups, with 87 free dimensions" in text
    assert "skewness" not in text
    # where groups have room there is no need to pool
    assert_moments(frame, hybrid_with("pooled", k=10).apply(frame, **NAMES), list(frame))


def test_what_to_do_about_small_groups_is_about_ipso():
    with pytest.raises(BadInput, match="small_groups='raise_k' is about a regression on the columns kept and cart"):
        hybrid_with("raise_k", synthesiser=Cart())
    with pytest.raises(BadInput, match="small_groups='pooled' is for variant 'C' of ipso; the variant is 'B'"):
        hybrid_with("pooled", synthesiser=Ipso(variant="B"))
    frame = amounts(60, 2, 3)
    release = hybrid_with("drop_kept", k=5, synthesiser=Ipso(variant="B")).apply(frame, **NAMES)
    assert "in 12 of 12 groups the kept columns were left out" in release.notes
    assert release.claims == (MeansKept(("t0", "t1")), GroupsAtLeast(("t0", "t1"), k=5))
