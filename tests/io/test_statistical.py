"""Columns of statistical packages: what their formats mean, where the calendar ends, which codes are missing."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyreadstat
import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.io.formats import FORMATS
from microveil.io.statistical import (
    _column,
    _described,
    _meaning,
    _missing_codes,
    _refuse_impossible_size,
    read_statistical,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("package", "shown", "meaning"),
    [
        ("spss", "DATE11", "date"),
        ("spss", "SDATE10", "date"),
        ("spss", "DATETIME20", "moment"),
        ("spss", "YMDHMS19.3", "moment"),
        ("spss", "TIME8", "time"),
        ("spss", "DTIME12.2", "time"),
        ("spss", "F8.2", None),
        ("stata", "%td", "date"),
        ("stata", "%d", "date"),
        ("stata", "%-tdCCYY", "date"),
        ("stata", "%tc", "moment"),
        ("stata", "%tcHH:MM", "time"),
        ("stata", "%tcHH:MM:SS", "time"),
        ("stata", "%tC", None),
        ("stata", "%9.0g", None),
        ("sas", "YYMMDD10", "date"),
        ("xport", "DATE9.", "date"),
        ("xport", "DATETIME20.", "moment"),
        ("sas", "TIME8", "time"),
        ("sas", "BEST12", None),
    ],
)
def test_what_a_format_means(package: str, shown: str, meaning: str | None) -> None:
    assert _meaning(shown, FORMATS[package]) == meaning


def in_format(package: str, shown: str, *numbers: float, stored: str = "double") -> Any:
    return _column(list(numbers), stored, shown, FORMATS[package])


# days from 1 January 1970 to the ends of the calendar, and the first one beyond
FIRST, LAST = -719_162, 2_932_896
ENDS = [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]


@pytest.mark.parametrize(
    ("package", "shown", "epoch", "unit"),
    [("spss", "DATE11", 141_428, 86_400), ("stata", "%td", 3_653, 1), ("sas", "DATE9", 3_653, 1)],
)
def test_dates_reach_from_year_1_to_9999(package: str, shown: str, epoch: int, unit: int) -> None:
    first, last = (FIRST + epoch) * unit, (LAST + epoch) * unit
    found = in_format(package, shown, first, last, NAN)
    assert found.type == pa.date32()
    assert found.to_pylist() == ENDS
    for beyond in (first - unit, last + unit):
        assert in_format(package, shown, beyond, NAN, last).to_pylist() == [beyond, None, last]
    assert in_format(package, shown, NAN).type == pa.date32()


@pytest.mark.parametrize(
    ("package", "shown", "epoch", "second"),
    [("spss", "DATETIME20", 141_428, 1), ("stata", "%tc", 3_653, 1000), ("sas", "DATETIME20", 3_653, 1)],
)
def test_moments_reach_from_year_1_to_9999(package: str, shown: str, epoch: int, second: int) -> None:
    first, beyond = (FIRST + epoch) * 86_400 * second, (LAST + 1 + epoch) * 86_400 * second
    found = in_format(package, shown, first, beyond - second, NAN)
    assert found.type == pa.timestamp("us")
    assert [str(cell) for cell in found.to_pylist()] == ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "None"]
    for outside in (first - second, beyond):
        assert in_format(package, shown, outside, NAN).to_pylist() == [outside, None]


@pytest.mark.parametrize(("package", "shown", "second"), [("spss", "TIME8", 1), ("stata", "%tcHH:MM:SS", 1000)])
def test_times_of_one_day(package: str, shown: str, second: int) -> None:
    found = in_format(package, shown, 0, 86_399 * second, 0.5 * second, NAN)
    assert found.type == pa.time64("us")
    assert found.to_pylist() == [dt.time(0), dt.time(23, 59, 59), dt.time(0, 0, 0, 500_000), None]
    for outside in (-second, 86_400 * second):  # a duration
        assert in_format(package, shown, outside, NAN).to_pylist() == [outside, None]


def test_fractions_of_seconds() -> None:
    """SPSS counts seconds from 1582 and holds a hundred-thousandth of them; the others hold more."""
    day = 141_428 * 86_400
    assert str(in_format("spss", "DATETIME23.2", day + 0.123_456)[0]) == "1970-01-01 00:00:00.123460"
    assert str(in_format("sas", "DATETIME23.6", 3_653 * 86_400 + 0.123_456)[0]) == "1970-01-01 00:00:00.123456"
    assert str(in_format("stata", "%tc", 3_653 * 86_400_000 + 123.456)[0]) == "1970-01-01 00:00:00.123456"
    assert in_format("spss", "DATE11", day + 86_399)[0].as_py() == dt.date(1970, 1, 1)


@pytest.mark.parametrize(
    ("package", "stored", "shown", "numbers", "kind"),
    [
        ("spss", "double", "F8", [1, 2, NAN], pa.int64()),
        ("spss", "double", "F8", [2.0**53, -(2.0**53)], pa.int64()),
        ("spss", "double", "F8", [2.0**53 + 2], pa.float64()),
        ("spss", "double", "F8", [1.5, 2], pa.float64()),
        ("spss", "double", "F8", [NAN, NAN], pa.float64()),
        ("sas", "double", "BEST", [1, 2], pa.int64()),
        ("stata", "int8", "%8.0g", [1, 2], pa.int64()),
        ("stata", "double", "%10.0g", [1, 2], pa.float64()),
        ("stata", "double", "%20.0f", [1, 2], pa.int64()),
        ("stata", "double", "%-20.0fc", [1, 2], pa.int64()),
        ("stata", "float", "%9.0g", [1, NAN], pa.float32()),
        ("stata", "float", "%9.0f", [1, NAN], pa.int64()),
        ("stata", "double", "%9.2f", [1, 2], pa.float64()),
    ],
)
def test_numbers_that_are_whole(package: str, stored: str, shown: str, numbers: list[float], kind: Any) -> None:
    found = in_format(package, shown, *numbers, stored=stored)
    assert found.type == kind
    assert found.to_pylist() == [None if np.isnan(number) else number for number in numbers]


def test_empty_text_is_missing() -> None:
    assert _column(["a", "", None], "string", "A8", FORMATS["spss"]).to_pylist() == ["a", None, None]


def test_values_declared_missing_are_those_that_occur() -> None:
    numbers = pa.chunked_array([[1, 5, None, 7, 9, -3, 11]])
    assert _missing_codes(numbers, [{"lo": 5, "hi": 9}, {"lo": -3.0, "hi": -3.0}]) == [-3, 5, 7, 9]
    assert _missing_codes(numbers, [{"lo": "5", "hi": "9"}, 100]) == []
    assert _missing_codes(numbers, [11, {"lo": 10, "hi": 12}]) == [11]
    assert _missing_codes(pa.chunked_array([["x", "n", None]]), [{"lo": "n", "hi": "n"}, 5]) == ["n"]


@pytest.mark.parametrize(
    ("problem", "error", "message"),
    [
        (
            UnicodeDecodeError("utf-8", b"x", 0, 1, "no"),
            BadInput,
            "the text in this SPSS file does not fit; try encoding=",
        ),
        (ValueError("Unable to convert string to the requested encoding"), BadInput, "does not fit; try encoding="),
        (ValueError("The provided String was invalid"), BadInput, "does not fit; try encoding="),
        (ValueError("Invalid file, or file has unsupported features"), FileProblem, "is damaged or cut short"),
    ],
)
def test_text_in_another_encoding_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception, error: type[Exception], message: str
) -> None:
    def fail(*given: Any, **options: Any) -> Any:
        raise problem

    monkeypatch.setattr(pyreadstat, "read_sav", fail)
    with pytest.raises(error, match=message):
        read_statistical(tmp_path / "in.sav", FORMATS["spss"])


def meta(**told: Any) -> Any:
    nothing = {"missing_ranges": {}, "variable_value_labels": {}, "variable_measure": {}, "column_names_to_labels": {}}
    return SimpleNamespace(**{**nothing, **told})


def test_labels_tell_the_kind_where_every_value_has_one() -> None:
    table = pa.table({"a": [1, 2, 9], "b": [1, 2, 3], "c": [1, 2, None], "t": ["x", "y", "x"], "u": ["x", "y", "z"]})
    codes, words = {1.0: "one", 2.0: "two"}, {"x": "ex", "y": "why"}
    found = _described(
        table,
        meta(
            missing_ranges={"a": [{"lo": 9, "hi": 9}], "b": [{"lo": 7, "hi": 8}]},
            variable_value_labels={"a": codes, "b": codes, "c": codes, "t": words, "u": {1.0: "no text"}},
            variable_measure={"a": "ordinal", "c": "nominal", "t": "ordinal"},
            column_names_to_labels={"a": "A title", "b": "", "c": None},
        ),
    )
    assert found.kinds == {"a": "ordinal", "c": "nominal", "t": "nominal"}
    assert found.labels == {"a": {1: "one", 2: "two"}, "b": {1: "one", 2: "two"}, "c": {1: "one", 2: "two"}, "t": words}
    assert [type(code) for code in found.labels["a"]] == [int, int]
    assert found.missing == {"a": [9]}
    assert found.titles == {"a": "A title"}


def test_codes_with_decimals_stay_as_they_are() -> None:
    found = _described(pa.table({"a": [1.5, 2.0]}), meta(variable_value_labels={"a": {1.5: "half", 2.0: "two"}}))
    assert [repr(code) for code in found.labels["a"]] == ["1.5", "2"]


@pytest.mark.parametrize(
    ("package", "size", "rows", "columns", "error"),
    [
        ("stata", 100, 10, 10, None),
        ("stata", 100, 101, 1, FileProblem),
        ("xport", 80, 80, 1, None),
        ("xport", 80, 81, 1, FileProblem),
        ("xport", 80, None, 5, None),
        ("spss", 100, 110_000, 1, None),
        ("spss", 100, 110_001, 1, FileProblem),
        ("sas", 100, 110_001, 1, FileProblem),
        ("spss", 1_000_000, 2**27, 1, None),
        ("spss", 1_000_000, 2**27 + 1, 1, BadInput),
        ("sas", 100, 5, None, None),
    ],
)
def test_more_cells_than_a_file_can_hold(
    tmp_path: Path, package: str, size: int, rows: int | None, columns: int | None, error: type[Exception] | None
) -> None:
    path = tmp_path / "in.bin"
    path.touch()
    os.truncate(path, size)
    told = SimpleNamespace(number_rows=rows, number_columns=columns)
    if error is None:
        _refuse_impossible_size(path, FORMATS[package], told)
    else:
        with pytest.raises(error, match="damaged" if error is FileProblem else "unpacks to more than 1073741824"):
            _refuse_impossible_size(path, FORMATS[package], told)
