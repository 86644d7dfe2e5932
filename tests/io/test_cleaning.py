"""From microdata to what may be written: types, gaps, categories, labels."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.codebook import Codebook
from microveil.io.cleaning import Clean, _fits_digits, clean, scrubbed, settled
from microveil.run.written import written_order
from tests.streams import streams_of

STREAMS = streams_of(1)


def cleaned(
    frame: Any, shuffle: bool = False, keep_identifiers: bool = False, titles: bool = False, **facts: Any
) -> Clean:
    return clean(mv.Microdata(frame, **facts), STREAMS, shuffle, keep_identifiers, titles)


def test_the_order_is_drawn_only_when_asked() -> None:
    table = pa.table({"a": list(range(20))})
    assert cleaned(table).table["a"].to_pylist() == list(range(20))
    assert cleaned(table, shuffle=True).table["a"].to_pylist() == written_order(STREAMS, 20).tolist()


@pytest.mark.parametrize("keep", [True, False])
def test_identifiers_and_household_numbers(keep: bool) -> None:
    table = pa.table({"id": ["x", "y", "z"], "house": ["h", "g", "h"], "n": [1, 2, 3]})
    found = cleaned(table, keep_identifiers=keep, roles={"id": "identifier", "house": "household"})
    assert found.table["n"].to_pylist() == [1, 2, 3]
    if keep:
        assert found.table["id"].to_pylist() == ["x", "y", "z"]
        assert found.table["house"].to_pylist() == ["h", "g", "h"]
        assert found.notes == ()
        return
    assert found.table.column_names == ["house", "n"]
    one, other, again = found.table["house"].to_pylist()
    assert one == again
    assert {one, other} == {1, 2}
    assert found.notes == (
        "identifiers were left out: id",
        "the numbers in 'house' were drawn anew: they say who belongs together and no more",
    )


def test_nothing_is_noted_where_nothing_is_left_out() -> None:
    assert cleaned(pa.table({"a": [1, 2], "t": ["x", None]})).notes == ()


def test_names_must_differ_as_text() -> None:
    with pytest.raises(BadInput, match="two column names are the same as text; rename one of them"):
        cleaned(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    assert cleaned(pd.DataFrame([[1, 2]], columns=[1, "2"])).table.column_names == ["1", "2"]


@pytest.mark.parametrize(
    ("array", "kind", "cells"),
    [
        (pa.array([1.5, float("nan"), None, -0.0]), pa.float64(), ["1.5", "None", "None", "0.0"]),
        (pa.array([0.5, None], pa.float32()), pa.float32(), ["0.5", "None"]),
        (pa.array([np.float16(0.5), None], pa.float16()), pa.float64(), ["0.5", "None"]),
        (pa.array([Decimal("1.25"), None], pa.decimal128(38, 2)), pa.float64(), ["1.25", "None"]),
        (pa.array([0, 1], pa.timestamp("s")), pa.timestamp("us"), ["1970-01-01 00:00:00", "1970-01-01 00:00:01"]),
        (pa.array([1000], pa.timestamp("ns", "UTC")), pa.timestamp("us", "UTC"), ["1970-01-01 00:00:00.000001+00:00"]),
        (pa.array([61], pa.time32("s")), pa.time64("us"), ["00:01:01"]),
        (pa.array([86_400_000], pa.date64()), pa.date32(), ["1970-01-02"]),
        (pa.array(["a"], pa.large_string()), pa.large_string(), ["a"]),
        (pa.array([True]), pa.bool_(), ["True"]),
        (pa.array([1], pa.uint16()), pa.uint16(), ["1"]),
    ],
)
def test_types_that_files_hold(array: Any, kind: Any, cells: list[str]) -> None:
    found = settled(array, "c")
    assert found.type == kind
    assert [str(cell) for cell in found.to_pylist()] == cells


def test_nanoseconds_are_not_lost() -> None:
    for array in (pa.array([1001], pa.timestamp("ns")), pa.array([1001], pa.time64("ns"))):
        assert settled(array, "c") is array


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([1.0, float("-inf")]), "column 'c' has infinite values; replace or remove them first"),
        (pa.array([Decimal(1234567890123456)], pa.decimal128(16, 0)), "more digits than a file keeps"),
        (pa.array([b"x"]), "column 'c' holds binary; text, numbers"),
    ],
)
def test_types_that_files_do_not_hold(array: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        settled(array, "c")


def test_decimals_fit_by_their_digits() -> None:
    digits = pa.array([Decimal(123456789012345)], pa.decimal128(38, 0))
    assert _fits_digits(digits)
    assert _fits_digits(digits.cast(pa.decimal128(15, 0)))
    assert not _fits_digits(pa.array([Decimal(1234567890123456)], pa.decimal128(38, 0)))
    assert not _fits_digits(pa.array([Decimal("0.1234567890123456")], pa.decimal128(38, 16)))


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.date32(), pa.timestamp("us")],
)
def test_nothing_stays_under_a_gap(kind: Any) -> None:
    width = kind.bit_width // 8
    secret = pa.Array.from_buffers(kind, 3, [pa.py_buffer(b"\5"), pa.py_buffer(b"\7" * 3 * width)])
    assert secret.is_valid().to_pylist() == [True, False, True]
    found = scrubbed(secret)
    assert found.equals(secret)
    assert found.type == kind
    assert bytes(found.buffers()[1])[: 3 * width] == b"\7" * width + b"\0" * width + b"\7" * width


def test_nothing_stays_under_a_gap_in_truths_and_text() -> None:
    truths = pa.Array.from_buffers(pa.bool_(), 3, [pa.py_buffer(b"\5"), pa.py_buffer(b"\7")])
    found = scrubbed(truths)
    assert found.to_pylist() == [True, None, True]
    assert bytes(found.buffers()[1])[0] & 7 == 0b101
    offsets = np.array([0, 1, 3, 4], dtype=np.int64).tobytes()
    text = pa.LargeStringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(b"axxb"), pa.py_buffer(b"\5"))
    found = scrubbed(text)
    assert found.type == pa.string()
    assert found.to_pylist() == ["a", None, "b"]
    assert bytes(found.buffers()[2])[:2] == b"ab"


def test_codes_for_missing_values_become_gaps() -> None:
    table = pa.table({"n": [1, 99, 3], "t": ["a", "?", None], "x": [0.5, 1.5, 2.5]})
    found = cleaned(table, missing={"n": [99], "t": ["?"], "x": [-9.0]})
    assert found.table.to_pydict() == {"n": [1, None, 3], "t": ["a", None, None], "x": [0.5, 1.5, 2.5]}
    assert found.notes == (
        "cells of 'n' with a code for a missing value were written as empty",
        "cells of 't' with a code for a missing value were written as empty",
    )


def test_categories_are_those_that_occur_in_their_order() -> None:
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["low", "high", None], categories=["low", "mid", "high"], ordered=True),
            "place": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]),
            "text": ["x", "y", "z"],
        }
    )
    found = cleaned(frame)
    assert found.levels == {"size": ["low", "high"], "place": ["a", "b"]}
    assert found.ordered == {"size"}
    assert found.kinds == {"size": "ordinal", "place": "nominal", "text": "nominal"}
    stated = cleaned(frame, kinds={"place": "ordinal"}, levels={"place": ["z", "b", "a"]})
    assert stated.levels["place"] == ["b", "a"]


def test_labels_of_codes_that_occur_and_titles_when_asked() -> None:
    table = pa.table({"a": [1, 2, None], "b": [1, 1, 1], "id": [1, 2, 3]})
    book = Codebook(
        {"a": {1: "one", 2: "two", 3: "three"}, "b": {2: "two"}, "id": {1: "me"}}, {"a": "A", "id": "I", "c": "C"}
    )
    facts = {"codebook": book, "roles": {"id": "identifier"}}
    assert cleaned(table, **facts).labels == {"a": {1: "one", 2: "two"}}
    assert cleaned(table, **facts).titles == {}
    assert cleaned(table, titles=True, **facts).titles == {"a": "A"}
    assert cleaned(table, titles=True).titles == {}
    assert cleaned(table).labels == {}


def test_dates_are_kept() -> None:
    table = pa.table({"d": [dt.date(2020, 1, 2), None]})
    assert cleaned(table).table.to_pydict() == table.to_pydict()
