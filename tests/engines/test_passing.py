"""Steps learnt by passes and taken by blocks give the values of the run in memory, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import microveil as mv
from microveil.core.streams import Key, Streams
from microveil.data import Microdata
from microveil.engines import Scan
from microveil.engines.passing import InBlocks
from microveil.engines.workers import Threads
from tests.engines.files import FACTS, ROWS, people

PLAN = mv.Plan(
    [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["income", "debt"], "missing": "mask"},
        {"method": mv.mask.CorrelatedNoise(), "columns": ["tax", "debt"], "missing": "drop", "by": "region"},
        (mv.mask.Pram(), ["region", "sex"]),
        {"method": mv.mask.GlobalRecode(), "columns": ["age"], "missing": "mask"},
    ]
)


@pytest.mark.parametrize(("rows", "threads"), [(7, 1), (100, 4), (1 << 17, 2)])
def test_blocks_take_the_steps_as_the_whole_does(parts: Scan, rows: int, threads: int) -> None:
    release = PLAN.run(Microdata(people(), **FACTS), seed=3)
    passing = InBlocks(parts, Streams(Key.of(3).for_data(parts.mark)), rows, Threads(threads))
    for number, step in enumerate(PLAN.steps, start=1):
        passing = passing.learn(step, ("step", number))
    blocks = list(passing.each(lambda passed: (passed.first, passed.state)))
    origin = np.concatenate([state.origin + first for first, state in blocks])
    np.testing.assert_array_equal(origin, release.origin)
    assert len(origin) < ROWS
    for name, values in release.changed.items():
        pieces = [state.changed[name] for _, state in blocks if len(state.origin)]
        assert np.concatenate([part.data for part in pieces]).tobytes() == values.data.tobytes(), name
        assert all(part.levels == values.levels for part in pieces), name
    assert [note for one in passing.learnt for note in one.notes] == list(release._state.notes)
