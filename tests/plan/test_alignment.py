"""Whether rows of two files belong together, when nobody says so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.plan.alignment import find_writing, link_of_written, rows_seem_to_correspond
from tests.marks import ANY_FILE

RNG = np.random.default_rng(0)
FILE = pd.DataFrame({"x": RNG.normal(size=200), "y": RNG.normal(size=200)})


def test_noise_leaves_rows_together_and_shuffling_does_not():
    before = mv.Microdata(FILE)
    assert rows_seem_to_correspond(before, mv.Microdata(FILE + 0.5 * RNG.normal(size=(200, 2))))
    assert not rows_seem_to_correspond(before, mv.Microdata(FILE.sample(frac=1, random_state=1)))
    assert not rows_seem_to_correspond(before, mv.Microdata(FILE[:199]))


def test_one_column_kept_in_place_is_enough():
    shuffled = FILE.sample(frac=1, random_state=1).reset_index(drop=True)
    assert rows_seem_to_correspond(mv.Microdata(FILE), mv.Microdata(shuffled.assign(y=FILE["y"])))


@ANY_FILE
@pytest.mark.parametrize("shuffle", [True, False])
def test_the_link_is_that_of_the_file_as_written(tmp_path, shuffle: bool):
    release = mv.mask.UncorrelatedNoise(p=0.001).apply(FILE, seed="weak")
    mv.write(release, tmp_path / "out.csv", shuffle=shuffle, reproducible=True)
    back = pd.read_csv(tmp_path / "out.csv")
    assert np.abs(back["x"].to_numpy() - FILE["x"].to_numpy()[link_of_written(release)]).max() < 0.1
    with pytest.raises(BadInput, match="its hash is not in the log"):
        find_writing(release, "0" * 64)
