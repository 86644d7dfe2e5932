"""What a sheet holds, and where that ends."""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.io import xlsx_write
from microveil.io.cleaning import Clean
from microveil.io.xlsx_write import for_xlsx, write_xlsx

DAY, MOMENT, TIME = pa.date32(), pa.timestamp("us"), pa.time64("us")


def clean(columns: dict[str, Any]) -> Clean:
    return Clean(pa.table(columns), dict.fromkeys(columns, "continuous"))


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("rows", "columns", "fits"),
    [(1_048_575, 1, True), (1_048_576, 1, False), (1, 16_384, True), (1, 16_385, False)],
)
def test_a_sheet_holds_so_many_cells_and_no_more(rows: int, columns: int, fits: bool) -> None:
    # days that no sheet holds: the next refusal, where the size is right
    early = pa.repeat(pa.scalar(dt.date(1899, 1, 1)), rows)
    table = pa.table([early] * columns, names=[str(j) for j in range(columns)])
    told = f"a sheet holds up to 1048575 records and 16384 columns, and there are {rows} and {columns}: write Parquet"
    expected = "column '0' holds days before 1900" if fits else re.escape(told)
    with pytest.raises(BadInput, match=expected):
        for_xlsx(Clean(table, {}))


def test_records_without_any_value_are_counted() -> None:
    with pytest.raises(BadInput, match=r"^2 records have no value in any column, which readers of XLSX"):
        for_xlsx(clean({"x": [1, None, None], "y": [None, None, None]}))
    with pytest.raises(BadInput, match=r"^1 record has no value in any column"):
        for_xlsx(clean({"x": [1, None, None], "y": [None, "a", None]}))
    for held in ({"x": [1, None], "y": [None, "a"]}, {"x": [1, 2], "y": ["a", "b"]}, {"x": [None, None], "y": [1, 2]}):
        assert for_xlsx(clean(held)).table.to_pydict() == held


def test_text_is_as_long_as_a_cell() -> None:
    longest = {"t": ["é" * 32_767, None], "n": [1, 2]}
    assert for_xlsx(clean(longest)).table.to_pydict() == longest
    with pytest.raises(BadInput, match="text in column 't' is too long for a cell or holds control characters"):
        for_xlsx(clean({"t": ["é" * 32_768]}))
    assert for_xlsx(clean({"t": pa.array([None, None], pa.string()), "n": [1, 2]})).notes == ()


@pytest.mark.parametrize("word", ["\0", "\x08", "\x0b", "\x1f", "\ufffe", "\uffff", "_x0041_", "_xAbCd_"])
def test_characters_that_a_sheet_cannot_hold(word: str) -> None:
    with pytest.raises(BadInput, match="text in column 't' is too long for a cell or holds control characters"):
        for_xlsx(clean({"t": ["a", f"b{word}c"]}))


@pytest.mark.parametrize("word", ["\t", "\n", " ", "\ufffd", "_x004_", "x0041_"])
def test_characters_that_a_sheet_holds(word: str) -> None:
    assert for_xlsx(clean({"t": ["a", f"b{word}c"]})).table["t"].to_pylist() == ["a", f"b{word}c"]


@pytest.mark.parametrize(
    ("cells", "kind", "message"),
    [
        ([moment("1900-01-01 00:00:00.001"), None], MOMENT, None),
        ([moment("2020-01-01 00:00:00.001001"), None], MOMENT, "times finer than a millisecond"),
        ([moment("1899-12-31 23:59"), None], MOMENT, "days before 1900"),
        ([dt.time(1, 2, 3, 4000), None], TIME, None),
        ([dt.time(1, 2, 3, 4001), None], TIME, "times finer than a millisecond"),
        ([dt.date(1900, 1, 1), None], DAY, None),
        ([dt.date(2020, 1, 1), dt.date(1899, 12, 31)], DAY, "days before 1900"),
        ([None, None], DAY, None),
        ([None, None], TIME, None),
    ],
)
def test_days_from_1900_and_times_to_the_millisecond(cells: list[Any], kind: Any, message: str | None) -> None:
    table = clean({"c": pa.array(cells, kind), "n": [1, 2]})
    if message is None:
        assert for_xlsx(table).table == table.table
        assert for_xlsx(table).notes == ()
    else:
        with pytest.raises(BadInput, match=f"column 'c' holds {message}, which XLSX cannot keep; write Parquet"):
            for_xlsx(table)


def test_moments_at_midnight_become_dates_and_zones_are_told() -> None:
    kind = pa.timestamp("us", "Europe/Berlin")
    night = moment("2020-07-01 22:00:00").replace(tzinfo=dt.UTC)
    found = for_xlsx(clean({"c": pa.array([night, None], kind), "n": [1, 2]}))
    assert found.table["c"].to_pylist() == [night.replace(tzinfo=None), None]
    assert found.notes == ("moments in 'c' were written in UTC",)
    found = for_xlsx(clean({"c": pa.array([moment("2020-07-01"), None], MOMENT), "n": [1, 2]}))
    assert found.table["c"].to_pylist() == [dt.date(2020, 7, 1), None]
    assert found.notes == ("moments in 'c' are all at midnight and were written as dates",)


def test_cells_are_of_their_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_write, "_ROWS_AT_ONCE", 2)
    columns = {
        "=name": ["=1+1", None, "#N/A"],
        "x": [0.1 + 0.2, None, 1e-300 / 3],
        "n": [1, None, 2**53],
        "b": [True, None, False],
        "m": pa.array([moment("2020-01-01 12:00"), None, None], MOMENT),
    }
    with (tmp_path / "out.xlsx").open("wb") as handle:
        write_xlsx(pa.table(columns), handle)
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["data"]
    cells = [[(cell.value, cell.data_type) for cell in row] for row in book.active.iter_rows()]
    assert [value for value, _ in cells[0]] == list(columns)
    assert {kind for _, kind in cells[0]} == {"s"}
    assert cells[1] == [
        ("=1+1", "s"),
        (0.1 + 0.2, "n"),
        (1, "n"),
        (True, "b"),
        (moment("2020-01-01 12:00"), "d"),
    ]
    assert [value for value, _ in cells[2]] == [None] * 5
    assert cells[3][:4] == [("#N/A", "s"), (1e-300 / 3, "n"), (2**53, "n"), (False, "b")]


def test_parts_carry_no_time_and_are_compressed(tmp_path: Path) -> None:
    with (tmp_path / "out.xlsx").open("wb") as handle:
        write_xlsx(pa.table({"a": [1]}), handle)
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        assert {entry.date_time for entry in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in book.infolist()} == {zipfile.ZIP_DEFLATED}


def test_no_cell_is_kept_outside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process would leave it there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sizes: list[int] = []
    removed = os.remove

    def remove(path: str) -> None:
        sizes.append(Path(path).stat().st_size)
        removed(path)

    monkeypatch.setattr(os, "remove", remove)
    mv.write(pa.table({"a": ["canary"] * 5000}), tmp_path / "out.xlsx", unprotected=True)
    assert set(sizes) == {0}
    assert [path.name for path in tmp_path.iterdir()] == ["out.xlsx"]
