"""One form for the values of a column, whatever holds them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from microveil.core.errors import BadInput
from microveil.data.canonical import canonical, plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([1, None]), pa.array([1.0, None])),
        (pa.array([1, None]), pa.array([1.0, float("nan")], from_pandas=False)),
        (pa.array([0.0]), pa.array([-0.0])),
        (pa.array([Decimal("1.50")]), pa.array([1.5])),
        (pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]])),
        (pa.array(["a", None]), pa.array(["a", None]).dictionary_encode()),
        (pa.array(["a"]), pa.array(["a"], pa.large_string())),
        (pa.array([None, None], pa.int64()), pa.array([None, None], pa.string())),
        (pa.array([dt.date(1970, 1, 2)]), pa.array([86_400_000], pa.date64())),
        (pa.array([1], pa.timestamp("s")), pa.array([1_000_000], pa.timestamp("us"))),
    ],
)
def test_the_same_values(one: pa.Array, other: pa.Array) -> None:
    assert canonical(one).equals(canonical(other))
    assert canonical(other).equals(canonical(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([1]), pa.array(["1"])),
        (pa.array([True]), pa.array([1])),
        (pa.array(["", "a"]), pa.array([None, "a"])),
        (pa.array([2**53 + 1]), pa.array([2**53 + 2])),
        (pa.array([1, 2]), pa.array([2, 1])),
        (pa.array([1], pa.timestamp("ns")), pa.array([0], pa.timestamp("ns"))),
        (pa.array([1], pa.date32()), pa.array([1], pa.timestamp("s"))),
    ],
)
def test_other_values(one: pa.Array, other: pa.Array) -> None:
    assert not canonical(one).equals(canonical(other))


def test_days_count_from_1970() -> None:
    found = canonical(pa.array([dt.date(2000, 3, 1), None, dt.date(1969, 12, 31)]))
    assert (found.kind, found.valid.tolist(), np.asarray(found.values).tolist()) == (
        "date",
        [True, False, True],
        [11_017, 0, -1],
    )


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(BadInput, match="column 'x' holds list<item: int64>; text, numbers"):
        canonical(pa.array([[1]]), "x")
    assert plain(pa.array([None])).type == pa.large_string()
