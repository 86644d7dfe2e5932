"""Sheets of others: types of cells, formulas, and what is no table."""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zipfile
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


def _book(path: Path, *sheets: tuple[str, str]) -> Path:
    """A workbook with these sheets (name, state), each with its own name in its only record."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, state in sheets:
        page = book.create_sheet(name)
        page.sheet_state = state
        page.append(["of"])
        page.append([name])
    book.active = next(i for i, page in enumerate(book.worksheets) if page.sheet_state == "visible")
    book.save(path)
    return path


def test_the_first_sheet_that_is_not_hidden_is_read_and_others_are_named(tmp_path: Path) -> None:
    path = _book(tmp_path / "b.xlsx", ("old", "hidden"), ("2024", "visible"), ("2023", "visible"), ("x", "veryHidden"))
    data = mv.read(path)
    assert data.frame.column("of").to_pylist() == ["2024"]
    assert str(data.codebook.read_as) == "read from the sheet '2024'; the sheet '2023' was left out"
    assert data.codebook.reading == {"sheet": "2024"}
    named = mv.read(path, sheet="old")
    assert named.frame.column("of").to_pylist() == ["old"]
    assert str(named.codebook.read_as) == "read from the sheet 'old'; the sheets '2024', '2023' were left out"


def test_a_single_sheet_needs_no_word(tmp_path: Path) -> None:
    data = mv.read(_book(tmp_path / "b.xlsx", ("only", "visible"), ("x", "hidden")))
    assert (str(data.codebook.read_as), data.codebook.reading) == ("", {})


@pytest.mark.parametrize("ahead", [False, True])
def test_formulas_that_were_never_computed_are_refused(tmp_path: Path, ahead: bool) -> None:
    path = sheet(tmp_path, ["a", "b"], [1, "=A2*2" if ahead else 2], [2, "=A3*2"])
    with pytest.raises(BadInput, match=f"cell {'B2' if ahead else 'B3'} holds a formula without its result"):
        mv.read(path)


def test_formulas_give_what_they_showed_when_saved(tmp_path: Path) -> None:
    path = sheet(tmp_path, ["a", "b"], [1, "=A2*2"])
    with zipfile.ZipFile(path) as parts:
        stored = {name: parts.read(name) for name in parts.namelist()}
    page = stored["xl/worksheets/sheet1.xml"]
    assert b"<v />" in page or b"<v></v>" in page or b"<v/>" in page
    stored["xl/worksheets/sheet1.xml"] = re.sub(rb"<v ?/>|<v></v>", b"<v>2</v>", page)
    with zipfile.ZipFile(path, "w") as parts:
        for name, content in stored.items():
            parts.writestr(name, content)
    assert mv.read(path).frame.column("b").to_pylist() == [2]


def test_merged_cells_are_refused(tmp_path: Path) -> None:
    path = sheet(tmp_path, ["a", "b"], [1, 2], [3, 4])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A2:A3")
    book.save(path)
    with pytest.raises(BadInput, match=r"cells are merged \(A2:A3\)"):
        mv.read(path)
