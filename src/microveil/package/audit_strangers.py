"""Audit: files as programs read them that know nothing of this one, with their defaults."""

from __future__ import annotations

import csv
import importlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from microveil.data.frames import AnyFrame
from microveil.data.microdata import Microdata
from microveil.io.csv_delimiter import is_tab_separated
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked

CHECK = "strangers"
Reader = Callable[[Path], AnyFrame]


def read_by_strangers(file: DataFile) -> Iterator[tuple[str, Microdata | str]]:
    """What each program that is installed makes of a file, or why it cannot read it."""
    for title, reader in _READERS.get(file.format, {}).items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield title, Microdata(reader(file.path))
        except ImportError:
            continue  # a program that is not there says nothing
        except Exception as problem:  # noqa: BLE001 - whatever goes wrong in programs of others is a finding
            yield title, type(problem).__name__


def audit_readers(file: DataFile, read: list[tuple[str, Microdata | str]]) -> list[Finding]:
    """Whether others find the records and columns in a file that we find."""
    if not read:
        return [not_checked(CHECK, f"no other program that reads {file.name} is installed.")]
    found, sound = [], []
    for title, data in read:
        if isinstance(data, str):
            found.append(broken(CHECK, f"{title} cannot read {file.name} ({data})."))
        elif data.n != file.data.n or list(map(str, data.columns)) != list(map(str, file.data.columns)):
            found.append(broken(CHECK, f"{title} finds other records or columns in {file.name} than we do."))
        else:
            sound.append(title)
    if sound:
        found.append(holds(CHECK, f"{', '.join(sound)} read the same records and columns from {file.name}."))
    return found


def _csv_module(path: Path) -> AnyFrame:
    import pyarrow as pa

    if path.suffix == ".gz":
        raise ImportError  # it opens no packed files
    with path.open(encoding="utf-8-sig", newline="") as handle:
        first = handle.readline()
        delimiter = max(",;\t|", key=first.count)
        handle.seek(0)
        head, *rows = csv.reader(handle, delimiter=delimiter)
    found: AnyFrame = pa.table({name: [row[place] or None for row in rows] for place, name in enumerate(head)})
    return found


def _openpyxl(path: Path) -> AnyFrame:
    import openpyxl
    import pyarrow as pa

    book = openpyxl.load_workbook(path)
    head, *rows = book.worksheets[0].iter_rows(values_only=True)
    columns = {str(name): [row[place] for row in rows] for place, name in enumerate(head)}
    found: AnyFrame = pa.table({name: _mixed(values) for name, values in columns.items()})
    return found


def _mixed(values: list[object]) -> list[object]:
    """The cells of a sheet as they are if all are of one kind, else as texts."""
    kinds = {type(value) for value in values if value is not None}
    return values if len(kinds) <= 1 or kinds == {int, float} else [None if v is None else str(v) for v in values]


def _pyreadstat(function: str) -> Reader:
    return lambda path: getattr(importlib.import_module("pyreadstat"), function)(str(path))[0]


def _arrow(module: str) -> Reader:
    return lambda path: importlib.import_module(module).read_table(str(path))


def _frame(library: str, function: str) -> Reader:
    """A function of a library of frames that this package does not need."""
    return lambda path: getattr(importlib.import_module(library), function)(path)


def _delimited(library: str, delimiter: str) -> Reader:
    """The reader of text of a library; who opens a file that ends in .tsv says that tabs separate its fields."""
    return lambda path: importlib.import_module(library).read_csv(
        path, **({delimiter: "\t"} if is_tab_separated(path) else {})
    )


def _polars_csv(path: Path) -> AnyFrame:
    """Text as polars reads it; it leaves quotes in names doubled, as they stand in the file."""
    frame: Any = _delimited("polars", "separator")(path)
    found: AnyFrame = frame.rename({name: name.replace('""', '"') for name in frame.columns})
    return found


_READERS: dict[str, dict[str, Reader]] = {
    "csv": {
        "csv of Python": _csv_module,
        "pandas": _delimited("pandas", "sep"),
        "polars": _polars_csv,
    },
    "parquet": {
        "pandas": _frame("pandas", "read_parquet"),
        "polars": _frame("polars", "read_parquet"),
        "pyarrow": _arrow("pyarrow.parquet"),
    },
    "feather": {
        "pandas": _frame("pandas", "read_feather"),
        "polars": _frame("polars", "read_ipc"),
        "pyarrow": _arrow("pyarrow.feather"),
    },
    "spss": {"pyreadstat": _pyreadstat("read_sav"), "pandas": _frame("pandas", "read_spss")},
    "stata": {"pyreadstat": _pyreadstat("read_dta"), "pandas": _frame("pandas", "read_stata")},
    "xlsx": {"openpyxl": _openpyxl, "pandas": _frame("pandas", "read_excel")},
}
