"""Running steps: who is told what, and where the streams of a step begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import microveil as mv
from microveil.core.streams import Key
from microveil.run.contract import Step
from microveil.run.steps import run_steps

FRAME = pd.DataFrame({"x": np.arange(20.0) + 0.25, "y": np.arange(20.0) ** 2 + 0.25})
STEPS = [Step(mv.mask.UncorrelatedNoise(), "x"), Step(mv.mask.RankSwap(p=50), "y")]


def released(**told: Any) -> list[list[float]]:
    frame = run_steps(FRAME, STEPS, Key.of(1), **told).frame
    return [frame[name].tolist() for name in FRAME]


def test_every_step_is_announced_by_its_number() -> None:
    told: list[tuple[str, int, int]] = []
    released(progress=lambda *words: told.append(words))
    assert told == [("uncorrelated-noise", 1, 2), ("rank-swap", 2, 2)]


def test_streams_begin_at_the_number_of_the_step_unless_told() -> None:
    plain = released()
    assert released(paths=[("step", 1), ("step", 2)]) == plain
    other = released(paths=[("step", 1), ("step", 3)])
    assert (other[0] == plain[0], other[1] == plain[1]) == (True, False)
    assert [step.path for step in run_steps(FRAME, STEPS, Key.of(1)).steps] == [("step", 1), ("step", 2)]
