"""Audits of marks on single records that change no value."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import PatternFill
from pyarrow.csv import write_csv

import microveil as mv
from microveil.package import audit
from microveil.package.workbook_cells import look_at_cells

PROJECT = """
version: 1
dataset: {path: raw.csv}
columns:
  age: {role: key, kind: nominal}
  ill: {role: confidential, kind: nominal}
  income: {role: confidential, kind: continuous}
scenarios:
- {name: keys, keys: [age], thresholds: {risk: 0.5}}
"""
ROWS = [(["[20, 40)", "[40, 60)"][i % 2], ["flu", "gout", "NA"][i % 3], f"{(i * 37) % 41 * 100}") for i in range(41)]


def told(folder: Path, name: str) -> tuple[list[str], list[str]]:
    (folder / "project.yaml").write_text(PROJECT)
    found = audit(folder / name, project=folder / "project.yaml")
    return [one.text for one in found.broken], [one.text for one in found.undecided]


def lines(change: Callable[[int, list[str]], list[str]] = lambda _, cells: cells) -> str:
    rows = [change(i, [f'"{age}"', ill, income]) for i, (age, ill, income) in enumerate(ROWS)]
    return "\n".join(map(",".join, [["age", "ill", "income"], *rows])) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        lines(),
        lines(lambda _, c: [c[0], c[1] if c[1] == "NA" else f'"{c[1]}"', c[2]]),
        lines(lambda _, c: [c[0], c[1], f"{c[2]:>6}"]),
        lines().replace("\n", "\r\n"),
    ],
    ids=["as it is", "texts in quotes and gaps bare", "numbers to the right", "lines of another system"],
)
def test_files_that_are_written_in_one_way_have_no_marks(tmp_path: Path, text: str):
    (tmp_path / "data.csv").write_bytes(text.encode())
    assert told(tmp_path, "data.csv") == ([], [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            lines(lambda i, c: [c[0], f'"{c[1]}"' if i % 3 == 0 and i % 2 else c[1], c[2]]),
            "cells of 'ill' stand in quotes",
        ),
        (lines(lambda i, c: [c[0], c[1], f'"{c[2]}"' if i == 7 else c[2]]), "cells of 'income' stand in quotes"),
        (lines(lambda i, c: [c[0], c[1], c[2] + " " * (i % 4 == 1)]), "numbers of 'income' have blanks around them"),
        (lines(lambda i, c: [c[0], c[1], c[2] + "." * (i % 4 == 1)]), "numbers of 'income' have zeros at their ends"),
        (lines().replace("\n", "\r\n", 5), "its lines end in different ways"),
    ],
    ids=["quotes", "one quote", "blanks", "points", "ends of lines"],
)
def test_marks_that_some_records_have_break_the_audit(tmp_path: Path, text: str, said: str):
    (tmp_path / "data.csv").write_bytes(text.encode())
    broken, _ = told(tmp_path, "data.csv")
    assert any(said in one for one in broken), broken


@pytest.mark.parametrize("mark", ["flu\u200b", "flu ", "f\u00adlu", "ｆlu"])
def test_texts_that_look_alike_leave_the_audit_undecided(tmp_path: Path, mark: str):
    (tmp_path / "data.csv").write_text(lines().replace("flu", mark, 3), encoding="utf-8")
    broken, left = told(tmp_path, "data.csv")
    assert not broken
    assert any("texts of 'ill' differ by blanks or signs that are not shown alone" in one for one in left), left


@pytest.mark.parametrize("marked", ["a  cold", "a\u00a0cold"])
def test_blanks_of_another_kind_leave_the_audit_undecided(tmp_path: Path, marked: str):
    (tmp_path / "data.csv").write_text(lines().replace("flu", "a cold").replace("a cold", marked, 3), encoding="utf-8")
    assert any("texts of 'ill' differ by blanks" in one for one in told(tmp_path, "data.csv")[1])


def numbers() -> pa.Table:
    """The rows with gaps and zeros among the incomes."""
    income = pa.array([None if i % 5 == 0 else float(one) for i, (*_, one) in enumerate(ROWS)])
    return pa.table({"age": [age for age, *_ in ROWS], "ill": [ill for _, ill, _ in ROWS], "income": income})


def other_gaps(table: pa.Table, path: Path) -> None:
    values = [float("nan") if one is None and i % 2 else one for i, one in enumerate(table["income"].to_pylist())]
    pq.write_table(table.set_column(2, "income", pa.array(values)), path)


def other_zeros(table: pa.Table, path: Path) -> None:
    values = [0.0 if i % 3 == 1 else one for i, one in enumerate(table["income"].to_pylist())]
    values[4] = -0.0
    pq.write_table(table.set_column(2, "income", pa.array(values)), path)


def letters(table: pa.Table, path: Path) -> None:
    frame = table.to_pandas()
    frame["income"] = frame["income"].astype(object)
    frame.loc[frame["income"].isna() & (frame.index % 2 == 1), "income"] = "a"
    pyreadstat.write_dta(frame, path, missing_user_values={"income": ["a"]})


def other_bits(table: pa.Table, path: Path) -> None:
    """Gaps that are no numbers, by two patterns of bits."""
    values = np.array([np.nan if one is None else one for one in table["income"].to_pylist()])
    values.view(np.uint64)[::10] |= 7
    pq.write_table(table.set_column(2, "income", pa.array(values)), path)


def neighbours(table: pa.Table, path: Path) -> None:
    values = [None if one is None else np.nextafter(one, 1e9) for one in table["income"].to_pylist()]
    values = values[:20] + table["income"].to_pylist()[20:]
    pq.write_table(table.set_column(2, "income", pa.array(values)), path)


def declared(table: pa.Table, path: Path) -> None:
    """Amounts that stand in the file and are declared missing."""
    frame = table.to_pandas()
    gaps = frame["income"].isna()
    frame.loc[gaps, "income"] = 90_000.0 + np.arange(gaps.sum())
    pyreadstat.write_sav(frame, path, missing_ranges={"income": [{"lo": 90_000, "hi": 99_999}]})


@pytest.mark.parametrize(
    ("write", "name", "said"),
    [
        (pq.write_table, "data.parquet", ""),
        (other_bits, "data.parquet", "missing values of 'income' are of several kinds"),
        (neighbours, "data.parquet", "numbers of 'income' differ from others by their last digits alone"),
        (declared, "data.sav", "missing values of 'income' are of several kinds"),
        (other_gaps, "data.parquet", "missing values of 'income' are of several kinds"),
        (other_zeros, "data.parquet", "zeros of 'income' are stored with and without a sign"),
        (lambda table, path: pyreadstat.write_dta(table.to_pandas(), path), "data.dta", ""),
        (letters, "data.dta", "missing values of 'income' are of several kinds"),
    ],
    ids=[
        "one kind of gap",
        "bits",
        "last digits",
        "declared missing",
        "no number",
        "zeros",
        "one gap of Stata",
        "letters of Stata",
    ],
)
def test_gaps_and_zeros_of_several_kinds_leave_the_audit_undecided(tmp_path: Path, write, name: str, said: str):
    write(numbers(), tmp_path / name)
    broken, left = told(tmp_path, name)
    assert not broken
    assert [said in one for one in left] == ([True] if said else []), left


def test_texts_that_the_original_has_in_several_forms_are_no_marks(tmp_path: Path):
    raw = pa.table({"age": ["20", "40"] * 20, "ill": ["flu", "flu ", "gout", "gout"] * 10, "income": range(40)})
    write_csv(raw, tmp_path / "raw.csv")
    (tmp_path / "project.yaml").write_text(PROJECT)
    mv.write(mv.mask.RankSwap(p=30).apply(mv.read(tmp_path / "raw.csv"), columns=["income"]), tmp_path / "data.csv")
    found = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml", original=tmp_path / "raw.csv")
    assert "differ by blanks" not in str(found)


def form(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet["C5"].number_format = '"Zyx Quor"0'


def fill(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet["A7"].fill = PatternFill("solid", fgColor="FF0000")


def gap(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet["C5"], sheet["C6"] = None, None
    sheet["C6"].fill = PatternFill("solid", fgColor="FF0000")


def word(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet["B7"] = CellRichText(TextBlock(InlineFont(b=True), "flu"))


def height(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet.row_dimensions[9].height = 33


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (None, ""),
        (form, "cells of 'income' are formatted in different ways"),
        (fill, "cells of 'age' are formatted in different ways"),
        (gap, "cells of 'income' are formatted in different ways"),
        (word, "cells of 'ill' hold words that are formatted by themselves"),
        (height, "its rows are formatted in different ways"),
    ],
)
def test_formats_by_which_cells_of_a_workbook_differ_are_marks(tmp_path: Path, mark, said: str):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("age", "ill", "income"), *((age, ill, int(income)) for age, ill, income in ROWS)):
        sheet.append(row)
    if mark is not None:
        mark(sheet)
    book.save(tmp_path / "data.xlsx")
    broken, _ = told(tmp_path, "data.xlsx")
    assert [said in one for one in broken] == ([] if mark is None else [True]), broken


CELL = '<c r="C9" t="n"><v>1300</v></c>'


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (CELL, CELL.replace(" t=", ' ph="1" t='), "numbers of column C are stored in different ways"),
        (CELL, CELL.replace("1300", "1300.0"), "numbers of column C have zeros at their ends in some records"),
        (CELL, CELL + " ", "its rows are stored in different ways"),
        ('<row r="9"', '<row r="9" thickBot="1"', "its rows are stored in different ways"),
        (CELL, '<c r="C9"/>', "some gaps of column C are cells"),
        ("<t>gout</t></is></c>" + CELL, "<t>&#103;out</t></is></c>" + CELL, "letters of some texts are stored by"),
        ("gout</t>", 'gout</t><rPh sb="0" eb="1"><t>Jane</t></rPh>', "cells have words beside those that are shown"),
    ],
)
def test_cells_that_a_workbook_stores_in_other_ways_are_marks(tmp_path: Path, was: str, now: str, said: str):
    book = openpyxl.Workbook()
    for row in (("age", "ill", "income"), *((age, ill, int(income)) for age, ill, income in ROWS)):
        book.active.append(row)
    book.active["C10"] = None
    book.save(tmp_path / "plain.xlsx")
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as old, zipfile.ZipFile(tmp_path / "data.xlsx", "w") as new:
        for part in old.namelist():
            raw = old.read(part).decode()
            assert "sheet1" not in part or was in raw, raw
            new.writestr(part, raw.replace(was, now) if "sheet1" in part else raw)
    broken, _ = told(tmp_path, "data.xlsx")
    assert any(said in one for one in broken), broken


def test_texts_that_a_workbook_shares_and_keeps_twice_are_marks():
    sheet = b"<sheetData><row r='1'/>%s</sheetData>" % b"".join(
        b"<row><c r='A%d' t='s'><v>%d</v></c></row>" % (row, row % 2) for row in range(2, 9)
    )
    told = list(look_at_cells(sheet, b"<sst><si><t>flu</t></si><si><t>flu</t></si></sst>"))
    assert told == ["it keeps the same text several times"]
