"""What is seen of one column."""

from __future__ import annotations

import pyarrow as pa
import pytest

import microveil as mv
from microveil.detect import look_at


@pytest.mark.parametrize(
    ("values", "different"),
    [
        ([3, 3, 5, 5, 5, 9], [3, 5, 9]),  # in order: equal ones stand side by side
        ([1, 2, 4], [1, 2, 4]),
        ([7], [7]),
        ([5, 3, 5, 9, 3], [5, 3, 9]),  # in no order
        ([1, 1, None, 1, 2], [1, 2]),
        ([2, 2, -9, 3], [2, 3]),
    ],
)
def test_different_values_come_in_the_order_of_the_file(values: list[int | None], different: list[int]) -> None:
    data = mv.Microdata(pa.table({"x": pa.array(values, pa.int64())}))
    look = look_at(data.narwhal.get_column("x"), missing_codes=(-9,))
    assert look.values.to_pylist() == different
    assert look.observed == sum(value is not None and value != -9 for value in values)


@pytest.mark.parametrize("values", [[0.0, -0.0, 1.5], [-0.0, 1.5, 0.0]])
def test_the_sign_of_zero_makes_no_value(values: list[float]) -> None:
    data = mv.Microdata(pa.table({"x": values}))
    assert look_at(data.narwhal.get_column("x")).distinct == 2
    assert len(set(data.codes("x").tolist())) == 2


@pytest.mark.parametrize(
    ("values", "of_most"),
    [
        ([99, 99, 99, 1, 2], 99),
        ([99, 99, 99, 1, 2, -9, -9, -9], 99),  # more than half of those that are not missing
        ([99, 99, 1, 1, -9, -9, -9, None, None], None),
        ([99.0, 99.0, 99.0, 1.0, None, float("nan"), 2.0, None, None], 99),
        ([1, 1, 2, 2, 3], None),
    ],
)
def test_the_value_of_most_is_that_of_more_than_half(values: list[float | None], of_most: float | None) -> None:
    data = mv.Microdata(pa.table({"x": 3 * values}), missing={"x": [-9]})
    assert look_at(data.narwhal.get_column("x"), missing_codes=(-9,)).of_most == of_most
