"""One-to-one and probabilistic record linkage."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import UnknownName
from microveil.kernels.linkage.cells import numbers
from microveil.kernels.linkage.patterns import count_patterns, fit_agreement
from microveil.measure import Pair
from tests.reference import census, masked_pair


def frame(n=300, d=4, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).standard_normal((n, d)), columns=list("abcd")[:d])


def shuffled(*frames, seed=1):
    order = np.random.default_rng(seed).permutation(len(frames[0]))
    return [f.iloc[order].reset_index(drop=True) for f in frames]


@pytest.mark.parametrize("name", ["noise20", "mdav5"])
@pytest.mark.parametrize(("metric", "theirs"), [("euclid", "euclidean"), ("manhattan", "manhattan")])
def test_least_total_distance_as_in_sdcmicro(name, metric, theirs):
    original, masked, figures = masked_pair(name)
    expected = figures["recordLinkage_standardised"][theirs]
    measure = mv.risk.GlobalLinkage(metric=metric, standardise="original")
    found = measure(original, masked)
    assert found.parts["total distance"] == pytest.approx(expected["total_distance"], rel=1e-9)
    if name == "noise20":
        assert found.value / 100 == pytest.approx(expected["rate"])
    else:  # there ties go by row order: 0.459 in file order, 0.155 to 0.169 in any other
        assert 14 < found.value <= 20
    assert measure(*shuffled(original, masked)).value == found.value


def test_one_to_one_linkage_of_the_identity_and_of_groups():
    data = frame(90)
    assert mv.risk.GlobalLinkage()(data, data).value == 100.0
    groups = data.groupby(np.arange(90) // 3).transform("mean")
    assert mv.risk.GlobalLinkage()(data, groups).value <= 100 / 3 + 1e-9
    assert mv.risk.GlobalLinkage()(data, data * 0).value == pytest.approx(100 / 90)
    twice = pd.concat([frame(30), frame(30)])
    assert mv.risk.GlobalLinkage()(twice, twice).value == pytest.approx(50.0)


@pytest.mark.parametrize("known", [True, False])
def test_em_recovers_the_probabilities_of_simulated_pairs(known):
    rng = np.random.default_rng(0)
    m, u = np.array([0.95, 0.9, 0.85, 0.9, 0.8, 0.92]), np.array([0.1, 0.2, 0.05, 0.3, 0.15, 0.25])
    patterns = np.zeros(2**6)
    for probability, pairs in ((m, 20_000), (u, 380_000)):
        level = (rng.random((pairs, 6)) >= probability).astype(int)
        np.add.at(patterns, level @ (2 ** np.arange(5, -1, -1)), 1)
    found = fit_agreement(patterns, np.full(6, 2), 0.05 if known else None)
    assert found.m[:, 0] == pytest.approx(m, abs=0.02)
    assert found.u[:, 0] == pytest.approx(u, abs=0.02)
    assert found.share == pytest.approx(0.05, abs=0.002)
    assert (np.diff(found.likelihood) >= -1e-6).all()


def test_patterns_are_counted_by_level_and_block():
    queries, points = numbers(np.array([[0, 1], [3, 1]])), numbers(np.array([[0, 2], [2, 5]]))
    ones, levels = np.ones(2, dtype=np.int64), np.array([2, 3])
    everywhere = count_patterns(queries, ones, points, ones, ones, ones, levels)
    # (0, 1) twice over: against (0, 2) levels 0, 1; against (2, 5) levels 1, 2; (3, 1): 1, 1 and 1, 2
    assert everywhere.tolist() == [0, 1, 0, 0, 1, 2]
    blocked = count_patterns(queries, ones, points, ones, np.array([0, 1]), np.array([0, 0]), levels)
    assert blocked.tolist() == [0, 1, 0, 0, 0, 1]


@pytest.mark.long
def test_probabilistic_identity_chance_and_order():
    original, noisy, _ = masked_pair("noise20")
    assert mv.risk.ProbabilisticLinkage(bins=50)(original, original).value == pytest.approx(100.0)
    found = mv.risk.ProbabilisticLinkage()(original, noisy)
    assert found.value == mv.risk.ProbabilisticLinkage()(*shuffled(original, noisy)).value
    assert mv.risk.ProbabilisticLinkage(levels=3)(original, noisy).value > found.value
    chance = [mv.risk.ProbabilisticLinkage()(frame(100, seed=s), frame(100, seed=500 + s)).value for s in range(20)]
    assert np.mean(chance) == pytest.approx(1.0, abs=0.5)
    constant = frame(50)
    assert mv.risk.ProbabilisticLinkage()(constant, constant * 0).value == pytest.approx(2.0)


def test_groups_of_k_equal_records_are_linked_at_most_one_time_in_k():
    original, grouped, _ = masked_pair("mdav5")
    assert 0 < mv.risk.ProbabilisticLinkage()(original, grouped).value <= 20.0


def test_blocks_keep_records_apart():
    data = frame(200).assign(town=[f"t{i % 10}" for i in range(200)])
    noisy = data.assign(**{c: data[c] + 0.5 * frame(200, seed=8)[c] for c in "abcd"})
    inside = mv.risk.ProbabilisticLinkage(block=("town",))(data, noisy).value
    assert inside > mv.risk.ProbabilisticLinkage()(data[list("abcd")], noisy[list("abcd")]).value
    moved = noisy.assign(town=np.roll(noisy["town"], 1))
    assert mv.risk.ProbabilisticLinkage(block=("town",))(data, moved).value == 0.0
    with pytest.raises(UnknownName, match=r"block: there is no column 'twon'.*did you mean 'town'"):
        mv.risk.ProbabilisticLinkage(block=("twon",))(data, noisy)


def test_order_of_either_file_does_not_matter():
    original, released, _ = masked_pair("mdav5")
    order = np.random.default_rng(7).permutation(len(original))
    pair = Pair.of(original, released)
    moved = replace(Pair.of(original, released.iloc[order]), link=order)
    for measure in (
        mv.risk.DistanceLinkage(sizes=(2, 13)),
        mv.risk.DistanceLinkage(direction="masked"),
        mv.risk.GlobalLinkage(),
        mv.risk.ProbabilisticLinkage(),
        mv.risk.RankInterval(),
        mv.risk.SDInterval(),
    ):
        assert measure.on(moved).value == pytest.approx(measure.on(pair).value, rel=1e-12)


def test_only_records_that_were_released_count():
    every = census()
    part = every.iloc[:400]
    invented = pd.concat([part, every.iloc[400:500] * 1.01])
    pair = replace(Pair.of(every, invented), link=np.where(np.arange(500) < 400, np.arange(500), -1))
    for linkage in (mv.risk.DistanceLinkage, mv.risk.GlobalLinkage):
        found = linkage(standardise="original").on(pair)
        assert found.value == 100.0
        assert "the 400 records" in found.reading
        assert "guessing finds 0.2 %" in found.reading
    assert mv.risk.RankInterval().on(pair).value == 100.0
