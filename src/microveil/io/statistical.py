"""Reading SPSS, Stata and SAS files: codes stay codes, labels go into the codebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput, FileProblem
from microveil.io.formats import Format, check_not_empty, damaged
from microveil.io.names import check_column_names
from microveil.io.unpacking import check_cells

_DAY = 86_400
_EXACT_WHOLE = 2.0**53

# Formats that make a number a date, a moment or a time of day, and the day and unit they count in.
_SPSS = {
    "date": r"^[AEJS]?DATE\d*$",
    "moment": r"^(DATETIME|YMDHMS)[\d.]*$",
    "time": r"^D?TIME[\d.]*$",
}
_STATA = {
    "time": r"^%tcHH:MM(:SS)?$",
    "date": r"^%-?t?d",
    "moment": r"^%-?tc",  # %tC counts leap seconds and stays a number
}
_SAS = {
    "date": r"^(WEEKDAT[EX]|MMDDYY|DDMMYY|YYMMDD|DATE|[BE]8601DA|IS8601DA|JULIAN|WORDDAT[EX]|NLDATE)[BCDNPS]?[\d.]*$",
    "moment": r"^(DATETIME|[BE]8601DT|IS8601DT|B8601DN|DATEAMPM|MDYAMPM|NLDATM)[\d.]*$",
    "time": r"^(TIME|HHMM|TOD|TIMEAMPM|IS8601TM|[BE]8601TM)[\d.]*$",
}
# A cell takes a byte at least; .zsav and compressed SAS files pack that a thousandfold at best.
_MOST_CELLS_PER_BYTE = {"spss": 1100, "stata": 1, "sas": 1100, "xport": 1}

_SPSS_EPOCH_DAYS = 141_428  # from 14 October 1582 to 1 January 1970
_EPOCH_DAYS = 3_653  # from 1 January 1960
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_897  # the years 1 to 9999, counted from 1970


@dataclass(frozen=True)
class Labelled:
    """A file of a statistical package: its values and what it says about them."""

    table: Any
    labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    missing: dict[str, list[Any]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


def read_statistical(path: Path, kind: Format, encoding: str | None = None) -> Labelled:
    """An SPSS, Stata or SAS file. Values that SPSS declares missing are listed as missing codes.

    Empty text is missing: these formats know no difference. Numbers that are all whole are whole numbers.
    """
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        "spss": pyreadstat.read_sav,
        "stata": pyreadstat.read_dta,
        "sas": pyreadstat.read_sas7bdat,
        "xport": pyreadstat.read_xport,
    }
    # transport files do not say how many records they have, only that they come in cards of 80 bytes
    if kind.name == "xport" and path.stat().st_size % 80:
        raise damaged(path, kind)
    reader = readers[kind.name]
    options: dict[str, Any] = {"user_missing": True} if kind.name == "spss" else {}
    try:
        _refuse_impossible_size(
            path, kind, reader(str(path), output_format="dict", metadataonly=True, encoding=encoding)[1]
        )
        columns, meta = reader(
            str(path), output_format="dict", disable_datetime_conversion=True, encoding=encoding, **options
        )
    except (BadInput, FileProblem):
        raise
    except Exception as problem:  # noqa: BLE001 - damaged bytes make the parser fail in any way
        told = str(problem).lower()
        if isinstance(problem, UnicodeDecodeError) or "encoding" in told or "string was invalid" in told:
            raise _wrong_encoding(path, kind) from None
        raise damaged(path, kind) from None
    check_column_names(path, columns)
    check_not_empty(path, len(columns), len(next(iter(columns.values()), ())))
    formats = {name: meta.original_variable_types.get(name) or "" for name in columns}
    types = meta.readstat_variable_types
    arrays = {name: _column(columns.pop(name), types[name], formats[name], kind) for name in list(columns)}
    return _described(pa.table(arrays), meta)


def _refuse_impossible_size(path: Path, kind: Format, meta: Any) -> None:
    """A damaged number of records would make the reader claim all memory: so small a file cannot hold them."""
    cells = (meta.number_rows or 0) * (meta.number_columns or 0)
    if cells > path.stat().st_size * _MOST_CELLS_PER_BYTE[kind.name]:
        raise damaged(path, kind)
    check_cells(path, cells)


def _wrong_encoding(path: Path, kind: Format) -> BadInput:
    return BadInput(f'{str(path)!r}: the text in this {kind.title} file does not fit; try encoding="cp1252" or "utf-8"')


def _described(table: Any, meta: Any) -> Labelled:
    labels: dict[str, dict[Any, str]] = {}
    kinds: dict[str, str] = {}
    missing = {
        name: found for name, ranges in meta.missing_ranges.items() if (found := _missing_codes(table[name], ranges))
    }
    for name, texts in meta.variable_value_labels.items():
        text_column = pa.types.is_string(table.schema.field(name).type)
        usable = {_as_code(code): str(text) for code, text in texts.items() if isinstance(code, str) == text_column}
        if not usable:
            continue
        labels[name] = usable
        observed = set(table[name].unique().to_pylist()) - {None, *missing.get(name, ())}
        if observed <= set(usable):
            ordinal = meta.variable_measure.get(name) == "ordinal" and not text_column
            kinds[name] = "ordinal" if ordinal else "nominal"
    titles = {name: title for name, title in meta.column_names_to_labels.items() if title}
    return Labelled(table, labels, titles, missing, kinds)


def _as_code(code: Any) -> Any:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _missing_codes(column: Any, ranges: list[Any]) -> list[Any]:
    """The values of the column that its file declares missing."""
    values = [value for value in column.unique().to_pylist() if isinstance(value, int | float | str)]
    found = []
    for value in values:
        for declared in ranges:
            low, high = (declared["lo"], declared["hi"]) if isinstance(declared, dict) else (declared, declared)
            if isinstance(value, str) == isinstance(low, str) and low <= value <= high:
                found.append(value)
                break
    return sorted(found)


def _column(values: list[Any], stored: str, shown: str, kind: Format) -> Any:
    if stored == "string":
        return pa.array([value or None for value in values], pa.string())
    numbers = np.array(values, dtype=np.float64)
    meaning = _meaning(shown, kind)
    if meaning and _within_calendar(numbers, meaning, kind):
        return _calendar(numbers, meaning, kind)
    return _number_column(numbers, stored, shown, kind)


def _meaning(shown: str, kind: Format) -> str | None:
    families = {"spss": _SPSS, "stata": _STATA}.get(kind.name, _SAS)
    return next((name for name, pattern in families.items() if re.match(pattern, shown)), None)


def _number_column(numbers: Floats, stored: str, shown: str, kind: Format) -> Any:
    empty = np.isnan(numbers)
    whole = (
        bool(np.all(empty | ((numbers == np.rint(numbers)) & (np.abs(numbers) <= _EXACT_WHOLE)))) and not empty.all()
    )
    # Stata stores whole numbers as such, or in a format without decimals when they are long
    if kind.name == "stata" and stored in ("double", "float") and not re.match(r"^%-?\d+\.0fc?$", shown):
        whole = False
    if whole:
        return pa.array(np.nan_to_num(numbers).astype(np.int64), mask=empty)
    if stored == "float":
        return pa.array(numbers.astype(np.float32), mask=empty)
    return pa.array(numbers, mask=empty)


def _within_calendar(numbers: Floats, meaning: str, kind: Format) -> bool:
    """Whether all are days of the years 1 to 9999, or times of one day; a longer duration stays a number."""
    milliseconds = kind.name == "stata" and meaning != "date"
    days = numbers if meaning == "date" and kind.name != "spss" else numbers / (_DAY * (1000 if milliseconds else 1))
    days = days[~np.isnan(days)]
    if meaning == "time":
        return bool(((days >= 0) & (days < 1)).all())
    days = days - (_SPSS_EPOCH_DAYS if kind.name == "spss" else _EPOCH_DAYS)
    return bool(((days >= _FIRST_DAY) & (days < _LAST_DAY)).all())


def _calendar(numbers: Floats, meaning: str, kind: Format) -> Any:
    empty = np.isnan(numbers)
    filled = np.nan_to_num(numbers)
    seconds = filled / 1000 if kind.name == "stata" and meaning != "date" else filled
    if meaning == "time":
        return pa.array(np.rint(seconds * 1e6).astype(np.int64), pa.int64(), mask=empty).cast(pa.time64("us"))
    epoch = _SPSS_EPOCH_DAYS if kind.name == "spss" else _EPOCH_DAYS
    if meaning == "date":
        days = np.floor(filled / _DAY if kind.name == "spss" else filled) - epoch
        return pa.array(days.astype(np.int64).astype(np.int32), pa.int32(), mask=empty).cast(pa.date32())
    # SPSS counts seconds from 1582: beyond a hundred-thousandth of a second its numbers are noise
    step = 10 if kind.name == "spss" else 1
    ticks = np.rint(seconds * (1_000_000 // step)).astype(np.int64) * step - epoch * _DAY * 1_000_000
    return pa.array(ticks, pa.int64(), mask=empty).cast(pa.timestamp("us"))
