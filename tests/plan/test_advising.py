"""Changes of a plan against an attack: run and measured, not asserted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.measure import Pair
from microveil.partition import MDAV
from microveil.plan import advise_against
from microveil.plan.advising import MOST_TRIED
from microveil.plan.quick_attack import quick_worst_case

COLUMNS = list("abcd")


def correlated(rows: int) -> mv.Microdata:
    X = np.random.default_rng(1).normal(size=(rows, 4)) @ (np.eye(4) + 0.4)
    return mv.Microdata(pd.DataFrame(X.round(3), columns=COLUMNS))


@pytest.fixture(scope="module")
def data() -> mv.Microdata:
    return correlated(200)


CASES = [
    (mv.mask.RankSwap(p=10), "p=20 instead of 10"),
    (mv.mask.CorrelatedNoise(p=0.3), "p=0.6 instead of 0.3"),
    (mv.mask.UncorrelatedNoise(p=0.3), "p=0.6 instead of 0.3"),
    (mv.mask.IndividualRanking(k=8), "Microaggregation(partition=MDAV(k=8)) instead of IndividualRanking(k=8)"),
    (
        mv.mask.Microaggregation(partition=MDAV(k=8), blocks=2),
        "Microaggregation(partition=MDAV(k=8)) instead of Microaggregation(partition=MDAV(k=8), blocks=2)",
    ),
]


@pytest.mark.parametrize(("method", "change"), CASES, ids=[type(one).__name__ + change[:6] for one, change in CASES])
def test_the_change_is_the_one_tried_and_helps(data, method, change):
    release = method.apply(data, columns=COLUMNS, seed=5)
    tried = advise_against(release, method.attacks[0])
    assert tried.change == change
    before, after = tried.found
    # the same key for both: the figures are those of the two plans
    again = method.apply(data, columns=COLUMNS, seed=1)
    assert before == quick_worst_case(Pair.of(data, again)).value
    assert after < before - 2
    assert tried.loss[1] > tried.loss[0]
    assert str(tried).startswith(f"{change}: ")
    assert "both plans were run once on 200 of 200 records" in str(tried)


def test_joint_groups_keep_the_bound(data):
    release = mv.mask.IndividualRanking(k=10).apply(data, columns=COLUMNS, seed=1)
    tried = advise_against(release, mv.attack.CentroidIntersection())
    assert tried.found[0] > 90
    assert tried.found[1] < 10 + 4


def test_nothing_is_tried_where_no_change_is_known(data):
    release = mv.mask.RankSwap(p=10).apply(data, columns=COLUMNS, seed=1)
    assert advise_against(release, "centroid-intersection") is None
    assert advise_against(release, "verbatim") is None
    nearly = mv.mask.RankSwap(p=60).apply(data, columns=COLUMNS, seed=1)
    assert advise_against(nearly, "rank-swap-attack").change == "p=100 instead of 60"
    widest = mv.mask.RankSwap(p=100).apply(data, columns=COLUMNS, seed=1)
    assert advise_against(widest, "rank-swap-attack") is None
    with pytest.raises(BadInput, match="is not an attack; give one"):
        advise_against(release, mv.risk.DistanceLinkage())
    with pytest.raises(UnknownName):
        advise_against(release, "rank-swap-atack")


def test_other_steps_stay_as_they_are(data):
    first, second = mv.mask.RankSwap(p=5), mv.mask.UncorrelatedNoise(p=0.2)
    release = mv.Plan([(first, ["a", "b"]), (second, ["c", "d"])]).run(data, seed=1)
    tried = advise_against(release, "rank-swap-attack")
    assert tried.change == "p=10 instead of 5"
    wider = mv.Plan([(mv.mask.RankSwap(p=10), ["a", "b"]), (second, ["c", "d"])]).run(data, seed=1)
    assert tried.found[1] == quick_worst_case(Pair.of(data, wider)).value


def test_of_many_records_some_are_tried():
    release = mv.mask.UncorrelatedNoise(p=0.1).apply(correlated(MOST_TRIED + 500), columns=COLUMNS, seed=1)
    tried = advise_against(release, "mahalanobis-linkage")
    assert (tried.records, tried.of) == (MOST_TRIED, MOST_TRIED + 500)
    assert f"on {MOST_TRIED:,} of {MOST_TRIED + 500:,} records" in str(tried)
