"""Digits of released amounts: those of the source."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.run.digits import round_as_written, unit_of

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
