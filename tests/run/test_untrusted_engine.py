"""Engines of somebody's own are not trusted with the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.run.engine import LocalEngine

DATA = mv.Microdata(pd.DataFrame({"x": np.arange(60.0) ** 1.5}), roles={"x": "confidential"})


@dataclass(frozen=True)
class Sloppy(LocalEngine):
    slices: tuple[tuple[int, int], ...] = ((0, 60),)
    lost: int = 0
    twice: bool = False

    def split(self, rows):
        return iter([slice(*ends) for ends in self.slices])

    def map(self, parts, run, rows):
        ran = super().map(parts, run, rows)
        return [*ran, *ran] if self.twice else ran[self.lost :]


def noised_by(engine: Sloppy) -> mv.Release:
    return mv.Plan([mv.mask.UncorrelatedNoise()]).run(DATA, seed=1, engine=engine)


@pytest.mark.parametrize(
    "slices", [((0, 30),), ((0, 40), (20, 60)), ((0, 60), (0, 60)), ((0, 20), (40, 60)), ((5, 60),), ((0, 0),)]
)
def test_slices_that_lose_or_repeat_records_are_refused(slices):
    with pytest.raises(BadInput, match="split must give slices that hold every row once"):
        noised_by(Sloppy(slices=slices))


@pytest.mark.parametrize("engine", [Sloppy(lost=1), Sloppy(twice=True)])
def test_parts_that_are_lost_or_come_twice_are_refused(engine):
    with pytest.raises(BadInput, match="map must return what came of each part, in their order"):
        noised_by(engine)


def test_empty_slices_and_any_order_give_the_same_release():
    odd = noised_by(Sloppy(slices=((30, 60), (10, 10), (0, 30))))
    assert odd.frame.equals(noised_by(Sloppy()).frame)
