"""Audit: marks on single records that change no value: quotes, blanks, forms of numbers, signs that are not shown."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from unicodedata import normalize

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from microveil.data.canonical import plain
from microveil.data.microdata import Microdata
from microveil.io.adapting import is_text
from microveil.io.csv_delimiter import find_delimiter
from microveil.io.unpacking import unpack
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, undecided
from microveil.package.known import Known
from microveil.package.last_digits import has_last_digits
from microveil.package.number_forms import odd_forms
from microveil.package.stored_cells import several_kinds

CHECK = "traces"
_UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_AROUND = re.compile(rf"^\s+|\s+$|[{_UNSEEN}]")
# cells that no program need quote; words for gaps are left bare beside quoted texts
_PLAIN = r'^"?[\p{L}\p{N}]([\p{L}\p{N}_. -]*[\p{L}\p{N}])?"?$'
_GAP = r"(?i)^(na|n/a|nan|null|none)$"
_NUMBER = r'^"?\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*"?$'
_BLANKS = r'^"?\s|\s"?$'


def look_at_marks(file: DataFile) -> Iterator[str]:
    """Quotes, blanks, forms of numbers and ends of lines that a CSV file has in some records and not in others."""
    if file.format != "csv":
        return
    raw = unpack(file.path) if file.path.suffix == ".gz" else file.path.read_bytes()
    returned = raw.count(b"\r\n")
    if 0 < returned < raw.count(b"\n") and raw.count(b"\n") <= file.data.n + 1:  # else texts hold line breaks
        yield "its lines end in different ways"
    cells = _cells(raw, file)
    for name, column in zip(file.data.columns, [] if cells is None else cells.columns, strict=False):
        usual = pc.and_(pc.match_substring_regex(column, _PLAIN), pc.invert(pc.match_substring_regex(column, _GAP)))
        if _some(pc.starts_with(column.filter(usual), '"')):
            yield f"cells of {name!r} stand in quotes in some records and not in others"
        if not file.data.narwhal.get_column(name).dtype.is_numeric():
            continue  # blanks of codes are those of the source
        numbers = column.filter(pc.match_substring_regex(column, _NUMBER))
        if _some(pc.match_substring_regex(numbers, _BLANKS)) and len(pc.unique(pc.utf8_length(numbers))) > 1:
            yield f"numbers of {name!r} have blanks around them in some records and not in others"
        yield from (f"numbers of {name!r} {form}" for form in odd_forms(pc.utf8_trim(numbers, characters='" \t')))


def tell_variants(file: DataFile, known: Known) -> list[Finding]:
    """Texts that differ by signs that are not shown, and numbers by their last digits, unless the original has them so.

    Sources have such texts too: this is asked where neither a log nor a trusted signature answers for the file.
    """
    found = [undecided(CHECK, f"{file.name}: {told}, which may mark records.") for told in several_kinds(file)]
    for name in map(str, file.data.columns):
        if has_last_digits(file.data, name) and not (known.original and has_last_digits(known.original, name)):
            told = f"numbers of {name!r} differ from others by their last digits alone, which may mark records"
            found.append(undecided(CHECK, f"{file.name}: {told}."))
        usual = _variants(known.original, name) if known.original is not None else set()
        if _variants(file.data, name) - usual:
            told = f"texts of {name!r} differ by blanks or signs that are not shown alone, which may mark records"
            found.append(undecided(CHECK, f"{file.name}: {told}."))
    return found


def _variants(data: Microdata, name: str) -> set[str]:
    """Texts that others in the column look like."""
    if name not in data.columns:
        return set()
    column = plain(data.narwhal.get_column(name).to_arrow())
    if not is_text(column.type):
        return set()
    texts = [text for text in pc.unique(column).to_pylist() if text is not None]
    shown = Counter(map(_as_seen, texts))
    return {text for text in texts if shown[_as_seen(text)] > 1}


def _as_seen(text: str) -> str:
    """A text as people see it: blanks of any kind and number are one, and so are signs that are put together of two."""
    return " ".join(_AROUND.sub("", normalize("NFKC", text)).split())


def _cells(raw: bytes, file: DataFile) -> pa.Table | None:
    """The cells with the quotes around them; None where that is no table."""
    delimiter = find_delimiter(file.path, raw)
    found = _split(raw, delimiter, len(file.data.columns))
    if found is not None and found.num_rows == file.data.n:
        return found
    hidden = bytes.maketrans(f"{delimiter}\r\n".encode(), b"\x1f\x1f\x1f")  # where texts hold what separates cells
    parts = raw.split(b'"')
    parts[1::2] = [part.translate(hidden) for part in parts[1::2]]
    return _split(b'"'.join(parts), delimiter, len(file.data.columns))


def _split(raw: bytes, delimiter: str, columns: int) -> pa.Table | None:
    names = [f"f{place}" for place in range(columns)]
    types = dict.fromkeys(names, pa.string())
    try:
        return csv.read_csv(
            io.BytesIO(raw),
            read_options=csv.ReadOptions(column_names=names, skip_rows=1),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, invalid_row_handler=lambda _: "skip"),
            convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None  # no UTF-8, of which others tell, or nothing but a head


def _some(found: pa.ChunkedArray) -> bool:
    """Whether it holds of some and not of all."""
    return bool(pc.any(found).as_py()) and not pc.all(found).as_py()
