"""Amounts that are nearer to the originals than those of runs of the plan."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.package.nearest_runs import NearestRuns, nearest_runs

N = 150
RNG = np.random.default_rng(3)
LABELS = RNG.integers(0, 30, N)
AMOUNTS = np.round(RNG.lognormal(8, 0.6, N))


def swapped() -> tuple[np.ndarray, np.ndarray]:
    """The amounts as swapping leaves them: the same ones, in other records."""
    return LABELS, RNG.permutation(AMOUNTS)


def beside(shown: np.ndarray, runs: int = 9) -> NearestRuns:
    found = nearest_runs(LABELS, AMOUNTS, (LABELS, shown), [swapped() for _ in range(runs)], 0.1, 9)
    assert found is not None
    return found


def test_a_file_that_the_plan_made_is_nearest_as_often_as_a_run():
    for _ in range(20):
        found = beside(swapped()[1])
        assert not found.is_more
        assert 0 < found.count < N / 4


@pytest.mark.parametrize("added", [0.0, 1.0, 50.0])
def test_raw_amounts_are_nearer_by_whatever_they_were_changed(added: float):
    found = beside(AMOUNTS + added)
    assert found.is_more
    assert "% of them are nearer to it than to any run of the plan" in found.said("them")


def test_what_is_told_to_stay_unseen_is_where_raw_records_begin_to_be_seen():
    made = swapped()[1]
    least = beside(made).unseen
    assert 0 < least < N / 4
    mixed = np.where(np.arange(N) < least + N // 10, AMOUNTS + 1, made)
    assert beside(mixed).is_more


def test_one_run_stands_for_plans_that_draw_nothing():
    run = swapped()
    same = nearest_runs(LABELS, AMOUNTS, run, [run], 0.1, 9)
    assert same is not None
    assert (same.count, same.is_more) == (0, False)
    few = np.where(np.arange(N) < 8, AMOUNTS, run[1])
    assert nearest_runs(LABELS, AMOUNTS, (LABELS, few), [run], 0.1, 9).is_more


def test_amounts_that_are_all_the_same_or_missing_tell_nothing():
    assert nearest_runs(LABELS, np.full(N, 5.0), swapped(), [swapped()], 0.1, 9) is None
    gone = nearest_runs(LABELS, AMOUNTS, (LABELS, np.full(N, np.nan)), [swapped()], 0.1, 9)
    assert gone is not None
    assert gone.count == 0


def test_an_honest_file_that_nobody_rounded_is_no_nearer_than_rounded_runs():
    made = RNG.permutation(AMOUNTS) + RNG.uniform(-0.5, 0.5, N)
    run = (LABELS, np.round(made))
    honest = nearest_runs(LABELS, AMOUNTS, (LABELS, made), [run], 0.1, 9)
    assert (honest.count, honest.is_more) == (0, False)
    assert nearest_runs(LABELS, AMOUNTS, (LABELS, AMOUNTS + 0.25), [run], 0.1, 9).is_more
