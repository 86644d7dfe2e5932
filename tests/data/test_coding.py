"""Columns of categories that were coded apart, in one coding."""

from __future__ import annotations

import numpy as np

from microveil.data.coding import as_amounts, in_common, join_values
from microveil.data.table import Values

FIRST = Values("nominal", np.array([0, 1, -1]), ("a", "b"))
SECOND = Values("nominal", np.array([1, 0, 0, -1]), ("b", "c"))


def read(values: Values) -> list[object]:
    assert values.levels is not None
    return [None if code < 0 else values.levels[code] for code in values.data]


def test_cells_mean_the_same_in_the_common_coding() -> None:
    one, two = in_common([FIRST, SECOND])
    assert one.levels == two.levels == ("a", "b", "c")
    assert read(one) == ["a", "b", None]
    assert read(two) == ["c", "b", "b", None]


def test_one_below_the_other() -> None:
    assert read(join_values([FIRST, SECOND])) == ["a", "b", None, "c", "b", "b", None]
    assert join_values([SECOND]) is SECOND
    numbers = join_values([Values("continuous", np.array([1.5])), Values("continuous", np.array([2.5]))])
    assert numbers.data.tolist() == [1.5, 2.5]


def test_classes_that_are_numbers_as_amounts() -> None:
    found = as_amounts(Values("ordinal", np.array([2, 0, 1, -1]), ("10", "20-29", 30)))
    assert found.kind == "continuous"
    np.testing.assert_array_equal(found.data, [30.0, 10.0, np.nan, np.nan])
