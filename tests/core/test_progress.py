"""Progress from inside engines: shares only grow, parts fit together, and numbers do not depend on it."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import passes_told, progress
from microveil.core.passes_told import hearing_passes, looked_at, told
from microveil.core.progress import advance, listening, watching, within


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(progress, "_APART", 0.0)


def test_shares_of_parts_fit_into_the_whole_and_only_grow():
    heard: list[float] = []
    with listening(heard.append):
        advance(0.1)
        with within(0.2, 0.6):
            advance(0.5)
            with within(0.5, 1.0):
                advance(0.5)
            advance(0.1)
        advance(7.0)
    assert heard == pytest.approx([0.1, 0.4, 0.5, 1.0])


def test_nobody_listening_is_nothing_to_do():
    advance(0.5)
    with watching(lambda: 1 / 0), within(0.0, 0.5):
        advance(0.5)


def test_a_listener_is_not_called_too_often(monkeypatch):
    monkeypatch.setattr(progress, "_APART", 3600.0)
    heard: list[float] = []
    with listening(heard.append):
        for i in range(1000):
            advance(i / 1000)
    assert heard == []


def test_a_listener_hears_ten_times_a_second_at_most(monkeypatch):
    monkeypatch.undo()  # the time between two reports as it is
    seconds = iter([0.0, 0.09, 0.1, 0.19, 0.2, 0.4, 0.5])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(seconds))
    heard: list[float] = []
    with listening(heard.append):
        for share in (0.1, 0.2, 0.3, 0.4, 0.4, 0.5):
            advance(share)
    assert heard == [0.2, 0.4, 0.5]


def test_a_part_is_never_left():
    heard: list[float] = []
    with listening(heard.append):
        with within(0.25, 0.75):
            advance(-1.0)
            advance(7.0)
        advance(1.0)
    advance(2.0)
    assert heard == [0.25, 0.75, 1.0]


def test_one_listener_follows_another():
    heard: dict[str, list[float]] = {"outer": [], "inner": []}
    with listening(heard["outer"].append):
        with listening(heard["inner"].append):
            advance(0.5)
        with listening(None):
            advance(0.6)
        advance(0.7)
    assert heard == {"outer": [0.7], "inner": [0.5]}


def test_nothing_done_is_nothing_to_tell():
    heard: list[float] = []
    with listening(heard.append):
        advance(0.0)
        advance(-1.0)
    assert heard == []


def test_compiled_work_is_watched(monkeypatch):
    monkeypatch.setattr(progress, "_APART", 0.001)
    heard: list[float] = []
    filled = np.zeros(4)
    with listening(heard.append), watching(lambda: float(filled.mean())):
        filled[:2] = 1.0
        for _ in range(60_000):
            if heard:
                break
            time.sleep(0.001)
    assert heard[0] == 0.5


class Told:
    """What a run says, in order."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.shares: list[float] = []

    def __call__(self, what: str, number: int, total: int) -> None:
        self.steps.append(what)

    def within(self, share: float) -> None:
        self.shares.append(share)


RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(RNG.normal(size=(120, 3)), columns=["a", "b", "c"]).assign(
    sex=RNG.choice(["f", "m"], 120), region=RNG.integers(0, 9, 120).astype(str)
)


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        (mv.synth.Cart(), ["a", "b", "sex"]),
        (mv.mask.LocalSuppression(k=7), ["sex", "region"]),
        (mv.mask.LocalSuppression(k=7, missing="wildcard"), ["sex", "region"]),
        (mv.hybrid.LocalSynthesis(k=20, max_groups=3), ["a", "b"]),
    ],
    ids=["cart", "suppression", "wildcards", "local synthesis"],
)
def test_slow_engines_tell_how_far_they_are_and_give_the_same_numbers(method, columns):
    told = Told()
    plan = mv.Plan([(method, columns)])
    release = plan.run(FRAME, seed=1, progress=told)
    assert told.steps == [method.name]
    assert told.shares
    assert told.shares == sorted(told.shares)
    pd.testing.assert_frame_equal(release.frame, plan.run(FRAME, seed=1).frame)


def test_groups_are_watched_while_they_form(monkeypatch):
    monkeypatch.setattr(progress, "_APART", 0.0005)
    X = RNG.normal(size=(6000, 4))
    heard: list[float] = []
    with listening(heard.append):
        watched = mv.partition.MDAV(k=3).labels(X)
    assert heard
    assert heard == sorted(heard)
    assert (watched == mv.partition.MDAV(k=3).labels(X)).all()


def test_a_bar_on_a_terminal_moves_within_a_step():
    from microveil.cli.console import Drawn, Shown

    drawn: list[Drawn] = []
    shown = Shown(drawn.append)
    shown("mdav", 2, 3)
    shown.within(0.25)
    assert drawn == [("mdav", 1.0, 3, "1.0/3"), ("mdav", 1.25, 3, "1.2/3")]


def test_a_bar_shows_the_present_pass_and_counts_those_of_a_step():
    from microveil.cli.console import Drawn, Shown

    drawn: list[Drawn] = []
    shown = Shown(drawn.append)
    with hearing_passes(shown.passes):
        list(told([3, 1], "records", 4, int))  # before any step
        shown("noise", 1, 2)
        list(told("a", "parts", 1))
    assert drawn == [
        Drawn("pass 1", 0, 4, "0/4 records"),
        Drawn("pass 1", 3, 4, "3/4 records"),
        Drawn("pass 1", 4, 4, "4/4 records"),
        Drawn("noise", 0, 2, "0.0/2"),
        Drawn("noise (1 of 2), pass 1", 0, 1, "0/1 parts"),
        Drawn("noise (1 of 2), pass 1", 1, 1, "1/1 parts"),
    ]
    assert list(told("ab", "parts", 2)) == ["a", "b"], "nobody listens"


def test_work_done_elsewhere_is_looked_at_from_time_to_time(monkeypatch):
    monkeypatch.setattr(passes_told, "_APART", 0.001)
    heard: list[tuple[str, int, int]] = []
    looks = iter([(0, 0), (0, 8), *[(5, 8)] * 10_000])  # nothing has begun, nothing is done, something is
    seen = threading.Event()

    def hear(*found: Any) -> None:
        heard.append(found)
        if len(heard) > 1:
            seen.set()

    with hearing_passes(hear), looked_at("tasks", 8, lambda: next(looks)):
        assert seen.wait(60)
    assert heard[:2] == [("tasks", 0, 8), ("tasks", 5, 8)]
    with looked_at("tasks", 8, lambda: pytest.fail("nobody listens")):
        pass


def test_a_stage_is_told_to_a_progress_and_else_a_part_of_what_is_listened_to():
    class Showing:
        def __init__(self) -> None:
            self.told: list[object] = []

        def __call__(self, what: str, number: int, total: int) -> None:
            self.told.append((what, number, total))

        def within(self, share: float) -> None:
            self.told.append(share)

    showing = Showing()
    with progress.stage(showing, "noise", 2, 3):
        advance(0.5)
    assert showing.told == [("noise", 2, 3), 0.5]
    heard: list[float] = []
    with listening(heard.append):
        with progress.stage(None, "noise", 2, 4):
            advance(0.5)
        with progress.stage(lambda *_: progress.begin_anew(), "noise", 1, 2):  # whoever listens counts stages
            advance(0.25)
    assert heard == pytest.approx([0.375, 0.5, 0.25])


def test_equal_parts_are_told_one_after_the_other():
    heard: list[float] = []
    with listening(heard.append):
        assert progress.told_apart("ab", 0.0, 0.5, lambda one: (advance(0.5), one)[1]) == ["a", "b"]
    assert heard == pytest.approx([0.125, 0.25, 0.375, 0.5])
