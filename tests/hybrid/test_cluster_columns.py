"""Groups formed on any columns of the file, whatever is replaced and kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import BadInput, UnknownName
from microveil.core.streams import Key, Streams
from microveil.data import Table
from microveil.hybrid import MicroHybrid
from microveil.mask import UncorrelatedNoise
from microveil.partition import MDAV
from microveil.plan import Plan
from microveil.risk import DistanceLinkage
from microveil.run import Job
from tests.hybrid.groups import amounts, assert_moments
from tests.marks import ANY_FILE
from tests.reference import shared_file


def together(first, other):
    """Whether two labellings are the same partition."""
    pairs = len(set(zip(first.tolist(), other.tolist(), strict=True)))
    return pairs == len(set(first.tolist())) == len(set(other.tolist()))


def test_named_columns_form_the_groups():
    frame = amounts(120, 2, 2)
    names = {"columns": ["t0"], "given": ["s0"], "seed": 1}
    for on in [("s1",), ("t1", "s1"), ("t0", "s0", "t1", "s1")]:
        release = MicroHybrid(cluster_on=on).apply(frame, **names)
        assert together(release.groups, MDAV(k=10).labels(frame[list(on)]))
        assert_moments(frame, release, ["t0", "s0"])
        assert (release.frame.drop(columns="t0") == frame.drop(columns="t0")).all(axis=None)
    near = MicroHybrid(cluster_on=("t0", "s0")).apply(frame, **names)
    assert (near.frame.t0 == MicroHybrid().apply(frame, **names).frame.t0).all()


@ANY_FILE
def test_columns_of_one_kind_form_the_groups():
    frame = amounts(120, 2, 0).assign(job=list("aabbbc") * 20)
    numbers = MicroHybrid(cluster_on="continuous").apply(frame, columns=["t0", "job"], given=["t1"], seed=1)
    assert together(numbers.groups, MDAV(k=10).labels(frame[["t0", "t1"]]))
    jobs = MicroHybrid(cluster_on="categorical").apply(frame, columns=["t0", "job"], given=["t1"], seed=1)
    assert jobs.groups.max() == 11
    mixed = pd.DataFrame({"group": jobs.groups, "job": frame.job}).groupby("group").job.nunique()
    assert (mixed == 1).all()
    with pytest.raises(BadInput, match=r"cluster_on='categorical' leaves no columns to form groups on"):
        MicroHybrid(cluster_on="categorical").apply(frame, columns=["t0", "t1"])


def test_gaps_earlier_steps_and_subdomains_are_no_obstacle():
    frame = amounts(120, 2, 2).assign(region=["a", "b"] * 60)
    frame.loc[3, "s1"] = np.nan
    method = MicroHybrid(cluster_on=("s1",))
    release = method.apply(frame, columns=["t0"], by="region", seed=1)
    complete = frame.region == "a"
    assert together(release.groups[complete], MDAV(k=10).labels(frame.s1[complete]))
    assert np.bincount(release.groups).min() >= 10
    assert not set(release.groups[complete]) & set(release.groups[~complete])
    frame = frame.fillna(0.0)
    twice = Plan([(UncorrelatedNoise(), ["s1"]), (method, ["t0"])]).run(frame, seed=1)
    # the groups are those of the values as they are now
    assert together(twice.groups, MDAV(k=10).labels(twice.frame.s1))
    assert not together(twice.groups, MDAV(k=10).labels(frame.s1))


def test_unknown_columns_are_refused_by_name():
    frame = amounts(60)
    with pytest.raises(UnknownName, match=r"cluster_on: there is no column 's9'; there are"):
        MicroHybrid(cluster_on=("s0", "s9")).apply(frame, columns=["t0"])
    with pytest.raises(BadInput, match="cluster_on names no column"):
        MicroHybrid(cluster_on=())
    table = Table.of_matrix(frame.to_numpy()[:, :2], ("t0", "t1"))
    job = Job(Streams(Key.of(1)), Table({}, 60), table)
    with pytest.raises(BadInput, match=r"cluster_on names \['s0'\], which this step cannot see"):
        MicroHybrid(cluster_on=("t0", "s0")).run(table, job)


def test_groups_on_all_census_columns_link_less_than_groups_on_the_columns_used():
    census = pd.read_csv(shared_file("data", "census.csv")).astype(float)
    names = {"columns": ["TAXINC", "FEDTAX"], "given": ["INTVAL", "POTHVAL"], "seed": 1}
    linked = []
    for on in (tuple(census), "all"):
        release = MicroHybrid(partition=MDAV(k=7), cluster_on=on).apply(census, **names)
        assert_moments(census, release, [*names["columns"], *names["given"]])
        known = [*names["columns"]]
        linked.append(DistanceLinkage()(census[known], release.frame[known]).value)
    assert linked[0] < linked[1]
