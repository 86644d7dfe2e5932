"""Whether a file holds more of the original than runs of its plan do, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.package.excess import Excess

N, RUNS = 150, 9
EVERY = np.ones(N, dtype=bool)


def seen(*rows: int) -> np.ndarray:
    found = np.zeros(N, dtype=bool)
    found[list(rows)] = True
    return found


@pytest.mark.parametrize(("raw", "more"), [(4, False), (5, True)])
def test_five_where_nine_runs_have_none_are_too_many(raw: int, more: bool):
    """Each falls on the file with a chance of one in ten: five of them one in a hundred thousand."""
    found = Excess(seen(*range(raw)), np.zeros((RUNS, N), dtype=bool), EVERY)
    assert found.is_more == more
    assert found.unseen == 4


def test_what_every_run_leaves_does_not_hide_others():
    runs = np.tile(seen(*range(40)), (RUNS, 1))
    assert not Excess(seen(*range(40)), runs, EVERY).is_more
    found = Excess(seen(*range(45)), runs, EVERY)
    assert found.is_more
    assert found.said("the originals stand there") == (
        "5 of the originals stand there, none of which any run of the plan leaves"
    )
    assert found.unseen == 6  # 4 of the 110 that no run leaves


def test_one_more_is_one_too_many_where_nothing_is_drawn():
    runs = np.tile(seen(1, 2), (RUNS, 1))
    assert Excess(seen(1, 2, 3), runs, EVERY, strict=True).is_more
    assert not Excess(seen(1, 2), runs, EVERY, strict=True).is_more
    assert Excess(seen(1, 2), runs, EVERY, strict=True).unseen == 0


def test_many_that_come_by_chance_are_judged_by_all_of_them():
    rng = np.random.default_rng(1)
    runs = rng.random((RUNS, N)) < 0.2
    honest = rng.random(N) < 0.2
    assert not Excess(honest, runs, EVERY).is_more
    raw = honest.copy()
    raw[:45] = True
    found = Excess(raw, runs, EVERY)
    assert found.is_more
    assert "a run of the plan leaves 18.4 %" in found.said("the originals")


def test_runs_that_differ_much_allow_for_more():
    runs = np.zeros((RUNS, N), dtype=bool)
    runs[0, :12] = True  # a group of twelve that came back as a whole
    assert not Excess(seen(*range(20, 32)), runs, EVERY).is_more


def test_originals_that_nobody_could_recognise_may_all_be_there():
    assert Excess(seen(), np.zeros((RUNS, N), dtype=bool), seen()).unseen == N
