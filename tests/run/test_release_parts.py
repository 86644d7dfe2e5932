"""When rounding ends a promise, and what is said of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil import claims
from microveil.claims.claim import Verdict
from microveil.core.streams import Key
from microveil.run.contract import Step
from microveil.run.promises import Promise
from microveil.run.rounded_away import _is_destroyed, complaints, rounding_notes
from microveil.run.steps import run_steps

MEANS, RANGE = claims.MeansKept(columns=("x",)), claims.RangeKept(columns=("x",))


@pytest.mark.parametrize(
    ("claim", "holds", "exactly", "largest", "destroyed"),
    [
        (MEANS, False, False, 0.01, True),
        (RANGE, False, False, 0.01, True),
        (MEANS, True, False, 0.05, False),  # a twentieth of a spread may be lost
        (MEANS, True, False, 0.051, True),
        (MEANS, True, True, 0.06, False),
        (RANGE, True, False, 0.06, False),
    ],
)
def test_what_rounding_may_take(claim: Any, holds: bool, exactly: bool, largest: float, destroyed: bool) -> None:
    assert _is_destroyed(Verdict(claim, holds, largest, 0.0, exactly, largest)) is destroyed


def test_what_rounding_moves_is_told_in_its_unit() -> None:
    found = [(Promise(claim), Verdict(claim, True, 0.1, 0.2, exactly, 0.125)) for claim, exactly in NOTED]
    assert rounding_notes(found) == [
        f"rounding to the units of the original moves this by up to 0.12 standard deviations: {MEANS}",
        f"rounding to the units of the original moves this by up to 0.12: {RANGE}",
    ]


NOTED = [(MEANS, False), (MEANS, True), (RANGE, False)]


def test_a_broken_promise_names_what_came_later() -> None:
    frame = pd.DataFrame({"x": np.arange(20.0) + 0.25, "y": np.arange(20.0) + 0.5})
    noise, swap = mv.mask.UncorrelatedNoise(), mv.mask.RankSwap(p=50)
    release = run_steps(frame, [Step(noise, "x"), Step(swap, "y"), Step(swap, "y")], Key.of(1))
    state, verdict = release._state, Verdict(MEANS, False, 0.5, 0.25)
    text = "BROKEN: means of x are exactly the original's (deviation 0.5, allowed 0.25)"
    assert complaints(state, [(Promise(MEANS, step=2), verdict)]) == [text]
    (later,) = complaints(state, [(Promise(MEANS, step=0), verdict)])
    assert later == (
        f"{text}; uncorrelated-noise promised it and rank-swap came later: run uncorrelated-noise last, or leave that "
        "step out"
    )
    assert release.columns == ("x", "y")
    assert len(release) == 20
    assert set(release.perturbed) == {"x", "y"}
    assert release.groups is None
    assert release.notes[: len(release._notes)] == release._notes


def test_groups_are_those_of_the_last_step_that_formed_some() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["x", "y"])
    steps = [Step(mv.mask.Microaggregation(partition={"mdav": {"k": k}}), name) for k, name in ((3, "x"), (10, "y"))]
    release = run_steps(frame, steps, Key.of(1))
    assert sorted(release.groupings) == [0, 1]
    assert release.groups is not None
    assert len(np.unique(release.groups)) == 3
    assert len(np.unique(release.groupings[0])) == 10
    weak = [note for note in release.notes if "the seed is not a strong key" in note]
    assert len(weak) == 1
    assert not [note for note in run_steps(frame, steps, Key.fresh()).notes if "strong key" in note]
