"""Reading CSV: one delimiter, one quote character, one header row; types decided over the whole file."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from microveil.core.errors import BadInput, FileProblem
from microveil.io.csv_scan import Scan, scan
from microveil.io.csv_types import typed, words_among_numbers
from microveil.io.formats import CSV, damaged, is_tab_separated
from microveil.io.names import check_column_names
from microveil.io.unpacking import unpacked

DELIMITERS = (",", ";", "\t", "|")
_BLOCK = 1 << 24
_MOST_BLOCK = (1 << 31) - 1


def read_csv(
    path: Path,
    packed: bool,
    delimiter: str | None = None,
    decimal: str = ".",
    encoding: str | None = None,
    missing: Mapping[str, Sequence[Any]] | Sequence[Any] = (),
    categories: Collection[str] = (),
) -> Any:
    """A CSV file as an Arrow table.

    Only the empty field is missing ("NA" is text unless `missing` names it). A column whose fields all
    stand in quotes is text, unless the file quotes everything and so says nothing by it. Numbers mixed
    with words for "no value" or "infinite" are refused unless the column is among the `categories`: taken
    for text, it would pass unprotected.
    """
    data = _text_bytes(path, packed, encoding)
    if not data.strip(b"\r\n"):
        raise BadInput(f"{str(path)!r} is empty: it has no header and no records")
    leading = len(data) - len(data.lstrip(b"\r\n"))
    first_line = 1 + len(data[:leading].splitlines())
    body = memoryview(data)[leading:]
    separator = delimiter or _delimiter(path, body)
    _check_characters(separator, decimal)
    header = scan(body, separator, 0, line=first_line, most_rows=1)
    _refuse_open_quote(path, header)
    names = _names(path, bytes(body[: header.end]), separator, int(header.next_line) - 1)
    rest = body[header.end :]
    seen = scan(rest, separator, len(names), line=header.next_line)
    _refuse(path, seen, len(names))
    texts = _columns(path, rest, separator, len(names), seen)
    quotes_tell = bool(header.plain.any() or seen.plain.any())
    return pa.table(
        [
            _column(
                texts.pop(0),
                quotes_tell,
                bool(quoted) and not plain,
                decimal,
                _codes(missing, name),
                None if name in categories else name,
            )
            for name, quoted, plain in zip(names, seen.quoted.tolist(), seen.plain.tolist(), strict=True)
        ],
        names=names,
    )


def _codes(missing: Mapping[str, Sequence[Any]] | Sequence[Any], name: str) -> list[str]:
    given = missing.get(name, ()) if isinstance(missing, Mapping) else missing
    return [code for code in given if isinstance(code, str)]


def _column(text: Any, quotes_tell: bool, all_quoted: bool, decimal: str, codes: list[str], suspect: str | None) -> Any:
    if quotes_tell and all_quoted:
        return text
    if not quotes_tell:
        # a file that quotes every field can only write a missing value as quoted nothing
        text = _without(text, [""])
    found = typed(text, decimal)
    if codes and pa.types.is_string(found.type):
        numbers = typed(_without(text, codes), decimal)
        return found if pa.types.is_string(numbers.type) else numbers
    if suspect is not None and pa.types.is_string(found.type):
        words = words_among_numbers(text, decimal)
        if words:
            raise BadInput(
                f"column {suspect!r} holds numbers and {words}: if these mean missing, say missing={words}; if they "
                f"are categories, say kinds={{{suspect!r}: 'nominal'}}; infinite values must be replaced first"
            )
    return found


def _without(text: Any, codes: list[str]) -> Any:
    return pc.if_else(pc.is_in(text, pa.array(codes, pa.string())), pa.scalar(None, pa.string()), text)


def _text_bytes(path: Path, packed: bool, encoding: str | None) -> bytes:
    data = _raw_bytes(path, packed)
    if encoding is not None:
        return _recoded(path, data, encoding)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput(f'{str(path)!r} is UTF-16, not UTF-8, by its first bytes; read it with encoding="utf-16"')
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise BadInput(
            f"{str(path)!r} is not UTF-8: byte {problem.start + 1} (line {line}) does not fit; "
            'name its encoding, for example encoding="cp1252"'
        ) from None
    if b"\0" in data:
        place = data.index(b"\0")
        raise BadInput(f"{str(path)!r} is not text: byte {place + 1} is zero; check its format or its encoding")
    return data


def _raw_bytes(path: Path, packed: bool) -> bytes:
    try:
        return unpacked(path) if packed else path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise damaged(path, CSV) from None
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror or 'refused'}") from None


def _recoded(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise BadInput(
            f"encoding={encoding!r} is not known; common ones are 'utf-8', 'cp1252', 'latin-1', 'utf-16'"
        ) from None
    except UnicodeDecodeError as problem:
        raise BadInput(
            f"{str(path)!r} is not {encoding}: byte {problem.start + 1} does not fit; name its right encoding"
        ) from None
    if "\0" in text:
        raise BadInput(f"{str(path)!r} is not text in {encoding}: it holds zero characters; name its right encoding")
    return text.removeprefix("\ufeff").encode("utf-8")


def _delimiter(path: Path, body: memoryview) -> str:
    if is_tab_separated(path):
        return "\t"
    line = re.match(rb"[^\r\n]*", body)
    assert line is not None
    outside = b"".join(line.group().split(b'"')[::2])
    # the first of the most frequent ones; a comma where there is none
    return max(DELIMITERS, key=lambda mark: outside.count(mark.encode()))


def _check_characters(delimiter: str, decimal: str) -> None:
    check_delimiter(delimiter)
    if decimal not in (".", ","):
        raise BadInput(f"decimal={decimal!r} is neither '.' nor ','")
    if decimal == delimiter:
        raise BadInput(f"decimal and delimiter are both {decimal!r}; they must differ")


def check_delimiter(delimiter: str) -> None:
    """A delimiter is one character that is not used otherwise."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise BadInput(f"delimiter={delimiter!r} is not one plain character such as ',' ';' '\\t' or '|'")


def _names(path: Path, header: bytes, delimiter: str, line: int) -> list[str]:
    text = header.decode("utf-8").rstrip("\r\n")
    # newline="": a line break inside a quoted name belongs to the name
    names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    check_column_names(path, names, f"line {line}")
    return names


def _refuse_open_quote(path: Path, seen: Scan) -> None:
    if seen.open_line:
        raise BadInput(f"{str(path)!r}, line {seen.open_line}: a quotation mark is opened and never closed; repair it")


def _refuse(path: Path, seen: Scan, columns: int) -> None:
    _refuse_open_quote(path, seen)
    if seen.bad_line:
        raise BadInput(
            f"{str(path)!r}, line {seen.bad_line}: {seen.bad_fields} field{'s' * (seen.bad_fields != 1)} "
            f"where the header has {columns}; repair that line or name the delimiter"
        )
    if not seen.rows:
        raise BadInput(f"{str(path)!r} has a header and no records")


def _block_size(longest: int) -> int:
    """How much is parsed at once: the longest row must fit, and Arrow counts up to 2^31 - 1."""
    return min(max(_BLOCK, 2 * longest), _MOST_BLOCK)


def _columns(path: Path, rest: memoryview, delimiter: str, columns: int, seen: Scan) -> list[Any]:
    places = [str(j) for j in range(columns)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(rest)),
            arrow_csv.ReadOptions(column_names=places, block_size=_block_size(seen.longest)),
            arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=seen.newlines_in_quotes,
                # with one column an empty line is a missing value
                ignore_empty_lines=columns > 1,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
    except pa.ArrowInvalid:
        raise damaged(path, CSV) from None
    if table.num_rows != seen.rows:
        raise damaged(path, CSV)
    return list(table.columns)
