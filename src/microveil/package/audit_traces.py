"""Audit: what a file tells beside its cells, looked for without the original; and with it, by `FileLeaks`."""

from __future__ import annotations

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
from microveil.package.audit_marks import look_at_marks
from microveil.package.audit_metadata import look_into_feather, look_into_parquet
from microveil.package.audit_packing import look_at_packing, look_for_comments
from microveil.package.audit_statistical import look_at_labels, look_into_spss, look_into_stata
from microveil.package.audit_workbooks import look_into_workbook
from microveil.package.findings import Finding, judged, note
from microveil.package.known import Known

CHECK = "traces"
_FEWEST = 20  # values that are different, from which on an order is no chance
_FORMULA = r"^[=+\-@\t\r]"
_LEAKS = {"order": "the order of its records", "sorted": "an order by original values"}
_OF_ALL = ("certain", "precision", "baseline")  # parts that are no check of their own


def audit_traces(file: DataFile, known: Known) -> list[Finding]:
    """Order, running numbers, metadata, labels, hidden sheets, formulas; beside the original also digits and words."""
    leaks = _beside_original(file, known)
    problems = [problem for look in _LOOKS for problem in look(file)]
    problems += [
        f"beside the original it tells more than its cells, by {_LEAKS.get(name, name)} ({leaks[name]} %)"
        for name in leaks
    ]
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


_LOOKS: tuple[Callable[[DataFile], Iterator[str]], ...] = (
    _order,
    look_into_parquet,
    look_into_feather,
    look_at_labels,
    look_into_spss,
    look_into_stata,
    look_into_workbook,
    look_at_packing,
    look_for_comments,
    look_at_marks,
)
