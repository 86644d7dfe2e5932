"""Audit: what a file tells beside its cells, looked for without the original; and with it, by `FileLeaks`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.attack.file_leaks import FileLeaks
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.data.canonical import plain
from microveil.io.adapting import is_text
from microveil.package.audit_files import DataFile
from microveil.package.audit_packing import look_at_packing, look_for_comments
from microveil.package.audit_workbooks import look_into_workbook
from microveil.package.findings import Finding, judged, note
from microveil.package.known import Known

CHECK = "traces"
_FEWEST = 20  # values that are different, from which on an order is no chance
_FORMULA = r"^[=+\-@\t\r]"
_OF_ALL = ("certain", "precision", "baseline")  # parts that are no check of their own
_ATTRIBUTES = re.compile(rb"\x07\0\0\0[\x11\x12]\0\0\0\x01\0\0\0(....)", re.DOTALL)
_SPSS_ROLE = re.compile(rb"[^/:]+:\$@Role\('[^']*'\n?\)")
_CHARACTERISTICS = re.compile(rb"<characteristics>(?!</characteristics>)")


def audit_traces(file: DataFile, known: Known) -> list[Finding]:
    """Order, running numbers, metadata, labels, hidden sheets, formulas; beside the original also digits and words."""
    leaks = _beside_original(file, known)
    problems = [problem for look in _LOOKS for problem in look(file)]
    problems += [f"beside the original its {name} tell more than its cells ({leaks[name]} %)" for name in leaks]
    sound = f"{file.name}: neither its order nor metadata, labels or hidden parts tell anything beside its cells."
    return [
        *judged(CHECK, [f"{file.name}: {problem}." for problem in problems], sound),
        *_formulas(file),
    ]


def _beside_original(file: DataFile, known: Known) -> dict[str, str]:
    """What the checks of `FileLeaks` find who has the original, in per cent."""
    result = None if known.original is None else FileLeaks()(known.original, file.path)
    if not isinstance(result, Measured):
        return {}
    found = {name: value for name, value in result.parts.items() if name not in _OF_ALL}
    return {name: format_number(value) for name, value in found.items() if value > 0}


def _order(file: DataFile) -> Iterator[str]:
    """A file that is sorted by a column, or counts its rows, says in which order the records stood or belong."""
    for name in file.data.columns:
        column = plain(file.table[name]).drop_null()
        if len(column) < _FEWEST or pa.types.is_boolean(column.type) or len(pc.unique(column)) < _FEWEST:
            continue
        after, before = column[1:], column[:-1]
        up = pc.all(pc.greater_equal(after, before)).as_py()
        if not up and not pc.all(pc.less_equal(after, before)).as_py():
            continue
        counts = pa.types.is_integer(column.type) and bool((np.diff(column.to_numpy(zero_copy_only=False)) == 1).all())
        yield f"the column {name!r} counts the records" if counts else f"the records are sorted by {name!r}"


def _metadata(file: DataFile) -> Iterator[str]:
    """Parquet and Feather files may describe the frame that they came from: its index, its path, its attributes."""
    if file.format not in ("parquet", "feather"):
        return
    schema = _stored(file).schema
    keys = sorted(key.decode(errors="replace") for key in (schema.metadata or {}) if key != b"ARROW:schema")
    if keys:
        yield f"its metadata hold {', '.join(keys)}"
    described = [field.name for field in schema if set(field.metadata or {}) - {b"PARQUET:field_id"}]
    if described:
        yield f"the columns {', '.join(described)} have metadata of their own"


def _categories(file: DataFile) -> Iterator[str]:
    """Lists of categories may name some that no record has any more."""
    if file.format not in ("parquet", "feather"):
        return
    stored = _stored(file)
    for name in stored.column_names:
        column = stored[name]
        if pa.types.is_dictionary(column.type):
            shown = set(plain(column).drop_null().to_pylist())
            listed = {value for chunk in column.chunks for value in chunk.dictionary.to_pylist()}
            if listed - shown:
                yield f"the column {name!r} lists categories that no record has"


def _labels(file: DataFile) -> Iterator[str]:
    """Value labels of SPSS and Stata files may name codes that no record has, and the file may have notes."""
    if file.format not in ("spss", "stata"):
        return
    import pyreadstat

    read = pyreadstat.read_sav if file.format == "spss" else pyreadstat.read_dta
    about = read(str(file.path), metadataonly=True)[1]
    for name, labels in about.variable_value_labels.items():
        shown = set(plain(file.table[name]).to_pylist()) if name in file.table.column_names else set()
        if set(labels) - shown:
            yield f"the column {name!r} has labels of codes that no record has"
    unused = set(about.value_labels) - set(about.variable_to_label.values())
    if unused:
        yield f"it holds lists of labels that no column has: {', '.join(sorted(unused))}"
    raw = file.path.read_bytes()
    described = file.format == "stata" and _CHARACTERISTICS.search(raw) is not None
    if about.notes or about.file_label or described:
        yield "it holds notes or a label of the file"
    if file.format == "spss" and any(_own_attributes(raw)):
        yield "it or a column has attributes of its own"


def _own_attributes(raw: bytes) -> Iterator[bytes]:
    """Attributes in an SPSS file (records 17 and 18 of its dictionary), but for the roles that SPSS itself writes."""
    for found in _ATTRIBUTES.finditer(raw):
        size = int.from_bytes(found[1], "little")
        yield _SPSS_ROLE.sub(b"", raw[found.end() : found.end() + size]).strip(b" /\n")


def _formulas(file: DataFile) -> list[Finding]:
    """Text in CSV files that a spreadsheet may run."""
    if file.format != "csv":
        return []
    found = []
    for name in file.data.columns:
        column = plain(file.table[name])
        if is_text(column.type) and pc.any(pc.match_substring_regex(column, _FORMULA)).as_py():
            found.append(note(CHECK, f"{file.name}: cells of {name!r} may be taken for formulas by a spreadsheet."))
    return found


def _stored(file: DataFile) -> pa.Table:
    """A Parquet or Feather file as it is stored, categories and metadata included."""
    import pyarrow.feather
    import pyarrow.parquet

    if file.format == "parquet":
        return pyarrow.parquet.read_table(file.path)
    return pyarrow.feather.read_table(file.path)


_LOOKS: tuple[Callable[[DataFile], Iterator[str]], ...] = (
    _order,
    _metadata,
    _categories,
    _labels,
    look_into_workbook,
    look_at_packing,
    look_for_comments,
)
