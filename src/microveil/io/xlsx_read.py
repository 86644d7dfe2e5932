"""Reading XLSX: one sheet, names in its first row."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from microveil.core.errors import BadInput, MicroveilError, UnknownName
from microveil.core.open_types import Cell
from microveil.core.parameters import suggest
from microveil.data.codebook import ReadAs
from microveil.io.formats.format import Format, Missing, tell_damage
from microveil.io.names import check_column_names
from microveil.io.odd_cells import odd_beside_numbers, odd_cells, words_for_missing
from microveil.io.unpacking import check_cells_of_sheet, check_sheet_size
from microveil.io.xlsx_parts import sheet_xml

# a formula in a cell without a value beside it; programs put a prefix before names, or none
_FORMULA_ALONE = re.compile(
    rb"<(?:\w+:)?c r=\"([A-Z]+[0-9]+)\"[^>]*>\s*<(?:\w+:)?f(?:/>| [^>]*/>|(?: [^>]*)?>[^<]*</(?:\w+:)?f>)"
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell [^>]*ref=\"([A-Z]+[0-9]+:[A-Z]+[0-9]+)\"")
_PLACE = re.compile(rb"<(?:\w+:)?(?:c|row)\s[^>]*?\br=[\"']([A-Z]*)([0-9]+)[\"']")
_SHOWN = 3


def read_xlsx(
    path: Path,
    kind: Format,
    sheet: str | None = None,
    missing: Missing = (),
    categories: Collection[str] = (),
) -> tuple[pa.Table, ReadAs]:
    """One sheet (the first that is not hidden unless named) as an Arrow table, and which one it was.

    Formulas give the value they showed when saved; one without a value is refused, and so are merged cells.
    A column that mixes text with numbers is text. Beside numbers, words for missing that `missing` names are missing,
    and other words for "no value" and errors of formulas are refused unless the column is among the `categories`.
    """
    rows, read_as = _rows(path, kind, sheet)
    if not rows:
        raise BadInput(f"{str(path)!r} is empty: the sheet has no cells")
    width = max(_used(row) for row in rows)
    names = [None if cell is None else str(cell) for cell in rows[0][:width]]
    names += [None] * (width - len(names))
    check_column_names(path, names, "the first row")
    del rows[0]
    if not rows:
        raise BadInput(f"{str(path)!r} has a header and no records; leave it out, or name a file of records")
    columns = {}
    for j, name in enumerate(map(str, names)):
        cells = [row[j] if j < len(row) else None for row in rows]
        columns[name] = _column(cells if name in categories else _numbers_alone(cells, name, missing))
    return pa.table(columns), read_as


def _numbers_alone(cells: list[Cell], name: str, missing: Missing) -> list[Cell]:
    """The cells, without words for missing where all others are numbers."""
    texts = {cell for cell in cells if isinstance(cell, str)}
    numbers = {cell for cell in cells if type(cell) in (int, float)}
    if not texts or not numbers or any(type(cell) not in (int, float, str) for cell in cells if cell is not None):
        return cells
    left = texts - set(words_for_missing(missing, name))
    odd = odd_beside_numbers(left, len(numbers)) if left else []
    if odd:
        row = next(place for place, cell in enumerate(cells) if cell in left)
        raise odd_cells(name, odd, f"row {row + 2}")
    return cells if left else [None if isinstance(cell, str) else cell for cell in cells]


def _rows(path: Path, kind: Format, sheet: str | None) -> tuple[list[tuple[Cell, ...]], ReadAs]:
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns about styles and extensions, which hold no data
        try:
            check_sheet_size(path)
            # by its handle: openpyxl goes by the ending of a name, and a file being written may have none
            with path.open("rb") as handle:
                book = load_workbook(handle, read_only=True, data_only=True)
                titles = [page.title for page in book.worksheets]
                _check_sheet(path, sheet, titles)
                shown = [page.title for page in book.worksheets if page.sheet_state == "visible"]
                chosen = sheet if sheet is not None else (shown or titles)[0]
                page = book.worksheets[titles.index(chosen)]
                _refuse_lost_cells(path, chosen)
                # a sheet may announce fewer cells than it has, or a billion empty ones
                page.reset_dimensions()
                rows = list(page.iter_rows(values_only=True))
        except MicroveilError:
            raise
        except Exception:  # noqa: BLE001 - damaged bytes make zip, XML and openpyxl fail in any way
            raise tell_damage(path, kind) from None
    while rows and not _used(rows[-1]):
        rows.pop()
    return rows, ReadAs(sheet=chosen, other_sheets=tuple(title for title in shown if title != chosen))


def _refuse_lost_cells(path: Path, sheet: str) -> None:
    """Cells that would come as gaps although they show something: formulas never computed, and merged ones."""
    text = sheet_xml(path, sheet)
    check_cells_of_sheet(path, *_extent(text))
    empty = _FORMULA_ALONE.search(text)
    if empty:
        raise BadInput(
            f"{str(path)!r}: cell {empty[1].decode()} holds a formula without its result; open the file in a "
            "spreadsheet program and save it there, or put values in the place of formulas"
        )
    merged = [match[1].decode() for match in _MERGED.finditer(text)]
    if merged:
        shown = ", ".join(merged[:_SHOWN]) + " ..." * (len(merged) > _SHOWN)
        raise BadInput(
            f"{str(path)!r}: cells are merged ({shown}), so that one value stands for several records or columns; "
            "unmerge them and fill each cell"
        )


def _extent(text: bytes) -> tuple[int, int]:
    """The last row and the last column that a cell or a row of a sheet claims to stand in."""
    last, seen = 0, set()
    for letters, digits in (found.groups() for found in _PLACE.finditer(text)):
        last = max(last, int(digits[:20]))
        seen.add(letters[:8])
    return last, max(map(_column_number, seen), default=0)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _check_sheet(path: Path, sheet: str | None, titles: list[str]) -> None:
    if not titles:
        raise BadInput(f"{str(path)!r} has no sheet of cells")
    if sheet is not None and sheet not in titles:
        raise UnknownName(f"{str(path)!r} has no sheet {sheet!r}{suggest(str(sheet), titles)}")


def _used(row: tuple[Cell, ...]) -> int:
    return max((j + 1 for j, cell in enumerate(row) if cell is not None), default=0)


def _column(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type as a column of that type, others as text."""
    types = {type(cell) for cell in cells if cell is not None}
    if types <= {int, float} and types:
        if types == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
            return pa.array(cells, pa.int64())
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if types == {bool}:
        return pa.array(cells, pa.bool_())
    if types == {dt.datetime}:
        midnight = all(cell is None or cell.time() == dt.time() for cell in cells)
        return (
            pa.array(cells, pa.timestamp("us")).cast(pa.date32()) if midnight else pa.array(cells, pa.timestamp("us"))
        )
    if types == {dt.time}:
        return pa.array(cells, pa.time64("us"))
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
