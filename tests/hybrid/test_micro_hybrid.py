"""Microhybrid data: exact moments in every group, groups of k, and never the original by lack of room."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import microveil as mv
from microveil.claims import CovariancesKept, GroupsAtLeast, MeansKept
from microveil.claims.guarantee import GroupAnonymity
from microveil.core import BadInput, MissingValues, NotEnoughRecords
from microveil.hybrid import MicroHybrid
from microveil.hybrid.groups.moments import third_moment_bound
from microveil.kernels.draws.groups import ipso_in_groups
from microveil.kernels.draws.linear import ipso
from microveil.partition import MDAV, MuApprox
from microveil.risk import DistanceLinkage
from microveil.synth import Cart, CholeskySynthesis, Ipso, ModelBased, MultipleImputation, SmoothedBootstrap
from tests.hybrid.groups import amounts, assert_moments, moment_change
from tests.reference import shared_file
from tests.streams import streams_of


@given(
    n=st.integers(24, 200),
    p=st.sampled_from([1, 2, 4]),
    q=st.sampled_from([0, 1, 3]),
    k=st.integers(6, 24),
    cluster_on=st.sampled_from(["all", "replaced"]),
    partition=st.sampled_from([MDAV, MuApprox]),
    seed=st.integers(0, 99),
)
def test_means_and_covariances_stay_in_every_group(n, p, q, k, cluster_on, partition, seed):
    frame = amounts(n, p, q, seed)
    replaced, kept = list(frame)[:p], list(frame)[p:]
    method = MicroHybrid(partition=partition(k=k), cluster_on=cluster_on)
    release = method.apply(frame, columns=replaced, given=kept, seed=seed)
    assert_moments(frame, release, list(frame))
    assert np.bincount(release.groups).min() >= k
    assert (release.origin == np.arange(n)).all()
    assert (release.frame[kept] == frame[kept]).all(axis=None)
    assert not (np.abs(release.frame[replaced] - frame[replaced]) < 1e-9).all(axis=1).any()


def test_all_of_census_with_its_exact_sum():
    census = pd.read_csv(shared_file("data", "census.csv")).astype(float)
    release = MicroHybrid().apply(census, columns=list(census), given=[], seed=1)
    assert_moments(census, release, list(census))
    after = release.frame
    assert np.abs(after.PTOTVAL - after.PEARNVAL - after.POTHVAL).max() < 1e-6


def test_one_group_keeps_what_plain_ipso_keeps():
    frame = amounts(80)
    T, S = frame.to_numpy()[:, :3], frame.to_numpy()[:, 3:]
    whole = MicroHybrid(partition=MDAV(k=80)).apply(frame, columns=["t0", "t1", "t2"], given=["s0", "s1"], seed=1)
    plain = ipso(T, S, streams_of(1))
    W = np.column_stack([np.ones(80), S])
    for new in (whole.frame.to_numpy()[:, :3], plain):
        coefficients = np.linalg.lstsq(W, new, rcond=None)[0]
        assert np.abs(coefficients - np.linalg.lstsq(W, T, rcond=None)[0]).max() < 1e-9
        residual, old = new - W @ coefficients, T - W @ coefficients
        assert np.abs(residual.T @ residual - old.T @ old).max() < 1e-9
        # turned at random, not reflected or copied: new residuals hardly know the old ones
        assert abs(np.corrcoef(residual[:, 0], old[:, 0])[0, 1]) < 0.5


@pytest.mark.long
def test_one_group_has_the_law_of_plain_ipso():
    frame = amounts(9, 2, 1)
    T, S = frame.to_numpy()[:, :2], frame.to_numpy()[:, 2:]
    times = 1000
    whole = ipso_in_groups(
        np.tile(T, (times, 1)), np.tile(S, (times, 1)), np.repeat(np.arange(times), 9), streams_of(1)
    )[0]
    plain = np.array([ipso(T, S, streams_of(number)) for number in range(times)])
    whole = whole.reshape(times, 9, 2)
    assert ks_2samp(whole[:, 0, 0], plain[:, 0, 0]).pvalue > 0.001
    assert ks_2samp(whole[:, 2, 0] * whole[:, 5, 1], plain[:, 2, 0] * plain[:, 5, 1]).pvalue > 0.001


def test_the_dial_is_the_correlation_of_old_and_new_residuals_in_every_group():
    frame = amounts(120, 2, 1)
    method = MicroHybrid(partition=MDAV(k=12), synthesiser=Ipso(rho=0.7))
    release = method.apply(frame, columns=["t0", "t1"], given=["s0"], seed=3)
    assert_moments(frame, release, list(frame))
    for group in range(release.groups.max() + 1):
        rows = release.groups == group
        W = np.column_stack([np.ones(rows.sum()), frame.s0[rows]])
        off = np.eye(rows.sum()) - W @ np.linalg.pinv(W)
        old, new = (off @ data[rows][["t0", "t1"]].to_numpy() for data in (frame, release.frame))
        scale = old.std(axis=0)
        assert np.abs((old.T @ new - 0.7 * old.T @ old) / np.outer(scale, scale)).max() < 1e-8
    with pytest.raises(NotEnoughRecords, match=r"group \d+ has 3 free dimensions and rho=0\.7 needs 4, twice"):
        MicroHybrid(partition=MDAV(k=5), synthesiser=Ipso(rho=0.7)).apply(frame, columns=["t0", "t1"], given=["s0"])


def test_groups_without_room_are_refused():
    frame = amounts(60, 2, 3)
    names = {"columns": ["t0", "t1"], "given": ["s0", "s1", "s2"]}
    with pytest.raises(BadInput, match=r"k=4 with 3 kept columns: .* take k >= 6, keep fewer columns"):
        MicroHybrid(partition=MDAV(k=4)).apply(frame, **names)
    with pytest.raises(NotEnoughRecords, match=r"group \d+ has 5 records and 1 free dimensions \(5 - 1 - 3 for the"):
        MicroHybrid(partition=MDAV(k=5)).apply(frame, **names)
    with pytest.raises(NotEnoughRecords, match="mdav needs at least k=70 records"):
        MicroHybrid(partition=MDAV(k=70)).apply(frame, **names)
    with pytest.raises(MissingValues, match="t0"):
        MicroHybrid().apply(frame.assign(t0=frame.t0.where(frame.index > 3)), **names)


def test_room_and_small_k_are_reported():
    frame = amounts(60, 2, 3)
    names = {"columns": ["t0", "t1"], "given": ["s0", "s1", "s2"], "seed": 1}
    notes = " ".join(MicroHybrid(partition=MDAV(k=6)).apply(frame, **names).notes)
    assert "10 groups, in each of which at least 2 values of a column were free to change" in notes
    assert "groups of 6 records are below 8 (kept + replaced columns + 3)" in notes
    assert "0 of 60 records came back unchanged" in notes
    assert "are below" not in " ".join(MicroHybrid(partition=MDAV(k=8)).apply(frame, **names).notes)


def test_values_fixed_by_the_kept_columns_in_one_group_are_counted():
    draw = np.random.default_rng(3)
    s = np.concatenate([draw.normal(size=20), 90 + draw.normal(size=20)])
    t = np.where(np.arange(40) < 20, 2 * s, 90 + draw.normal(size=40))
    frame = pd.DataFrame({"t": t, "s": s})
    release = MicroHybrid(partition=MDAV(k=20)).apply(frame, columns=["t"], given=["s"], seed=1)
    assert "20 of 40 records came back unchanged" in release.notes
    assert_moments(frame, release, ["t", "s"])


def test_two_seeds_differ_and_subdomains_keep_their_moments():
    frame = amounts(200).assign(region=["a", "b"] * 100)
    names = {"columns": ["t0", "t1", "t2"], "given": ["s0", "s1"], "by": "region"}
    first, other = (MicroHybrid().apply(frame, seed=seed, **names) for seed in (1, 2))
    assert (first.frame.t0 != other.frame.t0).all()
    assert_moments(frame, first, list(frame)[:5])
    for region in "ab":
        rows = frame.region == region
        assert moment_change(frame[rows].iloc[:, :5].to_numpy(), first.frame[rows].iloc[:, :5].to_numpy()) < 1e-9
        assert len(set(first.groups[rows]) & set(first.groups[~rows])) == 0


def test_kept_categories_are_conditioned_on():
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"g": draw.choice(list("ab"), 120), "x": draw.normal(size=120)})
    frame["x"] += frame["g"].map({"a": 0, "b": 5})
    method = MicroHybrid(partition=MDAV(k=15), cluster_on="replaced")
    after = method.apply(frame, columns=["x"], given=["g"], seed=1).frame
    assert np.abs(after.groupby("g").x.mean() - frame.groupby("g").x.mean()).max() < 1e-9


def test_categories_are_replaced_by_a_synthesiser_that_knows_them():
    draw = np.random.default_rng(6)
    frame = pd.DataFrame(
        {"x": draw.normal(size=200), "job": draw.choice(["cook", "clerk", "baker"], 200), "age": draw.normal(size=200)}
    )
    method = MicroHybrid(partition=MDAV(k=20), synthesiser=Cart())
    release = method.apply(frame, columns=["x", "job"], given=["age"], seed=1)
    assert np.bincount(release.groups).min() >= 20
    assert (release.frame.job != frame.job).any()
    for group in range(release.groups.max() + 1):
        rows = release.groups == group
        # a tree draws from the values of its records: nothing comes from another group
        assert set(release.frame.job[rows]) <= set(frame.job[rows])
        assert frame.x[rows].min() <= release.frame.x[rows].min() <= release.frame.x[rows].max() <= frame.x[rows].max()


def test_what_a_union_of_groups_inherits_is_promised():
    assert MicroHybrid().claims(("x",)) == (MeansKept(), CovariancesKept(), GroupsAtLeast(k=10))
    assert MicroHybrid(synthesiser=Ipso(variant="A")).claims(("x",)) == (GroupsAtLeast(k=10),)
    assert MicroHybrid(synthesiser=Ipso(variant="B")).claims(("x",)) == (MeansKept(), GroupsAtLeast(k=10))
    frame = amounts(100, 3, 0)
    release = MicroHybrid(synthesiser=CholeskySynthesis()).apply(frame, seed=1)
    assert_moments(frame, release, list(frame))


def test_synthesisers_follow_their_own_rules_inside_groups():
    frame = amounts(100)
    with pytest.raises(BadInput, match="records=5 of smoothed-bootstrap: a group gets as many records as it has"):
        MicroHybrid(synthesiser=SmoothedBootstrap(records=5))
    with pytest.raises(BadInput, match="use its model, sequential-regression, as the synthesiser"):
        MicroHybrid(synthesiser=MultipleImputation())
    with pytest.raises(BadInput, match="micro-hybrid does not condition on other columns"):
        MicroHybrid(synthesiser=CholeskySynthesis()).apply(frame, columns=["t0"], given=["s0"])
    method = MicroHybrid(partition=MDAV(k=6), synthesiser=ModelBased(model="tree"))
    with pytest.raises(NotEnoughRecords, match="in group 0 of 6 records: model-based needs at least 10 records"):
        method.apply(frame, columns=["t0"], given=["s0"])


def test_third_moments_move_no_further_than_the_bound():
    frame = amounts(400, 3, 0, seed=8)
    release = MicroHybrid(partition=MDAV(k=20)).apply(frame, seed=1)
    before, after = frame.to_numpy(), release.frame.to_numpy()
    bound = [third_moment_bound(x, y, release.groups) for x, y in zip(before.T, after.T, strict=True)]
    cubes = [((X - before.mean(axis=0)) ** 3).sum(axis=0) for X in (before, after)]
    assert (np.abs(cubes[1] - cubes[0]) <= bound).all()
    assert any("changes by no more than this bound, mostly by far less: t0 " in note for note in release.notes)
    # two groups of (-1, 1) about 0 and 10, flipped or not: 2 n B^(3/2) = 2 * 2 * 1 for each
    x = np.array([-1.0, 1.0, 9.0, 11.0])
    assert third_moment_bound(x, x[[1, 0, 3, 2]], np.array([0, 0, 1, 1])) == 8.0


def test_records_of_a_group_are_alike_where_all_is_drawn_afresh():
    def anonymity(telling=(), kinds=("continuous", "continuous"), **parameters):
        return MicroHybrid(**parameters).anonymity(dict(zip("xy", kinds, strict=True)), telling)

    remedy = "jitter_moments trades exactness for protection, where the data have no edits"
    assert anonymity() == GroupAnonymity(10, "exchangeable records", ("means", "covariances"), remedy=remedy)
    assert anonymity(small_groups="pooled", jitter_moments=0.5) == GroupAnonymity(
        10, "exchangeable records", (), ("means",), 0.5
    )
    assert anonymity(synthesiser=Cart()) == GroupAnonymity(10, "exchangeable records", remedy=remedy)
    # a kept column, the dial, cells that stay, and groups for each kind all tell records apart
    assert anonymity(telling=("s",)).way is None
    assert anonymity(synthesiser=Ipso(rho=0.5)).way is None
    assert anonymity(synthesiser=Cart(cells={"x": "x > 0"})).way is None
    assert anonymity(synthesiser=ModelBased()).way is None
    mixed = ("continuous", "nominal")
    assert anonymity(kinds=mixed, kinds_together="separate").way is None
    # exact moments of groups tell the last member whatever the kept columns are
    assert anonymity(telling=("s",)).exact == ("means", "covariances")
    # categories that change places stay exact beside jittered moments
    assert anonymity(kinds=mixed, jitter_moments=0.5).exact == ("tables of categories",)
    assert anonymity(kinds=mixed, categories="multinomial", jitter_moments=0.5).exact == ()


def test_nothing_is_conditioned_on_unless_it_is_named():
    data = mv.Microdata(mv.datasets.make_enterprises(400, seed=2), **mv.datasets.enterprises_schema())
    hybrid = MicroHybrid(partition=MDAV(k=20))
    replaced = data.names("confidential")
    release = hybrid.apply(data, seed=1)
    assert release.steps[0].given == ()
    assert DistanceLinkage()(data, release, columns=replaced).value <= 5
    beside = hybrid.apply(data, given=["employees"], seed=1)
    assert beside.steps[0].given == ("employees",)
    both = beside.frame.to_pandas()[["employees", "total_sales"]].cov()
    original = data.frame.to_pandas()[["employees", "total_sales"]].cov()
    assert both.to_numpy() == pytest.approx(original.to_numpy(), rel=1e-3)
    # no groups, no bound to lose: what conditioning is about stays the default
    assert mv.synth.Ipso().apply(data, seed=1).steps[0].given == data.names("key")
