"""Reading CSV: one delimiter, one quote character, one header row; types decided over the whole file."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from microveil.core.errors import BadInput, FileProblem
from microveil.data.codebook import ReadAs
from microveil.io.csv_decimal import MARKS, TextColumn, find_decimal
from microveil.io.csv_delimiter import check_delimiter, find_delimiter, find_stated
from microveil.io.csv_encoding import as_utf8
from microveil.io.csv_scan import Scan, scan
from microveil.io.csv_types import find_type
from microveil.io.formats.format import Format, Missing, tell_damage
from microveil.io.limits import LONGEST_ROW, check_number_of_columns
from microveil.io.names import check_column_names
from microveil.io.odd_cells import odd_among_numbers, odd_cells, words_for_missing
from microveil.io.unpacking import unpack

_BLOCK = 1 << 24
_MOST_BLOCK = (1 << 31) - 1
_FIRST = 1_000
LineOf = Callable[[int], int]


def read_csv(
    path: Path,
    kind: Format,
    packed: bool,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Missing = (),
    categories: Collection[str] = (),
) -> tuple[pa.Table, ReadAs]:
    """A CSV file as an Arrow table, and how it was read.

    Only the empty field is missing ("NA" is text unless `missing` names it). A column whose fields all
    stand in quotes is text, unless the file quotes everything and so says nothing by it, or the delimiter inside the
    fields makes quotes necessary. Numbers mixed with words for "no value" or "infinite", with errors of spreadsheets or
    with a few cells written like numbers (0x1F, 1e400) are refused unless the column is among the `categories`: taken
    for text, it would pass unprotected.
    """
    data, encoding = as_utf8(path, _raw_bytes(path, kind, packed), encoding)
    stated, length = find_stated(data)
    if not data[length:].lstrip(b"\r\n"):
        raise BadInput(f"{str(path)!r} is empty: it has no header and no records")
    leading = length + len(data[length:]) - len(data[length:].lstrip(b"\r\n"))
    first_line = 1 + len(data[:leading].splitlines())
    body = memoryview(data)[leading:]
    separator = delimiter or stated or find_delimiter(path, body)
    check_characters(separator, decimal)
    header = scan(body, separator, 0, line=first_line, most_rows=1)
    refuse_open_quote(path, header)
    check_number_of_columns(path, header.fields)
    names = names_of(path, bytes(body[: header.end]), separator, int(header.next_line) - 1)
    rest = body[header.end :]
    seen = scan(rest, separator, len(names), line=header.next_line)
    refuse_shape(path, seen, len(names))
    fields = parse_rows(path, kind, rest, separator, seen)
    quotes_tell = bool(header.plain.any() or seen.plain.any())
    settled = [
        whole or (quotes_tell and bool(some) and not plain and not quotes_needed(field, separator))
        for field, whole, some, plain in zip(
            fields, seen.all_whole, seen.quoted.tolist(), seen.plain.tolist(), strict=True
        )
    ]

    def line_of(row: int) -> int:
        return int(scan(rest, separator, len(names), line=header.next_line, most_rows=row + 1).next_line) - 1

    mark = find_decimal(
        (
            TextColumn(name, without(text, ["", *words_for_missing(missing, name)]))
            for name, text, known, some in zip(names, fields, settled, seen.quoted.tolist(), strict=True)
            # where commas separate, a decimal comma needs quotes
            if not known and name not in categories and (some or separator != ",")
        ),
        decimal,
        separator,
        repr(str(path)),
        line_of,
    )
    columns = [
        field
        if known
        else _column(field, quotes_tell, mark, words_for_missing(missing, name), name, name in categories, line_of)
        for name, field, known in zip(names, _taken(fields), settled, strict=True)
    ]
    return pa.table(columns, names=names), ReadAs(encoding, separator, mark)


def _taken(fields: list[pa.ChunkedArray]) -> Iterator[pa.ChunkedArray]:
    """One after the other, each let go when the next is asked for: as text a file takes much memory."""
    while fields:
        yield fields.pop(0)


def quotes_needed(text: pa.ChunkedArray, delimiter: str) -> bool:
    """Whether every field holds the delimiter, so that its quotes say nothing about its type."""
    # the first ones of most columns show that not
    return not any(
        pc.any(pc.invert(pc.match_substring(part, delimiter))).as_py() for part in (text.slice(0, _FIRST), text)
    )


class Typed(NamedTuple):
    """A column in its type, and whether words for missing had to be taken out for it."""

    column: pa.ChunkedArray
    without_words: bool


def typed(text: pa.ChunkedArray, quotes_tell: bool, decimal: str, codes: list[str], is_category: bool) -> Typed:
    """A column of text in the narrowest type that all fields fit, words for missing aside."""
    text = emptied(text, quotes_tell)
    found = find_type(text, decimal, grouped=not is_category)
    if codes and pa.types.is_string(found.type):
        numbers = find_type(without(text, codes), decimal, grouped=not is_category)
        if not pa.types.is_string(numbers.type):
            return Typed(numbers, True)
    return Typed(found, False)


def emptied(text: pa.ChunkedArray, quotes_tell: bool) -> pa.ChunkedArray:
    """The fields; a file that quotes every field can only write a missing value as quoted nothing."""
    return text if quotes_tell else without(text, [""])


def _column(
    text: pa.ChunkedArray,
    quotes_tell: bool,
    decimal: str,
    codes: list[str],
    name: str,
    is_category: bool,
    line_of: LineOf,
) -> pa.ChunkedArray:
    found = typed(text, quotes_tell, decimal, codes, is_category).column
    if is_category or not pa.types.is_string(found.type):
        return found
    odd = odd_among_numbers(without(emptied(text, quotes_tell), codes), decimal)
    if odd:
        row = pc.index(pc.is_in(text, pa.array(odd, pa.string())), True).as_py()
        raise odd_cells(name, odd, f"line {line_of(row)}")
    return found


def without(text: pa.ChunkedArray, codes: list[str]) -> pa.ChunkedArray:
    """The fields, missing where one of these stands."""
    return pc.if_else(pc.is_in(text, pa.array(codes, pa.string())), pa.scalar(None, pa.string()), text)


def _raw_bytes(path: Path, kind: Format, packed: bool) -> bytes:
    try:
        return unpack(path) if packed else path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise tell_damage(path, kind) from None
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror or 'refused'}") from None


def check_characters(delimiter: str, decimal: str | None) -> None:
    """Refuse a delimiter or a decimal mark that cannot be one."""
    check_delimiter(delimiter)
    if decimal not in (None, *MARKS):
        raise BadInput(f"decimal={decimal!r} is neither '.' nor ','")
    if decimal == delimiter:
        raise BadInput(f"decimal and delimiter are both {decimal!r}; they must differ")


def names_of(path: Path, header: bytes, delimiter: str, line: int) -> list[str]:
    """The names in the header."""
    text = header.decode("utf-8").rstrip("\r\n")
    # newline="": a line break inside a quoted name belongs to the name
    names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    check_column_names(path, names, f"line {line}")
    return names


def refuse_open_quote(path: Path, seen: Scan) -> None:
    """Refuse a quotation mark that is never closed."""
    if seen.open_line:
        raise BadInput(f"{str(path)!r}, line {seen.open_line}: a quotation mark is opened and never closed; repair it")


def refuse_shape(path: Path, seen: Scan, columns: int) -> None:
    """Refuse rows that are too long, that have other numbers of fields than the header, and no rows."""
    refuse_open_quote(path, seen)
    if seen.longest > LONGEST_ROW:
        raise BadInput(
            f"{str(path)!r}: a row has {seen.longest:,} bytes, and {LONGEST_ROW:,} is the most that is read; "
            "check its line breaks and quotation marks"
        )
    if seen.bad_line:
        raise BadInput(
            f"{str(path)!r}, line {seen.bad_line}: {seen.bad_fields} field{'s' * (seen.bad_fields != 1)} "
            f"where the header has {columns}; repair that line or name the delimiter"
        )
    if not seen.rows:
        raise BadInput(f"{str(path)!r} has a header and no records; leave it out, or name a file of records")


def _block_size(longest: int) -> int:
    """How much is parsed at once: the longest row must fit, and Arrow counts up to 2^31 - 1."""
    return min(max(_BLOCK, 2 * longest), _MOST_BLOCK)


def _as_arrow_takes(rest: memoryview, delimiter: str) -> memoryview | bytes:
    """The rows as Arrow gives them back unchanged.

    It gives an empty last field without a line break the quotes of the field before it, and drops one mark of UTF-8 in
    front, which is part of the first field here.
    """
    whole = rest if rest[-1] != ord(delimiter) else bytes(rest) + b"\n"
    marked = bytes(rest[: len(codecs.BOM_UTF8)]) == codecs.BOM_UTF8
    return codecs.BOM_UTF8 + bytes(whole) if marked else whole


def parse_rows(path: Path, kind: Format, rest: memoryview, delimiter: str, seen: Scan) -> list[pa.ChunkedArray]:
    """The columns: whole numbers where nothing else was seen, and text."""
    kinds = {str(place): pa.int64() if whole else pa.string() for place, whole in enumerate(seen.all_whole)}
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(_as_arrow_takes(rest, delimiter))),
            arrow_csv.ReadOptions(column_names=list(kinds), block_size=_block_size(seen.longest)),
            arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=seen.newlines_in_quotes,
                # with one column an empty line is a missing value
                ignore_empty_lines=len(kinds) > 1,
            ),
            arrow_csv.ConvertOptions(
                column_types=kinds,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
                check_utf8=False,  # that was done for the whole file
            ),
        )
    except pa.ArrowInvalid:
        raise tell_damage(path, kind) from None
    if table.num_rows != seen.rows:
        raise tell_damage(path, kind)
    return list(table.columns)
