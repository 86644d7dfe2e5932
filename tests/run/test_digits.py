"""Digits of released amounts: those of the source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.run.digits import are_copies, round_as_written, unit_of

FILE = pd.DataFrame({"cents": [1.25, 3.5, 10.75, 2.0], "whole": [10, 200, 30, 45]})


def test_new_values_get_the_digits_of_the_source():
    data = mv.Microdata(FILE)
    assert (unit_of(data, "cents"), unit_of(data, "whole")) == (-2, 0)
    assert round_as_written(data, "cents", np.array([3.14159])).tolist() == [3.14]
    assert round_as_written(data, "whole", np.array([3.14159])).tolist() == [3]


def test_kept_exact_nothing_is_rounded():
    data = mv.Microdata(FILE, integers="keep exact")
    assert unit_of(data, "whole") is None
    assert round_as_written(data, "whole", np.array([3.14159])).tolist() == [3.14159]


@pytest.mark.parametrize(
    ("values", "origin", "copies"),
    [
        # two of four changed cells are finer, and both are values of the source
        ([1234.5, 17.25, 2000.0, 3000.0], [-1, -1, -1, -1], True),
        ([1234.5, 17.25, 2000.0, None], [-1, -1, -1, -1], False),  # two of three
        ([1234.5, 17.26, 2000.0, 3000.0], [-1, -1, -1, -1], False),  # one is no value of the source
        ([1234.5, 17.25, 9000.0, 9000.0], [0, 1, 2, 3], True),  # the finer cells were left as they were
        ([17.25, 1234.5, 3000.0, 2000.0], [0, 1, 2, 3], True),  # exchanged
        ([17.25, 1234.5, 2000.0, 3000.0], [0, 1, 2, 3], False),  # all that changed is finer
        ([1234.5, 9000.0], [0, -1], True),
        ([17.25, 9000.0, 9000.0], [0, 1, -1], True),
        ([1234.5], [-1], False),
        ([1234.5], [0], True),
    ],
)
def test_copies_are_as_fine_as_rarely_as_the_source(
    values: list[float | None], origin: list[int], copies: bool
) -> None:
    source = np.array([1234.5, 17.25, 2000.0, 3000.0])
    cells = np.array(values, dtype=float)
    finer = np.isin(cells, [1234.5, 17.25, 17.26])
    assert are_copies(cells, finer, source, np.array(origin)) is copies
