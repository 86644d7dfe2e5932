"""Hybrids of data with rules: exact moments in groups, and nothing impossible."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from tests.firms import AMOUNTS, broken_rules, firms, released, with_gaps
from tests.marks import ANY_FILE

MDAV = mv.partition.MDAV
HYBRID = mv.hybrid.MicroHybrid(partition=MDAV(k=8))
CORE = mv.hybrid.CholeskyHybrid(core="feasible", mask=mv.mask.RankSwap(p=10))


def assert_moments_stay(new, old):
    np.testing.assert_allclose(new.mean(), old.mean(), rtol=1e-9)
    scale = np.sqrt(np.outer(old.var(), old.var()))
    assert (np.abs(new.cov() - old.cov()) <= 1e-9 * np.where(scale > 0, scale, 1.0)).all(axis=None)


def test_micro_hybrid_keeps_moments_of_groups_and_every_rule():
    frame = firms()
    release = released(HYBRID, frame, exact=True)
    assert broken_rules(release.frame) == {}
    labels = next(iter(release._state.groupings.values()))
    for group in np.unique(labels):
        assert_moments_stay(release.frame[labels == group][AMOUNTS], frame[labels == group][AMOUNTS])
    zero = frame["abroad"] == 0
    assert ((release.frame["abroad"] == 0) == zero).mean() > 0.9
    assert any("patterns of zeros" in note for note in release.notes)
    named = released(mv.hybrid.MicroHybrid(partition=MDAV(k=8), synthesiser=mv.synth.Ipso()), frame, exact=True)
    assert broken_rules(named.frame)


def test_columns_without_rules_are_drawn_by_ipso():
    frame = firms()
    with_rules = released(HYBRID, frame, ("staff >= 1",), columns=["home", "rent"])
    without = released(HYBRID, frame, (), columns=["home", "rent"])
    assert (with_rules.frame == without.frame).all(axis=None)


@pytest.mark.parametrize(
    "more",
    [
        {"given": ["costs"], "columns": ["total", "home", "abroad", "rent"]},
        {"by": "region"},
        {"columns": [*AMOUNTS, "region"], "given": []},
    ],
    ids=["kept", "by", "categories"],
)
def test_rules_hold_beside_kept_columns_in_subdomains_and_with_categories(more):
    assert broken_rules(released(HYBRID, firms(), **more).frame) == {}


@pytest.mark.parametrize(
    "settings",
    [
        {"kinds_together": "separate"},
        {"degenerate": "merge"},
        {"small_groups": "raise_k", "partition": MDAV(k=4)},
        {"synthesiser": mv.synth.FeasibleRotation(zeros="move")},
        {"blocks": [["region"]]},
    ],
    ids=str,
)
def test_rules_hold_whatever_else_is_asked_for(settings):
    method = mv.hybrid.MicroHybrid(**{"partition": MDAV(k=8), **settings})
    assert broken_rules(released(method, firms(), columns=[*AMOUNTS, "region"], given=[]).frame) == {}


@pytest.mark.parametrize("given", [[], ["costs"]])
def test_rules_hold_around_gaps_and_say_nothing_of_records_that_lack_a_number(given):
    frame = with_gaps(firms())
    columns = [name for name in AMOUNTS if name not in given]
    release = released(HYBRID, frame, exact=True, columns=columns, given=given, missing="mask")
    assert broken_rules(release.frame) == {}
    assert (release.frame.isna() == frame.isna()).all(axis=None)
    assert not any("not kept" in note for note in release.notes)
    complete = frame.notna().all(axis=1)
    assert_moments_stay(release.frame.loc[complete, AMOUNTS], frame.loc[complete, AMOUNTS])


@pytest.mark.parametrize(
    "settings", [{"jitter_moments": 0.2}, {"small_groups": "pooled"}, {"small_groups": "drop_kept"}]
)
def test_what_exact_moments_exclude_is_refused_in_words_of_edits(settings):
    name = next(iter(settings))
    with pytest.raises(BadInput, match=rf"^the data have edits, which feasible-rotation keeps: {name}=.*breaks edits$"):
        released(mv.hybrid.MicroHybrid(**settings), firms())
    released(mv.hybrid.MicroHybrid(**settings), firms(), ())


def test_groups_too_small_to_turn_are_refused():
    with pytest.raises(BadInput, match=r"^k=3 with 1 kept column: feasible-rotation turns 4 records"):
        released(mv.hybrid.MicroHybrid(partition=MDAV(k=3)), firms(), columns=["home", "rent"], given=["costs"])


# -- the feasible core ---------------------------------------------------------------------------


def distances(release):
    note = next(note for note in release.notes if "standard deviations from the mask" in note)
    return [float(number) for number in re.findall(r"(\d+\.\d+)", note)]


@pytest.mark.parametrize("mask", [mv.mask.RankSwap(p=10), mv.mask.Microaggregation()], ids=lambda mask: mask.name)
def test_the_feasible_core_keeps_moments_and_rules_and_tells_distances(mask):
    frame = firms()
    release = released(mv.hybrid.CholeskyHybrid(core="feasible", mask=mask), frame, exact=True)
    assert_moments_stay(release.frame[AMOUNTS], frame[AMOUNTS])
    assert broken_rules(release.frame) == {}
    scale = frame[AMOUNTS].std(ddof=0)
    masked = released(mask, frame, exact=True).frame
    to_original = np.sqrt((((release.frame[AMOUNTS] - frame[AMOUNTS]) / scale) ** 2).to_numpy().mean())
    told = distances(release)
    assert told[1] == pytest.approx(to_original, abs=0.006)
    nearer = any("nearer to the original than those of the mask" in note for note in release.notes)
    assert nearer == (told[1] < told[2])
    if not mask.random:
        to_mask = np.sqrt((((release.frame[AMOUNTS] - masked[AMOUNTS]) / scale) ** 2).to_numpy().mean())
        assert told[0] == pytest.approx(to_mask, abs=0.006)
    assert told[0] < told[1]


def test_zeros_stay_zeros_beside_the_mask():
    frame = firms(400)
    release = released(CORE, frame, exact=True)
    zero = frame["abroad"] == 0
    assert ((release.frame["abroad"] == 0) == zero).all()
    assert zero.sum() > 50
    assert_moments_stay(release.frame[zero][AMOUNTS], frame[zero][AMOUNTS])
    assert any("pattern" in note and "zeros" in note for note in release.notes)


def test_subdomains_and_blocks_of_the_feasible_core():
    frame = firms()
    release = released(CORE, frame, exact=True, by="region")
    assert broken_rules(release.frame) == {}
    for rows in frame.groupby("region").groups.values():
        assert_moments_stay(release.frame.loc[rows, AMOUNTS], frame.loc[rows, AMOUNTS])
    blocks = [["total", "home", "abroad"], ["costs", "rent", "staff"]]
    apart = released(mv.hybrid.CholeskyHybrid(core="feasible", blocks=blocks), frame, exact=True)
    assert set(broken_rules(apart.frame)) == {"costs <= total"}
    assert any("costs <= total: not kept" in note for note in apart.notes)
    for block in blocks:
        assert_moments_stay(apart.frame[block], frame[block])


def test_a_mask_that_draws_other_records_is_refused():
    with pytest.raises(BadInput, match=r"^core='feasible' turns the records that there are and sample gives others"):
        released(mv.hybrid.CholeskyHybrid(core="feasible", mask=mv.mask.Sample()), firms())


@ANY_FILE
def test_groups_that_rules_leave_no_room_are_merged_where_that_is_asked_for():
    # one amount beside two zeros can only change places
    amounts = np.array([[size, 0.0, 0.0] for size in range(20, 40)]).ravel()
    frame = pd.DataFrame({"sold": amounts, "year": np.repeat(np.arange(20.0), 3)})
    data = mv.Microdata(frame, edits=["sold >= 0"], roles=dict.fromkeys(frame, "confidential"))
    inside = mv.synth.FeasibleRotation(zeros="move", came_back="tell")
    found = {}
    for degenerate in ("report", "merge"):
        method = mv.hybrid.MicroHybrid(
            partition=MDAV(k=3), synthesiser=inside, cluster_on=("year",), degenerate=degenerate
        )
        found[degenerate] = mv.Plan([(method, ["sold"])]).run(data, seed=3)
    stuck, moved = found["report"], found["merge"]
    assert any("60 records of 60 came back as one of their group was" in note for note in stuck.notes)
    assert sorted(stuck.frame["sold"]) == sorted(amounts)
    assert any("20 groups in which nothing would have changed were merged" in note for note in moved.notes)
    assert (moved.frame["sold"] > 0).sum() > 25
    assert (moved.frame["sold"] >= 0).all()
    assert moved.frame["sold"].sum() == amounts.sum()


def test_originals_that_come_back_beside_a_mask_are_told():
    frame = firms(60)[["home", "abroad"]] * 0.0
    frame.loc[5] = [50.0, 70.0]  # beside zeros only it cannot move
    mask = mv.mask.UncorrelatedNoise(p=0.3)
    core = mv.hybrid.CholeskyHybrid(core="feasible", mask=mask)
    release = released(core, frame, ("home >= 0", "abroad >= 0"), exact=True, columns=["home", "abroad"])
    assert [50.0, 70.0] in np.round(release.frame.to_numpy(), 6).tolist()
    (told,) = [note for note in release.notes if "came back as an original was" in note]
    assert told.startswith("60 records of 60")
