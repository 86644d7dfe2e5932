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
