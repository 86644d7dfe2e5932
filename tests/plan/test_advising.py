"""Changes of a plan against an attack: run and measured, not asserted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.measure import Pair
from microveil.partition import MDAV
from microveil.plan import Step, advise, advise_against
from microveil.plan.advising import DRAWS
from microveil.plan.quick_attack import quick_worst_case
from microveil.plan.verdict_loss import loss_of_amounts

COLUMNS = list("abcd")


def correlated(rows: int) -> mv.Microdata:
    X = np.random.default_rng(1).normal(size=(rows, 4)) @ (np.eye(4) + 0.4)
    return mv.Microdata(pd.DataFrame(X.round(3), columns=COLUMNS))


@pytest.fixture(scope="module")
def four_amounts() -> mv.Microdata:
    return correlated(150)


CASES = [
    (mv.mask.RankSwap(p=10), mv.mask.RankSwap(p=20), "p=20 instead of 10"),
    (mv.mask.CorrelatedNoise(p=0.3), mv.mask.CorrelatedNoise(p=0.6), "p=0.6 instead of 0.3"),
    (
        mv.mask.IndividualRanking(k=8),
        mv.mask.Microaggregation(partition=MDAV(k=8)),
        "microaggregation (partition: mdav (k: 8)) instead of individual-ranking (k: 8)",
    ),
    (mv.mask.IndividualRanking(k=8), mv.mask.IndividualRanking(k=16), "k=16 instead of 8"),
    (
        mv.mask.Microaggregation(partition=MDAV(k=8), blocks=2),
        mv.mask.Microaggregation(partition=MDAV(k=8)),
        "microaggregation (partition: mdav (k: 8)) instead of microaggregation (partition: mdav (k: 8), blocks: 2)",
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "safer", "change"),
    [
        # rank swapping draws too
        pytest.param(*one, marks=pytest.mark.full if one[0].name == "correlated-noise" else (), id=one[2][:24])
        for one in CASES
    ],
)
def test_the_change_is_measured_with_its_cost(four_amounts, method, safer, change):
    release = method.apply(four_amounts, columns=COLUMNS, seed=5)
    tried = {one.change: one for one in advise_against(release, method.attacks[0]).tried}[change]
    keys = range(1, DRAWS + 1) if method.random else [1]
    for one, draws in ((method, tried.before), (safer, tried.after)):
        pairs = [Pair.of(four_amounts, one.apply(four_amounts, columns=COLUMNS, seed=key)) for key in keys]
        assert draws.each == tuple(quick_worst_case(pair).value for pair in pairs)
        assert draws.loss == pytest.approx(np.mean([loss_of_amounts(pair, None) for pair in pairs]))
    assert tried.after.found < tried.before.found - 2
    assert tried.after.loss > tried.before.loss
    assert tried.helps
    assert str(tried).startswith(f"{change}: found {tried.before.words} -> {tried.after.words} of the records, loss of")


def test_joint_groups_keep_the_bound_and_stand_first(four_amounts):
    release = mv.mask.IndividualRanking(k=10).apply(four_amounts, columns=COLUMNS, seed=1)
    first = advise_against(release, mv.attack.CentroidIntersection()).tried[0]
    assert first.change.startswith("microaggregation")
    assert first.before.found > 90
    assert first.after.found < 10 + 5


@pytest.mark.long
def test_what_chance_does_is_no_help(four_amounts):
    """Rounding after noise hides nobody: every draw is as far from the others as the two plans are."""
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(four_amounts, columns=COLUMNS, seed=1)
    tried = {one.change: one for one in advise_against(release, "mahalanobis-linkage").tried}
    rounded = tried["rounding at the end: a, b, c and d to multiples of 0.1"]
    assert not rounded.helps
    assert str(rounded).endswith("this does not help beyond chance")
    assert "found " in str(rounded)
    assert min(rounded.before.each) < max(rounded.before.each)
    assert f"({mv.core.numbers.format_number(min(rounded.before.each))} to" in rounded.before.words


@pytest.mark.full  # tests/plan/test_safer_steps.py: both parameters declare it
def test_hybrids_try_larger_groups_and_jittered_moments(four_amounts):
    release = mv.hybrid.MicroHybrid(partition=MDAV(k=5)).apply(four_amounts, columns=COLUMNS, seed=1)
    changes = [one.change for one in advise_against(release, "cluster-recovery").tried]
    assert {"k=10 instead of 5", "jitter_moments=0.5 instead of 0"} < set(changes)


@pytest.mark.long
def test_nothing_more_is_known(four_amounts):
    release = mv.mask.RankSwap(p=10).apply(four_amounts, columns=COLUMNS, seed=1)
    advice = advise_against(release, "centroid-intersection")
    assert advice.tried == ()
    (why,) = advice.lines
    assert why.startswith("No change was tried: rank-swap declares no parameter that would protect more")
    nearly = mv.mask.RankSwap(p=60).apply(four_amounts, columns=COLUMNS, seed=1)
    assert "p=100 instead of 60" in str(advise_against(nearly, "rank-swap-attack"))
    widest = mv.mask.RankSwap(p=100).apply(four_amounts, columns=COLUMNS, seed=1)
    assert "p=" not in str(advise_against(widest, "rank-swap-attack"))
    with pytest.raises(BadInput, match="is not an attack; give one"):
        advise_against(release, mv.risk.DistanceLinkage())
    with pytest.raises(UnknownName):
        advise_against(release, "rank-swap-atack")


def test_an_impossible_change_says_why(four_amounts):
    release = mv.mask.Microaggregation(partition=MDAV(k=80), blocks=2).apply(four_amounts, columns=COLUMNS, seed=1)
    (told,) = [line for line in advise_against(release, "block-intersection").not_tried if "k=160" in line]
    assert told.startswith("k=160 instead of 80: this could not be tried: ")
    assert "150" in told


@pytest.mark.long
def test_other_steps_stay_as_they_are(four_amounts):
    first, second = mv.mask.RankSwap(p=5), mv.mask.UncorrelatedNoise(p=0.2)
    release = mv.Plan([(first, ["a", "b"]), (second, ["c", "d"])]).run(four_amounts, seed=1)
    changes = {one.change: one for one in advise_against(release, "rank-swap-attack").tried}
    assert "p=0.4 instead of 0.2 (uncorrelated-noise)" not in changes
    tried = changes["p=10 instead of 5 (rank-swap)"]
    wider = mv.Plan([(mv.mask.RankSwap(p=10), ["a", "b"]), (second, ["c", "d"])]).run(four_amounts, seed=1)
    assert tried.after.each[0] == quick_worst_case(Pair.of(four_amounts, wider)).value


def test_of_many_records_some_are_tried(monkeypatch):
    monkeypatch.setattr("microveil.plan.advising.MOST_TRIED", 50)
    release = mv.mask.UncorrelatedNoise(p=0.1).apply(correlated(70), columns=COLUMNS, seed=1)
    assert advise_against(release, "mahalanobis-linkage").how.startswith("Tried on 50 of 70 records, among which")


@pytest.fixture(scope="module")
def half_protected() -> mv.Release:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"income": np.r_[np.arange(144.0), [0.0] * 6], "wealth": draw.normal(size=150)})
    data = mv.Microdata(frame.assign(sex=list("mf") * 75), roles={"sex": "key"}, kinds={"sex": "nominal"})
    return mv.mask.UncorrelatedNoise(p=2.0).apply(data, columns=["wealth"], seed=1)


@pytest.mark.long
def test_a_column_that_no_step_touched_is_named_and_protected(half_protected):
    figures = mv.evaluate(half_protected, measures="quick")
    advice = advise(half_protected, figures.attacked)
    # 144 different values in 150 records: of each one record is found
    assert [(one.columns, one.found) for one in advice.untouched] == [(("income",), 96.0)]
    assert "income was not changed and alone finds 96 % of the records." in advice.lines
    tried = {one.change: one for one in advice.tried}["rank-swap on income, which no step touched"]
    assert tried.before.found > 90
    assert tried.helps
    more = mv.Plan([*(one.step for one in half_protected.steps), Step(mv.mask.RankSwap(p=10), ["income"])])
    again = Pair.of(half_protected.original, more.run(half_protected.original, seed=1))
    assert tried.after.each[0] == quick_worst_case(again).value


def test_categories_that_find_together_are_told_together():
    rows = np.arange(120)
    frame = pd.DataFrame({"x": rows + 0.5, "u": (rows % 11).astype(str), "v": (rows % 10).astype(str)})
    data = mv.Microdata(frame, kinds={"u": "nominal", "v": "nominal"})
    release = mv.mask.UncorrelatedNoise(p=2.0).apply(data, columns=["x"], seed=1)
    (only,) = mv.plan.untouched.find_untouched(Pair.of(data, release), release.columns)
    # 110 combinations: the last ten records repeat the first
    assert (only.columns, only.found) == (("u", "v"), pytest.approx(100 * 110 / 120))
    assert str(only) == "u and v were not changed and together find 91.7 % of the records"


def test_without_success_there_is_no_advice(half_protected):
    assert not advise(half_protected, ())


def test_coarser_keys_are_tried():
    frame = pd.DataFrame({"place": [f"{10 + n % 40}" for n in range(160)], "x": np.arange(160.0)})
    data = mv.Microdata(frame, roles={"place": "key"}, kinds={"place": "nominal"}, hierarchies={"place": "redact"})
    release = mv.mask.GlobalRecode(level=1).apply(data, columns=["place"])
    tried = advise(release, mv.evaluate(release, measures="quick").attacked)
    assert "level=2 instead of 1" in str(tried)
    assert "x was not changed and alone finds 100 % of the records." in tried.lines


def test_a_larger_k_of_a_model_is_tried():
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"age": draw.integers(20, 80, 150), "sex": draw.integers(0, 2, 150).astype(str)})
    data = mv.Microdata(frame, roles={"age": "key", "sex": "key"})
    release = mv.mask.KAnonymise(k=3).apply(data)
    tried = {one.change: one for one in advise_against(release, "downcoding").tried}["k=6 instead of 3"]
    assert tried.after.found < tried.before.found


def test_advice_that_helps_nothing_says_so():
    from microveil.plan.advising import Advice
    from microveil.plan.tried_change import Draws, TriedChange

    change = TriedChange("twice the noise", Draws((9.0,)), Draws((9.0,)))
    assert Advice((change,)).lines[-1].startswith("None of these changes gives fewer records away beyond chance: ")
    better = TriedChange("twice the noise", Draws((9.0,)), Draws((3.0,)))
    assert "None of these" not in str(Advice((change, better)))
