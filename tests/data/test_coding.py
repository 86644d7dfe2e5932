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


def test_a_text_that_is_a_number_as_it_is_written_is_that_number() -> None:
    numbers = Values("ordinal", np.array([0, 1, 2]), (1, 2.5, 10))
    texts = Values("ordinal", np.array([3, 2, 1, 0, 4]), ("1", "01", "2.5", "10", "1..10"))
    one, two = in_common([numbers, texts])
    assert one.levels == two.levels == (1, 2.5, 10, "01", "1..10")
    assert read(two) == [10, 2.5, "01", 1, "1..10"]
    assert read(in_common([texts, numbers])[1]) == [1, 2.5, 10]
    # who holds both a number and its text tells them apart
    both = Values("nominal", np.array([0, 1]), (1, "1"))
    assert read(in_common([both, texts])[0]) == [1, "1"]
    truth = Values("nominal", np.array([0]), (True,))
    assert read(in_common([truth, Values("nominal", np.array([0]), ("1",))])[1]) == ["1"]
