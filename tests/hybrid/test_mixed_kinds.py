"""Numbers and categories in one file: one grouping imposed, a consensus of groupings, or separate runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from microveil.claims import GroupsAtLeast, MeansKept, TableKept, ValuesKept
from microveil.core import BadInput
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV, Best
from microveil.risk import DistanceLinkage
from microveil.synth import Cart, CholeskySynthesis, GaussianCopula, Ipso, LatinHypercube, ModelBased
from tests.hybrid.groups import assert_moments
from tests.marks import ANY_FILE

NUMBERS, CATEGORIES = ["income", "wealth"], ["job", "school"]


def people_with_jobs(n=300, seed=0):
    draw = np.random.default_rng(seed)
    job = draw.choice(["cook", "clerk", "baker", "nurse"], n, p=[0.4, 0.3, 0.2, 0.1])
    school = pd.Categorical(draw.choice(["low", "middle", "high"], n), ["low", "middle", "high"], ordered=True)
    income = draw.gamma(2.0, size=n) + 2.0 * (job == "nurse")
    wealth = income + draw.normal(size=n)
    return pd.DataFrame({"income": income, "wealth": wealth, "job": job, "school": school, "age": draw.normal(size=n)})


def tables(frame, groups, names):
    return pd.crosstab(groups, [frame[name] for name in names])


@pytest.mark.parametrize("together", ["imposed", "consensus"])
def test_rows_of_categories_change_places_in_the_groups_of_the_numbers(together):
    frame = people_with_jobs()
    release = MicroHybrid(kinds_together=together).apply(frame, columns=NUMBERS + CATEGORIES, given=["age"], seed=1)
    assert_moments(frame, release, [*NUMBERS, "age"])
    assert np.bincount(release.groups).min() >= 10
    before, after = (tables(data, release.groups, CATEGORIES) for data in (frame, release.frame))
    assert (before == after).all(axis=None)
    moved = (release.frame[CATEGORIES] != frame[CATEGORIES]).any(axis=1)
    assert moved.sum() > 100
    promised = {type(claim) for claim in release.claims}
    assert TableKept in promised
    assert GroupsAtLeast in promised
    assert any(isinstance(claim, ValuesKept) and claim.columns == tuple(CATEGORIES) for claim in release.claims)
    assert any(isinstance(claim, MeansKept) and claim.columns == tuple(NUMBERS) for claim in release.claims)
    shown = repr(release)
    assert "promised: means of income, wealth are exactly the original's" in shown
    assert "promised: values of job, school are exactly the original's, in another order" in shown


@pytest.mark.long
def test_everybody_keeps_their_own_categories_once_in_k():
    frame = people_with_jobs(40).assign(job=[f"job {i}" for i in range(40)])
    method = MicroHybrid(partition=MDAV(k=5), cluster_on=("income",))
    kept = np.zeros(40)
    for seed in range(200):
        kept += method.apply(frame, columns=["income", "job"], seed=seed).frame.job.to_numpy() == frame.job.to_numpy()
    # 1/5 each, four standard errors; no permutation is left out
    assert kept.max() / 200 < 0.2 + 4 * np.sqrt(0.2 * 0.8 / 200)
    assert kept.min() / 200 > 0.2 - 4 * np.sqrt(0.2 * 0.8 / 200)


@pytest.mark.parametrize("together", ["imposed", "consensus"])
def test_nobody_is_linked_by_numbers_and_categories_more_often_than_once_in_k(together):
    frame = people_with_jobs(1000).drop(columns="age")
    release = MicroHybrid(kinds_together=together).apply(frame, columns=list(frame), seed=1)
    assert release.guarantee.k == 10
    linked = DistanceLinkage(sizes=(4,), categories=True)(frame, release).value / 100
    assert linked <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 1000)


def test_categories_drawn_from_the_margins_of_their_group():
    frame = people_with_jobs(4000)
    method = MicroHybrid(partition=MDAV(k=40), categories="multinomial", cluster_on=("age",))
    release = method.apply(frame, columns=NUMBERS + CATEGORIES, seed=1)
    before, after = (tables(data, release.groups, ["job"]) for data in (frame, release.frame))
    assert (after[before == 0].fillna(0) == 0).all(axis=None)
    assert (before != after).any(axis=None)
    # counts vary as multinomial ones do: variance n p (1 - p) in a group of n
    share = before.to_numpy() / before.sum(axis=1).to_numpy()[:, None]
    wanted = before.sum(axis=1).to_numpy()[:, None] * share * (1 - share)
    varied = share * (1 - share) > 0
    squares = (after.to_numpy() - before.to_numpy())[varied] ** 2 / wanted[varied]
    assert squares.mean() == pytest.approx(1.0, abs=0.2)
    assert not any(isinstance(claim, ValuesKept | TableKept) for claim in release.claims)


def test_categories_by_a_synthesiser_of_their_own():
    frame = people_with_jobs()
    method = MicroHybrid(partition=MDAV(k=20), categories=Cart())
    release = method.apply(frame, columns=NUMBERS + CATEGORIES, given=["age"], seed=1)
    assert_moments(frame, release, [*NUMBERS, "age"])
    assert (release.frame.job != frame.job).any()
    exact = MicroHybrid(categories=GaussianCopula(margins="exact")).apply(frame, columns=CATEGORIES, seed=1)
    assert exact.claims[0] == ValuesKept(tuple(CATEGORIES))
    with pytest.raises(BadInput, match="records=5 of cart: a group gets as many records as it has"):
        MicroHybrid(categories=Cart(records=5))


def test_separate_runs_have_no_groups_in_common_and_say_so():
    frame = people_with_jobs()
    release = MicroHybrid(kinds_together="separate").apply(frame, columns=NUMBERS + CATEGORIES, given=["age"], seed=1)
    assert release.groups is None
    assert not any(isinstance(claim, GroupsAtLeast) for claim in release.claims)
    before, after = (data[NUMBERS].to_numpy() for data in (frame, release.frame))
    assert np.abs(np.cov(before.T) - np.cov(after.T)).max() < 1e-9
    for name in CATEGORIES:
        assert frame[name].value_counts().equals(release.frame[name].value_counts())
    (note,) = (note for note in release.notes if note.startswith("separate runs"))
    alone = int(note.split()[2])
    assert 0 < alone <= 300
    assert any(note.startswith("nominal: job: whole rows change places") for note in release.notes)
    assert any(note.startswith("ordinal: school: whole rows change places") for note in release.notes)
    assert release.guarantee.k is None


@ANY_FILE
def test_separate_runs_let_somebody_who_knows_both_kinds_find_a_record():
    # numbers and categories say different things, so that the two groups of a person have nobody else in common
    frame = pd.DataFrame({"x": np.arange(100.0), "c": [f"{i % 10}" for i in range(100)]})
    share = share_of_own_among_single_candidates()
    assert share == pytest.approx(0.906, abs=0.001)
    # in groups of their own the categories stay (ten equal ones); with the numbers one in ten keeps its category
    for together, clustered, expected in (("separate", "all", share), ("imposed", "continuous", share / 10)):
        method, excess = MicroHybrid(kinds_together=together, cluster_on=clustered), []
        for seed in range(40):
            after = method.apply(frame, columns=["x", "c"], seed=seed).frame
            near = np.abs(after.x.to_numpy()[None, :] - frame.x.to_numpy()[:, None]) < 5
            found = near & (frame.c.to_numpy()[:, None] == after.c.to_numpy()[None, :])
            single = found.sum(axis=1) == 1
            excess.append(np.diag(found)[single].sum() - expected * single.sum())
        # 40 independent numbers of mean 0: one in 10,000 has a larger t. About 68 records a time have one candidate and
        # the share of one time has a standard deviation of 0.04, so that shares off by 0.03 are noticed
        t = np.mean(excess) / (np.std(excess, ddof=1) / np.sqrt(40))
        assert abs(t) < stats.t.isf(0.5e-4, 39)


def share_of_own_among_single_candidates() -> float:
    """The share where ten groups of ten consecutive numbers are drawn anew and categories stay.

    New numbers of a group are its mean plus a point of a sphere of eight dimensions and radius sqrt(82.5) about it: a
    coordinate is sqrt(82.5 * 0.9) (2 B - 1), B of the law beta(4, 4). Record a of a group may be met there, and in the
    groups before and behind.
    """
    radius, coordinate = np.sqrt(82.5 * 0.9), stats.beta(4, 4)
    own = single = 0.0
    for group in range(10):
        for a in range(10):
            low, high = (
                {away: coordinate.cdf(((a - 4.5 - 10 * away + end) / radius + 1) / 2) for away in (-1, 0, 1)}
                for end in (-5, 5)
            )
            near = {away: high[away] - low[away] if 0 <= group + away < 10 else 0.0 for away in low}
            alone = near[0] * (1 - near[-1]) * (1 - near[1])
            others = near[-1] * (1 - near[1]) + near[1] * (1 - near[-1])
            own += alone
            single += alone + (1 - near[0]) * others
    return own / single


@ANY_FILE
def test_consensus_keeps_together_only_what_all_kinds_keep_together_or_is_merged():
    frame = people_with_jobs(400)
    frame["job"] = np.where(frame.income > frame.income.median(), "high", "low")
    method = MicroHybrid(partition=MDAV(k=8), kinds_together="consensus", cluster_on="replaced")
    release = method.apply(frame, columns=["income", "job"], seed=1)
    assert np.bincount(release.groups).min() >= 8
    numbers = MicroHybrid(partition=MDAV(k=8), cluster_on=("income",)).apply(frame, columns=["income", "job"], seed=1)
    # one kind alone is its own consensus
    alone = MicroHybrid(partition=MDAV(k=8), kinds_together="consensus", cluster_on=("income",))
    assert (alone.apply(frame, columns=["income", "job"], seed=1).groups == numbers.groups).all()


def test_kinds_and_randomness_follow_the_parameters():
    kinds = ("continuous", "ordinal", "nominal")
    assert MicroHybrid().kinds == MicroHybrid(synthesiser=Cart()).kinds == kinds
    assert MicroHybrid(synthesiser=LatinHypercube()).kinds == kinds
    assert MicroHybrid(categories=LatinHypercube()).kinds == ("continuous", "ordinal")
    assert MicroHybrid(categories=CholeskySynthesis()).kinds == ("continuous",)
    with pytest.raises(BadInput, match="micro-hybrid protects continuous columns; 'job' is nominal"):
        MicroHybrid(categories=Ipso()).apply(people_with_jobs(), columns=["job"])
    assert MicroHybrid().random
    assert MicroHybrid(synthesiser=ModelBased()).random  # categories change places
    assert not MicroHybrid(synthesiser=ModelBased(), categories=Ipso(variant="A0")).random
    assert MicroHybrid(synthesiser=ModelBased(), categories=Ipso(variant="A0"), partition=Best(k=5)).random


@pytest.mark.parametrize("together", ["imposed", "consensus", "separate"])
def test_a_survey_with_gaps_and_many_categories_works_as_it_comes(together, survey):
    names = ("income", "expenditure", "health", "occupation", "education")
    release = MicroHybrid(kinds_together=together).apply(survey, columns=names, given=[], missing="drop", seed=1)
    assert all(verdict.holds for verdict in release.check())
    before, after = (file.to_pandas()[list(names)] for file in (survey.frame, release.frame))
    before = before.iloc[release.origin].reset_index(drop=True)
    for name in names[2:]:
        # a gap is a category: it changes places like the others
        x, y = before[name].fillna("").tolist(), after[name].fillna("").tolist()
        assert x != y
        assert sorted(x) == sorted(y)
    assert before.isna()[list(names[2:])].any(axis=None)
