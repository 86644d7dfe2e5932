"""What leaving records out does to the total of weights is told."""

from __future__ import annotations

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import NothingHidden

FILE = pd.DataFrame({"x": [1.0, 2.0, None, 4.0], "w": [10.0, 20.0, 30.0, 40.0]})


@pytest.mark.filterwarnings("ignore", category=NothingHidden)
def test_the_factor_brings_the_total_back():
    data = mv.Microdata(FILE, roles={"w": "weight"})
    release = mv.mask.RankSwap(p=100).apply(data, columns=["x"], missing="drop", seed=1)
    (note,) = [note for note in release.notes if "weights" in note]
    assert note == (
        "without the records that are left out the weights in 'w' add up to 70, where the original's add up to 100: "
        "multiply them by 1.42857 for totals of the population"
    )


def test_nothing_is_said_where_all_are_there():
    data = mv.Microdata(FILE.fillna(3.0), roles={"w": "weight"})
    assert not any("weights" in note for note in mv.mask.RankSwap(p=100).apply(data, columns=["x"], seed=1).notes)
