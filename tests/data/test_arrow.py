"""Columns of frames as Arrow values, and Arrow tables with columns replaced."""

from __future__ import annotations

import json

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microveil.core.errors import BadInput
from microveil.data.arrow import arrow_column, with_arrays


def column(values: object) -> pa.Array:
    return arrow_column(nw.from_native(values, series_only=True))  # type: ignore[call-overload]


def test_periods_and_intervals_of_pandas_are_their_text() -> None:
    months = pd.Series(pd.period_range("2020-01", periods=2, freq="M"), name="m")
    assert column(months).to_pylist() == ["2020-01", "2020-02"]
    cut = pd.cut(pd.Series([1.0, 5.0], name="c"), [0, 2, 6])
    assert [str(value) for value in column(cut).to_pylist()] == ["(0, 2]", "(2, 6]"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series([1, "a"], name="x"), "column 'x' mixes types such as text and numbers; make it one type"),
        (pd.Series([1 + 2j], name="x"), "column 'x' holds complex numbers; split it into two columns"),
        (pl.Series("x", [object()], dtype=pl.Object), "column 'x' mixes types"),
        (pl.Series("x", [[1, 2]]), "column 'x' holds large_list<.*>; text, numbers, true/false"),
    ],
)
def test_what_cannot_be_used_is_told_by_name(values: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        column(values)


def test_replaced_columns_and_what_pandas_said_about_them() -> None:
    told = {"columns": [{"field_name": "a", "pandas_type": "int64"}, {"field_name": "b", "pandas_type": "int64"}]}
    table = pa.table({"a": [1], "b": [2]}).replace_schema_metadata({b"pandas": json.dumps(told).encode(), b"own": b"x"})
    found = with_arrays(table, {"a": pa.array([0.5])})
    assert found.to_pylist() == [{"a": 0.5, "b": 2}]
    assert [one["field_name"] for one in json.loads(found.schema.metadata[b"pandas"])["columns"]] == ["b"]
    assert found.schema.metadata[b"own"] == b"x"
    with pytest.raises(BadInput, match="there is no column 'c' to replace"):
        with_arrays(table, {"c": pa.array([1])})
