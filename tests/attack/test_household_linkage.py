"""Whole households: members tell them together, whatever hides each of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson

import microveil as mv
from microveil.attack import HouseholdLinkage
from microveil.attack.found_households import FOUND
from microveil.attack.least_assignment import assign_each
from microveil.attack.member_costs import MemberCosts
from microveil.kernels.linkage.cells import all_distances
from microveil.mask import KAnonymise, LocalSuppression, Microaggregation, Pram, UncorrelatedNoise
from microveil.measure import Pair
from microveil.measure.sampling import Sample, draw_pair
from microveil.partition import MDAV

NUMBERS = list("abcd")


def homes_of(rows: int, size: int = 3, seed: int = 1) -> mv.Microdata:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(np.exp(draw.normal(size=(rows, 4))).round(3), columns=NUMBERS)
    frame["job"], frame["home"] = draw.choice(list("uvwxyz"), rows), np.arange(rows) // size
    return mv.Microdata(frame, roles={"home": "household", "job": "key"})


def grouped(data: mv.Microdata, k: int = 5) -> mv.Release:
    only = mv.Microdata(data.frame[[*NUMBERS, "home"]], roles={"home": "household"})
    return Microaggregation(partition=MDAV(k=k)).apply(only, columns=NUMBERS, seed=1)


# -- by hand -----------------------------------------------------------------------------------------


def pair_of(before: dict[str, list], after: dict[str, list]) -> Pair:
    data = mv.Microdata(pd.DataFrame(before), roles={"home": "household"})
    return Pair.of(data, pd.DataFrame(after))


def test_members_are_assigned_at_the_least_total_by_hand():
    """Alone 1 and 3 are nearest to 1.4 and 2.4 of the wrong household; together they fit 1.4 and 3.4."""
    pair = pair_of(
        {"x": [1.0, 3.0, 2.0, 9.0], "home": [1, 1, 2, 2]}, {"x": [3.4, 1.4, 2.4, 8.6], "home": [70, 70, 30, 30]}
    )
    turned = replace(pair, link=np.array([1, 0, 2, 3]))
    found = HouseholdLinkage().of_pair(turned)
    assert found.value == 100
    assert found.parts[FOUND] == 100
    exchanged = replace(pair, link=np.array([0, 1, 2, 3]))
    assert HouseholdLinkage().of_pair(exchanged).parts["nearest"] == 50
    assert HouseholdLinkage().of_pair(exchanged).parts[FOUND] == 100


def test_households_that_look_the_same_share_a_guess():
    """Two households of the same two released values: each member has one chance in two, and the third is found."""
    before = {"x": [1.0, 2.0, 1.1, 2.1, 8.0, 9.0], "home": [1, 1, 2, 2, 3, 3]}
    after = {"x": [1.0, 2.0, 1.0, 2.0, 8.0, 9.0], "home": [5, 5, 6, 6, 7, 7]}
    found = HouseholdLinkage().of_pair(pair_of(before, after))
    assert found.parts["nearest"] == pytest.approx(100 * (4 * 0.5 + 2) / 6)
    alike = {"x": [5.0] * 4 + [8.0, 9.0], "home": [5, 5, 6, 6, 7, 7]}
    found = HouseholdLinkage().of_pair(pair_of(before, alike))
    assert found.parts["nearest"] == pytest.approx(100 * (4 * 0.25 + 2) / 6)


def test_only_households_of_the_same_size_are_candidates():
    before = {"x": [1.0, 2.0, 5.0, 6.0, 7.0], "home": [1, 1, 2, 2, 2]}
    after = {"x": [6.0, 7.0, 1.0, 2.0, 3.0], "home": [1, 1, 2, 2, 2]}
    assert HouseholdLinkage().of_pair(pair_of(before, after)).value == 100


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_the_least_assignment_is_the_least_of_all(size):
    cost = np.random.default_rng(size).random((6, size, size))
    total, chosen = assign_each(cost)
    assert np.take_along_axis(cost, chosen[:, :, None], axis=2).sum(axis=(1, 2)) == pytest.approx(total)
    assert (np.sort(chosen, axis=1) == np.arange(size)).all()
    if size <= 5:
        every = [cost[:, np.arange(size), list(order)].sum(axis=1) for order in permutations(range(size))]
        assert total == pytest.approx(np.min(every, axis=0))


def test_the_bound_is_never_above_the_least_cost():
    """Sorted amounts with gaps, and counts of categories."""
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=(30, 2)), draw.normal(size=(60, 2))
    x[draw.random(x.shape) < 0.1] = y[draw.random(y.shape) < 0.1] = np.nan
    costs = MemberCosts((), x, y, draw.integers(0, 4, (30, 1)), draw.integers(0, 4, (60, 1)))
    known, released = np.arange(30).reshape(10, 3), np.arange(60).reshape(20, 3)
    asked, shown, steps = costs.bounds(known, released)
    bound = all_distances(asked, shown, steps, False)
    least = [[assign_each(costs.between(a[:, None], b[None, :])[None])[0][0] for b in released] for a in known]
    assert (bound <= np.array(least) + 1e-9).all()
    assert (bound > 0).all()


# -- releases ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_groups_hide_records_and_not_households():
    data = homes_of(600)
    release = grouped(data)
    plain = mv.risk.DistanceLinkage()(release.original, release)
    found = HouseholdLinkage()(release.original, release)
    assert plain.value < 20
    assert found.value > 85
    assert found.parts[FOUND] > 85
    evaluation = mv.evaluate(release.original, release)
    assert evaluation.worst.value == pytest.approx(found.value)
    assert "Whole households" in evaluation.worst.reading
    assert "a proof of one in k speaks of single records" in evaluation.worst.reading
    assert "more than the proof allows" not in evaluation.worst.reading
    assert any(one.measure.name == "household-linkage" and one.succeeds for one in evaluation.attacked)
    verdict = mv.plan.verdict_of(release)
    assert verdict.worst.value == pytest.approx(found.value)
    assert not any("do not release the file" in sentence for sentence in verdict.because)
    assert "knows all members of a household" in release.guarantee.exposed


def test_a_proof_of_one_in_k_speaks_of_records():
    """Households inside of one group are equal to the proof, so that it holds, and it does not bound this intruder."""
    frame = homes_of(300).frame[[*NUMBERS, "home"]]
    data = mv.Microdata(frame, roles={"home": "household"})
    release = Microaggregation(partition=MDAV(k=5)).apply(data, columns=NUMBERS, seed=1)
    found = HouseholdLinkage()(data, release)
    said = [(HouseholdLinkage(), found), (mv.risk.DistanceLinkage(), mv.risk.DistanceLinkage()(data, release))]
    worst = mv.plan.worst_case.worst_case(said, 300, proven_k=5)
    assert worst.value == found.value > 50
    assert "The proof allows 1 of 5 records, 20 %" in worst.reading
    assert "report it" not in worst.reading


def test_household_numbers_say_nothing_themselves():
    """Numbers that were drawn anew, or are words, find as many."""
    data = homes_of(300)
    release = grouped(data)
    named = release.frame.assign(home=[f"h{7 * one % 101}" for one in release.frame["home"]])
    again = HouseholdLinkage()(release.original, named, linked=release.origin)
    assert again.value == pytest.approx(HouseholdLinkage()(release.original, release).value, abs=1.0)


def test_where_nobody_sees_who_lives_together_it_does_not_apply():
    data = homes_of(60)
    release = grouped(data)
    assert "no column with the role household" in HouseholdLinkage()(data, release.frame.drop(columns="home")).reason
    alone = homes_of(60, size=1)
    assert "no two records" in HouseholdLinkage()(alone, alone.frame).reason
    plain = mv.Microdata(data.frame)
    assert "no column with the role household" in HouseholdLinkage()(plain, plain.frame).reason


def test_a_release_of_others_is_found_as_often_as_by_guessing():
    """One record of each file on average, in the best of four ways of reading."""
    values = []
    for seed in range(8):
        data, other = homes_of(150, seed=seed), grouped(homes_of(150, seed=100 + seed))
        pair = replace(Pair.of(other), before=mv.Microdata(data.frame[[*NUMBERS, "home"]], roles={"home": "household"}))
        values.append(HouseholdLinkage().of_pair(pair).value)
    assert sum(values) / 100 * 150 / 3 <= poisson.isf(0.001, 4 * 8)


def test_keys_must_lie_in_their_classes_and_untouched_columns_agree():
    data = homes_of(300)
    recoded = KAnonymise(k=10).apply(data, columns=["job", "a"], seed=1)
    by_keys = HouseholdLinkage(known=["job", "a"])(data, recoded)
    assert by_keys.value > 3 * mv.attack.NestedLinkage(known=["job", "a"])(data, recoded).value
    suppressed = LocalSuppression(k=40).apply(data, columns=["job"], seed=1)
    by_job = HouseholdLinkage(known=["job"])(data, suppressed)
    assert by_job.value > 3 * mv.attack.NestedLinkage(known=["job"])(data, suppressed).value
    noise = UncorrelatedNoise(p=1.0).apply(data, columns=NUMBERS, seed=1)
    with_job = HouseholdLinkage()(data, noise)
    assert with_job.value > HouseholdLinkage(known=NUMBERS)(data, noise).value + 10
    changed = Pram(stay=0.8).apply(data, columns=["job"], seed=1)
    assert HouseholdLinkage(known=["job"])(data, changed).value > 3


def test_many_households_are_searched_as_few_are(monkeypatch):
    """By bounds and by comparing all of them the same households are nearest."""
    data = homes_of(600)
    release = grouped(data)
    every = HouseholdLinkage()(release.original, release)
    monkeypatch.setattr("microveil.attack.household_search._ALL_PAIRS", 0)
    some = HouseholdLinkage()(release.original, release)
    assert some.parts["nearest"] == pytest.approx(every.parts["nearest"], abs=0.5)
    assert "nearest, one-to-one" not in some.parts
    monkeypatch.setattr("microveil.attack.household_search.OFFERED", 16)
    tied = KAnonymise(k=30).apply(data, columns=["job", "a"], seed=1)
    few = HouseholdLinkage(known=["job"])(data, tied)
    monkeypatch.undo()
    assert few.parts["nearest"] == pytest.approx(HouseholdLinkage(known=["job"])(data, tied).parts["nearest"], abs=0.5)


def test_a_sample_has_whole_households():
    release = grouped(homes_of(600))
    drawn = draw_pair(Pair.of(release), Sample("households", 90))
    homes = release.original.frame["home"].to_numpy()[drawn.pair.rows_before]
    assert len(homes) == 90
    assert (np.unique(homes, return_counts=True)[1] == 3).all()
    assert len(drawn.pair.rows_after) == 600
    assert "90 of 600 originals were searched for" in drawn.said
