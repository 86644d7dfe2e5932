"""Sheets of others: types of cells, formulas, and what is no table."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io.xlsx_read import _check_sheet, _column


def sheet(folder: Path, *rows: list[Any]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "in.xlsx")
    return folder / "in.xlsx"


DAY = dt.datetime(2020, 1, 2)  # noqa: DTZ001 - sheets know no zone


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([1, None, 2**63 - 1], pa.int64(), [1, None, 2**63 - 1]),
        ([-(2**63) + 1], pa.int64(), [-(2**63) + 1]),
        ([1, 2**63], pa.float64(), [1.0, 2.0**63]),
        ([1, 0.5, None], pa.float64(), [1.0, 0.5, None]),
        ([0.5], pa.float64(), [0.5]),
        ([True, None], pa.bool_(), [True, None]),
        ([True, 1], pa.string(), ["True", "1"]),
        ([DAY, None], pa.date32(), [DAY.date(), None]),
        ([DAY, DAY.replace(hour=1)], pa.timestamp("us"), [DAY, DAY.replace(hour=1)]),
        ([dt.time(1, 2), None], pa.time64("us"), [dt.time(1, 2), None]),
        (["x", 1, None], pa.string(), ["x", "1", None]),
        ([None, None], pa.string(), [None, None]),
    ],
)
def test_columns_have_the_type_of_their_cells(cells: list[Any], kind: Any, values: list[Any]) -> None:
    found = _column(cells)
    assert found.type == kind
    assert found.to_pylist() == values


def test_formulas_give_what_they_showed_when_saved(tmp_path: Path) -> None:
    # saved by a program that computed nothing: they showed nothing
    assert mv.read(sheet(tmp_path, ["a", "b"], ["=1+1", 1], [5, 2])).frame.to_pydict() == {"a": [None, 5], "b": [1, 2]}


def test_rows_of_unequal_length_and_empty_rows_at_the_end(tmp_path: Path) -> None:
    path = sheet(tmp_path, ["a", "b", None], [1], [2, 3, None], [None, None], [])
    assert mv.read(path).frame.to_pydict() == {"a": [1, 2], "b": [None, 3]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty: the sheet has no cells"),
        ([[None, None]], "is empty: the sheet has no cells"),
        ([["a", "b"]], "has a header and no records"),
        ([["a"], [1, 2]], "the first row: column 2 has no name"),
        ([["a", "a"], [1, 2]], "the first row: the column name 'a' occurs more than once"),
    ],
)
def test_sheets_that_are_no_table(tmp_path: Path, rows: list[list[Any]], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        mv.read(sheet(tmp_path, *rows))


def test_a_book_of_charts_has_no_sheet_of_cells() -> None:
    with pytest.raises(BadInput, match=r"'in.xlsx' has no sheet of cells"):
        _check_sheet(Path("in.xlsx"), None, [])


def test_warnings_about_styles_are_kept_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = openpyxl.load_workbook

    def warning(*given: Any, **options: Any) -> Any:
        warnings.warn("Unknown extension is not supported and will be removed", stacklevel=1)
        return real(*given, **options)

    monkeypatch.setattr(openpyxl, "load_workbook", warning)
    assert mv.read(sheet(tmp_path, ["a"], [1])).n == 1


def test_a_sheet_that_announces_too_much_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet(tmp_path, ["a"], [1])
    monkeypatch.setenv("MICROVEIL_MOST_UNPACKED", "100")
    with pytest.raises(BadInput, match="unpacks to more than 100"):
        mv.read(path)


def test_a_damaged_book_is_told(tmp_path: Path) -> None:
    path = sheet(tmp_path, ["a"], [1])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileProblem, match="is damaged or cut short: it cannot be read as XLSX"):
        mv.read(path)


@pytest.mark.parametrize("odd", ["#DIV/0!", "#N/A", "NA", "0x1F"])
def test_an_odd_cell_among_numbers_is_refused_with_its_row(tmp_path: Path, odd: str) -> None:
    path = sheet(tmp_path, ["x", "y"], *([number * 1.5, "t"] for number in range(30)), [odd, "u"])
    with pytest.raises(BadInput) as told:
        mv.read(path)
    assert str(told.value).startswith(
        f"column 'x' holds numbers and ['{odd}'] (first in row 32): if these mean missing"
    )
    assert mv.read(path, missing=[odd]).frame["x"].to_pylist()[-2:] == [43.5, None]
    assert mv.read(path, kinds={"x": "nominal"}).frame["x"].to_pylist()[-1] == odd


@pytest.mark.parametrize("code", ["12a", "unknown", "12", "A#"])
def test_codes_among_numbers_make_text_as_before(tmp_path: Path, code: str) -> None:
    path = sheet(tmp_path, ["x"], *([number] for number in range(30)), [code])
    assert mv.read(path).frame["x"].to_pylist()[-2:] == ["29", code]
