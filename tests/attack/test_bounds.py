"""No attack finds more than one of k records where that is proven: many small files, counted together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson

import microveil as mv
from microveil.attack import BlockIntersection, CentroidIntersection, RankSwapAttack
from microveil.core.measured import Measured
from microveil.hybrid import LocalSynthesis, MicroHybrid
from microveil.mask import KAnonymise, Microaggregation
from microveil.measure import Measure, Pair
from microveil.partition import MDAV
from microveil.plan.quick_attack import quick_attacks
from microveil.plan.worst_case import worst_case
from microveil.risk import DistanceLinkage
from microveil.run.method import Method

ROWS, K = 60, 5
AMOUNTS, KEYS = ("a", "b", "c"), ("age", "town", "sex")
# attacks on other methods, tried as if nobody knew how the file was made
FORCED = (
    BlockIntersection(blocks=[list(AMOUNTS)]),
    CentroidIntersection(assumed=True),
    RankSwapAttack(p=20),
)


@dataclass(frozen=True)
class Proven:
    """A method that proves 1/k to an intruder who knows these columns, and whether some of their values are missing."""

    method: Method
    columns: tuple[str, ...]
    gaps: bool = False
    files: int = 10  # so many are counted together


PROVEN = {
    "microaggregation": Proven(Microaggregation(partition=MDAV(k=K)), AMOUNTS),
    "micro-hybrid": Proven(MicroHybrid(partition=MDAV(k=K)), AMOUNTS),
    "micro-hybrid, gaps": Proven(MicroHybrid(partition=MDAV(k=K)), AMOUNTS, gaps=True),
    "local-synthesis": Proven(LocalSynthesis(k=K, families=("EII",)), AMOUNTS, files=5),
    "local-synthesis, gaps": Proven(LocalSynthesis(k=K, families=("EII",)), AMOUNTS, gaps=True, files=5),
    "k-anonymise": Proven(KAnonymise(k=K), KEYS),
    "k-anonymise, gaps": Proven(KAnonymise(k=K), KEYS, gaps=True),
}
SLOW = "local-synthesis, gaps"
MOST_TESTS = len(PROVEN) * 24  # that many figures are compared with the bound at most
ERROR = 0.001 / MOST_TESTS  # one of a thousand runs with other seeds would fail, all tests together


def small_file(seed: int, columns: tuple[str, ...], gaps: bool = False) -> mv.Microdata:
    draw = np.random.default_rng(seed)
    X = np.exp(draw.normal(size=(ROWS, 3)) @ np.array([[1.0, 0.6, 0.2], [0, 0.8, 0.3], [0, 0, 0.5]])).round(4)
    people = {"age": draw.integers(18, 60, ROWS), "town": draw.choice(list("pqrstu"), ROWS)}
    frame = pd.DataFrame({**dict(zip(AMOUNTS, X.T, strict=True)), **people, "sex": draw.choice(list("fm"), ROWS)})
    for name in ("a", "b", "town") if gaps else ():
        frame[name] = frame[name].where(draw.random(ROWS) > 0.15)
    return mv.Microdata(frame[list(columns)], roles=dict.fromkeys([n for n in KEYS if n in columns], "key"))


def attacked(pair: Pair, release: mv.Release) -> Iterator[tuple[Measure, Measured]]:
    """Every re-identification attack that applies, in every way of comparing, and those forced upon it."""
    plain = Pair.of(pair.before, release.frame, linked=release.origin)
    for attack, found in [*quick_attacks(pair), *((one, one.of_pair(plain)) for one in FORCED)]:
        if isinstance(found, Measured):
            yield attack, found


def count_hits(case: Proven, k: int | None, times: int = 1) -> tuple[Counter[str], int]:
    """By attack the expected number of records found in all releases, and how many were sought; proven k checked."""
    hits: Counter[str] = Counter()
    sought = 0
    how = {"missing": "mask"} if case.gaps else {}
    for seed in range(times * case.files):
        data = small_file(seed, case.columns, case.gaps)
        release = case.method.apply(data, columns=list(case.columns), seed=seed, **how)
        assert release.guarantee.k == k
        assert (release.origin >= 0).all()
        sought += len(release)
        for attack, found in attacked(Pair.of(data, release), release):
            hits[attack.attack_title] += found.value / 100 * len(release)
    return hits, sought


def allowed(sought: int) -> float:
    """Records that may be found: who shares a group is dealt out at random, one right on average and in variance."""
    return float(poisson.isf(ERROR, sought / K))


@pytest.mark.long
@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name, marks=pytest.mark.full if name == SLOW else ()) for name, case in PROVEN.items()],
)
def test_one_of_k_at_most(case, times):
    hits, sought = count_hits(case, K, times)
    assert 4 <= len(hits) <= MOST_TESTS / len(PROVEN)
    assert max(hits.values()) <= allowed(sought), hits.most_common(3)
    assert max(hits.values()) > sought / ROWS  # more than guessing: there is something to find


@pytest.mark.long
def test_what_proves_nothing_is_found_more_often():
    """The same attacks find more where nothing is proven, so that the test above could fail."""
    for case in (
        Proven(mv.mask.CorrelatedNoise(p=0.3), AMOUNTS),
        Proven(Microaggregation(partition=MDAV(k=K), blocks=1), AMOUNTS),
        Proven(Microaggregation(partition=MDAV(k=K)), AMOUNTS, gaps=True),  # gaps stay, and tell records apart
    ):
        hits, sought = count_hits(case, None)
        assert max(hits.values()) > allowed(sought)


@pytest.mark.long
def test_groups_that_are_smaller_by_two_would_be_noticed():
    """So fine is the test: groups of 3 where 5 are promised exceed what is allowed."""
    hits, sought = count_hits(Proven(Microaggregation(partition=MDAV(k=K - 2)), AMOUNTS), K - 2)
    assert max(hits.values()) > allowed(sought)


def test_an_evaluation_compares_with_the_proof():
    data = small_file(1, AMOUNTS)
    release = Microaggregation(partition=MDAV(k=K)).apply(data, columns=list(AMOUNTS), seed=1)
    found = mv.evaluate(data, release, measures=["distance-linkage"])
    assert found.proven_k == K
    assert "The proof allows 1 of 5 records, 20 %" in found.worst.reading
    assert not any("proof" in sentence for sentence in mv.plan.verdict_of(release).because)


def test_a_breach_is_told():
    frame = small_file(1, AMOUNTS)
    said = [(DistanceLinkage(), DistanceLinkage()(frame, frame))]
    worst = worst_case(said, ROWS, proven_k=K)
    assert "This is more than the proof allows (1 of 5 records" in worst.reading
    assert "report it" in worst.reading
    assert "proof" not in worst_case(said, ROWS).reading
