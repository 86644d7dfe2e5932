"""Reading SPSS, Stata and SAS files: codes stay codes, labels go into the codebook."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput, FileProblem
from microveil.core.open_types import Cell
from microveil.io.formats.calendar import DAY
from microveil.io.formats.format import check_not_empty, tell_damage
from microveil.io.names import check_column_names
from microveil.io.reading_apart import crashes_apart
from microveil.io.unpacking import check_cells

if TYPE_CHECKING:
    import pyreadstat

    from microveil.io.formats.statistical import Statistical

# a damaged header can make pyreadstat crash with the whole process: it is tried in another one first
_READ_HEADER = "import pyreadstat; getattr(pyreadstat, words[0])(path, output_format='dict', metadataonly=True)"
_EXACT_WHOLE = 2.0**53
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_897  # the years 1 to 9999, counted from 1970


@dataclass(frozen=True)
class Labelled:
    """A file of a statistical package: its values and what it says about them."""

    table: pa.Table
    labels: dict[str, dict[Cell, str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    missing: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


def read_statistical(path: Path, kind: Statistical, encoding: str | None = None, ours: bool = False) -> Labelled:
    """An SPSS, Stata or SAS file. Values that SPSS declares missing are listed as missing codes.

    Empty text is missing: these formats know no difference. Numbers that are all whole are whole numbers. `ours`: the
    file was written by us just now, and its header needs no trial.
    """
    import pyreadstat

    if kind.card > 1 and path.stat().st_size % kind.card:
        raise tell_damage(path, kind)
    if not ours and crashes_apart(path, _READ_HEADER, kind.reader):
        raise tell_damage(path, kind)
    reader = getattr(pyreadstat, kind.reader)
    options = {"user_missing": True} if kind.declares_missing else {}
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
        raise tell_damage(path, kind) from None
    check_column_names(path, columns)
    check_not_empty(path, len(columns), len(next(iter(columns.values()), ())))
    formats = {name: meta.original_variable_types.get(name) or "" for name in columns}
    types = meta.readstat_variable_types
    arrays = {name: _column(columns.pop(name), types[name], formats[name], kind) for name in list(columns)}
    return _described(pa.table(arrays), meta)


def _refuse_impossible_size(path: Path, kind: Statistical, meta: pyreadstat.metadata_container) -> None:
    """A damaged number of records would make the reader claim all memory: so small a file cannot hold them."""
    cells = (meta.number_rows or 0) * (meta.number_columns or 0)
    if cells > path.stat().st_size * kind.most_cells_per_byte:
        raise tell_damage(path, kind)
    check_cells(path, cells)


def _wrong_encoding(path: Path, kind: Statistical) -> BadInput:
    return BadInput(f'{str(path)!r}: the text in this {kind.title} file does not fit; try encoding="cp1252" or "utf-8"')


def _described(table: pa.Table, meta: pyreadstat.metadata_container) -> Labelled:
    labels: dict[str, dict[Cell, str]] = {}
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


def _as_code(code: Cell) -> Cell:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _missing_codes(column: pa.Array, ranges: Sequence[Any]) -> list[Any]:
    """The values of the column that its file declares missing: single ones, or all between two ends."""
    values = [value for value in column.unique().to_pylist() if isinstance(value, int | float | str)]
    found = []
    for value in values:
        for declared in ranges:
            low, high = (declared["lo"], declared["hi"]) if isinstance(declared, dict) else (declared, declared)
            if isinstance(value, str) == isinstance(low, str) and low <= value <= high:
                found.append(value)
                break
    return sorted(found)


def _column(values: list[Cell], stored: str, shown: str, kind: Statistical) -> pa.Array:
    if stored == "string":
        return pa.array([value or None for value in values], pa.string())
    numbers = np.array(values, dtype=np.float64)
    meaning = _meaning(shown, kind)
    if meaning and _within_calendar(numbers, meaning, kind):
        return _calendar(numbers, meaning, kind)
    return _number_column(numbers, stored, shown, kind)


def _meaning(shown: str, kind: Statistical) -> str | None:
    return next((name for name, pattern in kind.meanings.items() if re.match(pattern, shown)), None)


def _number_column(numbers: Floats, stored: str, shown: str, kind: Statistical) -> pa.Array:
    empty = np.isnan(numbers)
    whole = (
        bool(np.all(empty | ((numbers == np.rint(numbers)) & (np.abs(numbers) <= _EXACT_WHOLE)))) and not empty.all()
    )
    if kind.shown_whole and stored in ("double", "float") and not re.match(kind.shown_whole, shown):
        whole = False
    if whole:
        return pa.array(np.nan_to_num(numbers).astype(np.int64), mask=empty)
    if stored == "float":
        return pa.array(numbers.astype(np.float32), mask=empty)
    return pa.array(numbers, mask=empty)


def _within_calendar(numbers: Floats, meaning: str, kind: Statistical) -> bool:
    """Whether all are days of the years 1 to 9999, or times of one day; a longer duration stays a number."""
    days = numbers / (kind.units_of_day if meaning == "date" else DAY * kind.units_of_second)
    days = days[~np.isnan(days)]
    if meaning == "time":
        return bool(((days >= 0) & (days < 1)).all())
    days = days - kind.epoch_days
    return bool(((days >= _FIRST_DAY) & (days < _LAST_DAY)).all())


def _calendar(numbers: Floats, meaning: str, kind: Statistical) -> pa.Array:
    empty = np.isnan(numbers)
    filled = np.nan_to_num(numbers)
    seconds = filled / kind.units_of_second
    if meaning == "time":
        return pa.array(np.rint(seconds * 1e6).astype(np.int64), pa.int64(), mask=empty).cast(pa.time64("us"))
    if meaning == "date":
        days = np.floor(filled / kind.units_of_day) - kind.epoch_days
        return pa.array(days.astype(np.int64).astype(np.int32), pa.int32(), mask=empty).cast(pa.date32())
    step = kind.microseconds
    ticks = np.rint(seconds * (1_000_000 // step)).astype(np.int64) * step - kind.epoch_days * DAY * 1_000_000
    return pa.array(ticks, pa.int64(), mask=empty).cast(pa.timestamp("us"))
