"""Audit: what workbooks hold beside the cells of their one sheet."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from microveil.package.audit_files import DataFile
from microveil.package.workbook_cells import look_at_cells

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_PROPERTIES = ("docProps/app.xml", "docProps/core.xml")
_TELLING = (
    "creator",
    "lastModifiedBy",
    "Company",
    "Manager",
    "title",
    "subject",
    "description",
    "keywords",
    "category",
    "HyperlinkBase",
)
_PROGRAMS = ("", "openpyxl", "xlsxwriter", "microveil")  # which say nothing about anybody
# the parts that a workbook of one sheet needs; whatever else there is holds no cells of it
_PLAIN_PARTS = re.compile(
    r"(\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/workbook\.xml|xl/_rels/workbook\.xml\.rels"
    r"|xl/styles\.xml|xl/theme/theme1\.xml|xl/worksheets/sheet1\.xml|xl/sharedStrings\.xml|xl/metadata\.xml)"
)
_FURTHER = re.compile(
    rb"<(?:\w+:)?(headerFooter|dataValidations|hyperlinks|conditionalFormatting|extLst|scenarios|customSheetViews|sortState)\b(?:[^>]*[^/>])?>"
)
_UNSEEN = re.compile(rb"<(?:\w+:)?(?:rPh|phoneticPr)\b")  # how words are spoken
_REMARK = re.compile(rb"<!--|<\?(?!xml |mso-)")
_SHARED = re.compile(rb"<(?:\w+:)?si\b")
_CELL_OF_SHARED = re.compile(rb"<(?:\w+:)?c\b[^>]*\bt=[\"']s[\"'][^>]*>\s*<(?:\w+:)?v>(\d+)</")


def look_into_workbook(file: DataFile) -> Iterator[str]:
    """Workbooks hide sheets, formulas, comments, names, links, texts that no cell shows, and who wrote them."""
    if file.format != "xlsx":
        return
    import openpyxl

    book = openpyxl.load_workbook(file.path, rich_text=True)
    if len(book.sheetnames) > 1:
        hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
        are = "is" if len(hidden) == 1 else "are"
        yield f"it has {len(book.sheetnames)} sheets, of which {len(hidden)} {are} hidden"
    sheet = book.worksheets[0]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    if any(cell.data_type == "f" for cell in cells):
        yield "it holds formulas"
    if any(cell.comment is not None for cell in cells):
        yield "it holds comments"
    lines = (*sheet.row_dimensions.values(), *sheet.column_dimensions.values())
    if any(line.hidden for line in lines):
        yield "it hides rows or columns"
    yield from _formats(sheet)
    if book.defined_names or any(one.defined_names for one in book.worksheets):
        yield "it defines names"
    yield from _parts(file)


def _formats(sheet: Worksheet) -> Iterator[str]:
    """Colours, fonts and forms of numbers by which cells of a column, or rows, differ: they mark records."""
    from openpyxl.cell.rich_text import CellRichText

    for head, *cells in sheet.iter_cols():
        shown, gaps = ({cell.style_id for cell in cells if (cell.value is None) == gap} for gap in (False, True))
        if len(shown) > 1 or len(gaps) > 1:
            yield f"cells of {str(head.value)!r} are formatted in different ways"
        if any(isinstance(cell.value, CellRichText) for cell in cells):
            yield f"cells of {str(head.value)!r} hold words that are formatted by themselves"
    rows = [sheet.row_dimensions[place] for place in range(2, sheet.max_row + 1) if place in sheet.row_dimensions]
    formats = [(row.height if row.customHeight else None, row.s if row.customFormat else None) for row in rows]
    lacking = [(None, None)] if len(rows) < sheet.max_row - 1 else []
    if len({*formats, *lacking}) > 1:
        yield "its rows are formatted in different ways"


def _parts(file: DataFile) -> Iterator[str]:
    """Parts of a workbook that hold no cells, and texts in others that no cell shows."""
    with zipfile.ZipFile(file.path) as packed:
        names = packed.namelist()
        properties = b"".join(packed.read(name) for name in names if name in _PROPERTIES).decode(errors="replace")
        sheets = [packed.read(name) for name in names if posixpath.dirname(name) == "xl/worksheets"]
        shared = packed.read("xl/sharedStrings.xml") if "xl/sharedStrings.xml" in names else b""
        remarked = sorted(name for name in names if _REMARK.search(packed.read(name)))
    odd = sorted(name for name in names if not _PLAIN_PARTS.fullmatch(name) and not name.endswith("/"))
    if odd:
        yield f"it holds {', '.join(odd)}"
    if remarked:
        yield f"remarks that no program shows stand in {', '.join(remarked)}"
    said = {tag: re.search(rf"<(?:\w+:)?{tag}\b[^>]*>([^<]+)</", properties) for tag in _TELLING}
    told = [tag for tag, text in said.items() if text is not None and text[1].strip().lower() not in _PROGRAMS]
    if told:
        yield f"its properties tell {', '.join(told)}"
    further = sorted({found.decode() for sheet in sheets for found in _FURTHER.findall(sheet)})
    if further:
        yield f"its sheet has {', '.join(further)}"
    for sheet in sheets:
        yield from look_at_cells(sheet, shared)
    if any(_UNSEEN.search(part) for part in (*sheets, shared)):
        yield "cells have words beside those that are shown"
    used = {int(place) for sheet in sheets for place in _CELL_OF_SHARED.findall(sheet)}
    if len(_SHARED.findall(shared)) > len(used):
        yield "it keeps texts that no cell shows"
