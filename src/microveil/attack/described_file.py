"""What a written file says beside its cells in the ways of its format: sheets, comments, labels, notes, properties.

Each check gives the per cent of what it looks for that is there, and None for files of a format that has nothing of it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyreadstat

_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
_HIDDEN_STATE = re.compile(rb"\bstate=[\"'](?:hidden|veryHidden)[\"']")
_HIDDEN_LINE = re.compile(rb"<(?:\w+:)?(?:row|col)\s[^>]*\bhidden=[\"'](?:1|true)[\"']")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_DEFINED_NAME = re.compile(rb"<(?:\w+:)?definedName[\s>]")
_PROPERTY = re.compile(
    rb"<(?:\w+:)?(creator|lastModifiedBy|title|subject|description|keywords|category|Company|Manager)(?:\s[^>]*)?>([^<]*)<"
)
_WRITERS = (b"", b"openpyxl", b"xlsxwriter", b"microveil")  # programs, which say nothing about anybody


def has_hidden_parts(path: Path) -> float | None:
    """Whether an XLSX file has hidden or further sheets, hidden rows or columns, or tables kept for summaries."""
    if not _is_workbook(path):
        return None
    with zipfile.ZipFile(path) as packed:
        sheets = _SHEET.findall(packed.read("xl/workbook.xml"))
        hidden = len(sheets) > 1 or any(_HIDDEN_STATE.search(sheet) for sheet in sheets)
        kept = any(name.startswith(("xl/pivotCache/", "xl/externalLinks/")) for name in packed.namelist())
        lines = any(_HIDDEN_LINE.search(part) for part in _worksheets(packed))
    return 100.0 if hidden or kept or lines else 0.0


def has_formulas(path: Path) -> float | None:
    """Whether cells of an XLSX file are formulas, which say how their values came about, or refer to other cells."""
    if not _is_workbook(path):
        return None
    with zipfile.ZipFile(path) as packed:
        return 100.0 if any(_FORMULA.search(part) for part in _worksheets(packed)) else 0.0


def has_comments(path: Path) -> float | None:
    """Whether an XLSX file has comments, or names for ranges of cells."""
    if not _is_workbook(path):
        return None
    with zipfile.ZipFile(path) as packed:
        comments = any("comments" in name.lower() for name in packed.namelist())
        named = bool(_DEFINED_NAME.search(packed.read("xl/workbook.xml")))
    return 100.0 if comments or named else 0.0


def has_properties(path: Path) -> float | None:
    """Whether the properties of an XLSX file name somebody or something: author, title, company."""
    if not _is_workbook(path):
        return None
    with zipfile.ZipFile(path) as packed:
        parts = [name for name in packed.namelist() if name.startswith("docProps/") and name.endswith(".xml")]
        texts = [text for name in parts for _, text in _PROPERTY.findall(packed.read(name))]
        own = "docProps/custom.xml" in parts
    return 100.0 if own or any(text.strip().lower() not in _WRITERS for text in texts) else 0.0


def has_attributes(path: Path) -> float | None:
    """Whether a Parquet or Feather file says more about itself or a column than names and types."""
    import pyarrow.feather
    import pyarrow.parquet

    if path.suffix == ".parquet":
        schema = pyarrow.parquet.read_schema(path)
    elif path.suffix in (".feather", ".arrow"):
        schema = pyarrow.feather.read_table(path).schema
    else:
        return None
    of_file = any(key != b"ARROW:schema" for key in schema.metadata or {})
    # Parquet numbers its columns in their metadata
    of_columns = any(key != b"PARQUET:field_id" for field in schema for key in field.metadata or {})
    return 100.0 if of_file or of_columns else 0.0


def share_absent_labels(path: Path) -> float | None:
    """Per cent of the value labels of an SPSS, Stata or SAS file whose value no cell has."""
    described = _described(path)
    if described is None:
        return None
    columns, about = described
    labels = absent = 0
    for name, texts in about.variable_value_labels.items():
        shown = {_plain(value) for value in columns[name]}
        labels += len(texts)
        absent += sum(_plain(value) not in shown for value in texts)
    return 100.0 * absent / labels if labels else 0.0


def has_notes(path: Path) -> float | None:
    """Whether an SPSS, Stata or SAS file has notes, a label of the file, or declared missing values."""
    described = _described(path)
    if described is None:
        return None
    about = described[1]
    declared = (*about.missing_user_values.values(), *about.missing_ranges.values())
    return 100.0 if about.notes or (about.file_label or "").strip() or any(map(bool, declared)) else 0.0


def _is_workbook(path: Path) -> bool:
    return path.suffix.lower() == ".xlsx" and zipfile.is_zipfile(path)


def _worksheets(packed: zipfile.ZipFile) -> list[bytes]:
    names = [name for name in packed.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
    return [packed.read(name) for name in names]


def _described(path: Path) -> tuple[Mapping[str, Iterable[object]], pyreadstat.metadata_container] | None:
    """The columns and the descriptions of a file that has them; None for other formats."""
    import pyreadstat

    ending = path.suffix.lower()
    readers = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat"}
    if ending not in readers:
        return None
    settings = {"user_missing": True} if readers[ending] == "read_sav" else {}
    read = getattr(pyreadstat, readers[ending])
    columns, about = read(str(path), output_format="dict", disable_datetime_conversion=True, **settings)
    return columns, about


def _plain(value: object) -> object:
    """Whole numbers and the same with a decimal point are one value."""
    return float(value) if isinstance(value, int | float) else value
