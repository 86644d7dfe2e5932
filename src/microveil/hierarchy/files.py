"""Text files of hierarchies: a line for each value, its path from fine to coarse, no header."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.core.open_types import Cell

_DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True)
class Rows:
    """Values and their paths as they stand, with the lines of the file they come from; a mapping has none."""

    values: Sequence[Cell]
    paths: Sequence[Sequence[str]]
    lines: Sequence[int] = ()
    delimiter: str = ";"
    unit: str = "line"  # what a row is called


def read_rows(path: Path, delimiter: str | None) -> Rows:
    """The rows of a file: the first field is the value."""
    fields, lines, mark = read_fields(path, delimiter)
    return Rows([row[0] for row in fields], [labels_of(row[1:]) for row in fields], lines, mark)


def labels_of(fields: Sequence[str]) -> list[str]:
    """Coarser values as they are meant: blanks beside a delimiter are none of them."""
    return [field.strip() for field in fields]


def read_fields(path: Path, delimiter: str | None) -> tuple[list[list[str]], list[int], str]:
    """The fields of every line that is not empty, the numbers of these lines, and the delimiter."""
    text = _read_text(path)
    mark = check_delimiter(delimiter) if delimiter is not None else _find_delimiter(text)
    # strict: quotation marks that are not closed would swallow the lines behind them
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    fields: list[list[str]] = []
    lines: list[int] = []
    begun = 1
    try:
        for row in reader:
            if any(field.strip() for field in row):
                fields.append(row)
                lines.append(begun)
            begun = reader.line_num + 1
    except csv.Error:
        raise BadInput(f"{str(path)!r} has a field in quotation marks that are not closed, from line {begun}") from None
    if not fields:
        raise BadInput(f"{str(path)!r} is empty; write value;coarser;* in a line for each value")
    return fields, lines, mark


def check_delimiter(delimiter: str) -> str:
    """A delimiter is one character that no field and no line ends with."""
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise BadInput(f"delimiter={delimiter!r} is not one plain character such as ';' ',' '\\t' or '|'")
    return delimiter


def _find_delimiter(text: str) -> str:
    """The first mark that stands in every line, as often in each or not; what stands in quotation marks aside."""
    outside = "".join(text.split('"')[::2])
    lines = [line for line in outside.splitlines() if line.strip()] or [""]
    in_all = [mark for mark in _DELIMITERS if all(mark in line for line in lines)]
    in_some = [mark for mark in _DELIMITERS if any(mark in line for line in lines)]
    return next(iter((*in_all, *in_some)), ";")


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FileProblem(f"there is no file {str(path)!r}") from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise FileProblem(f"{str(path)!r} is not UTF-8 text (line {line}); save it as UTF-8") from None
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror}") from None


def write_rows(path: Path, rows: Iterable[Iterable[Cell]], delimiter: str) -> None:
    """Write a file in one piece or not at all."""
    check_delimiter(delimiter)
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([*map(value_text, row)] for row in rows)
    # not by tempfile, whose files only their owner may read
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(text.getvalue().encode("utf-8"))
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise FileProblem(f"{str(path)!r} cannot be written: {problem.strerror}") from None


def value_text(value: Cell) -> str:
    """A value of a column as a file says it: whole numbers without a point, days in the order of ISO 8601."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    isoformat = getattr(value, "isoformat", None)
    return str(isoformat()) if isoformat is not None else str(value)
