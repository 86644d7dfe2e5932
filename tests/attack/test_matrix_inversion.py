"""Public matrices undo the mask that they made."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import MatrixInversion
from microveil.mask import MatrixMask

MIXING = ((1.0, 0.9, 0.3), (0.2, 1.0, -0.7), (-0.5, 0.4, 1.0))


def normal_amounts() -> mv.Microdata:
    draw = np.random.default_rng(1)
    return mv.Microdata(pd.DataFrame(draw.normal(size=(200, 3)), columns=list("abc")))


def test_what_a_matrix_mixed_is_taken_apart():
    data = normal_amounts()
    release = MatrixMask(B=MIXING, C=((5.0, -3.0, 1.0),)).apply(data, columns=["a", "b", "c"], seed=1)
    found = MatrixInversion()(data, release)
    assert found.value == 100
    assert mv.risk.DistanceLinkage()(data, release).value < 50
    worst = mv.evaluate(data, release, measures=["distance-linkage", "matrix-inversion"]).worst
    assert worst.value == 100
    assert "Matrices undone" in worst.reading


def test_one_column_known_of_those_mixed():
    data = normal_amounts()
    release = MatrixMask(B=MIXING).apply(data, columns=["a", "b", "c"], seed=1)
    assert MatrixInversion(known=["b"])(data, release).value == 100


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        (MatrixMask(A=tuple(map(tuple, np.eye(200) + np.roll(np.eye(200), 1, axis=0)))), "nobody knows their order"),
        (MatrixMask(B=((1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 2.0))), "no inverse"),
    ],
    ids=["records", "singular"],
)
def test_where_it_cannot_be_undone(mask, reason):
    data = normal_amounts()
    assert reason in MatrixInversion()(data, mask.apply(data, columns=["a", "b", "c"], seed=1)).reason


def test_a_later_step_ends_it():
    data = normal_amounts()
    columns = ["a", "b", "c"]
    noise = {"method": mv.mask.UncorrelatedNoise(p=0.1), "columns": ["a"]}
    release = mv.Plan([{"method": MatrixMask(B=MIXING), "columns": columns}, noise]).run(data, seed=1)
    assert "another step changed" in MatrixInversion()(data, release).reason
