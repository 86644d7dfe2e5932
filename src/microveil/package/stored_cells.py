"""Gaps and zeros that a file stores in several ways, which read the same and can mark records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.data.canonical import plain
from microveil.package.audit_files import DataFile


def several_kinds(file: DataFile) -> Iterator[str]:
    """Columns of a file whose gaps are of several kinds, or whose zeros are with and without a sign, in words."""
    for name in _with_kinds_of_gaps(file):
        yield f"the missing values of {name!r} are of several kinds"
    for name in map(str, file.data.columns) if file.format != "csv" else ():  # whose cells are looked at as texts
        column = plain(file.table[name])
        if pa.types.is_floating(column.type):
            values = column.drop_null().to_numpy()
            if len(np.unique(np.signbit(values[values == 0]))) > 1:
                yield f"zeros of {name!r} are stored with and without a sign"


def _with_kinds_of_gaps(file: DataFile) -> Iterator[str]:
    """Stata tells 27 missing values apart, and frames a number that is none from a cell that is not there."""
    if file.format == "stata":
        import pyreadstat

        frame, about = pyreadstat.read_dta(str(file.path), user_missing=True, disable_datetime_conversion=True)
        for name, letters in about.missing_user_values.items():
            if len(letters) > 1 or frame[name].isna().any():
                yield str(name)
    elif file.format in ("parquet", "feather"):
        for name, column in _stored(file):
            if pa.types.is_floating(column.type) and _kinds_of_nothing(column) > 1:
                yield name
    elif file.format == "spss":  # which declares values as missing that stand there all the same
        for name, fact in file.data.schema.items():
            if len(fact.missing) + bool(file.data.narwhal.get_column(name).null_count()) > 1:
                yield str(name)


def _kinds_of_nothing(column: pa.ChunkedArray) -> int:
    """No cell is one, and each pattern of bits that stands for no number is another."""
    nothing = column.filter(pc.fill_null(pc.is_nan(column), False)).to_numpy()
    return int(column.null_count > 0) + len(np.unique(nothing.view(f"u{nothing.dtype.itemsize}")))


def _stored(file: DataFile) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """The columns as they are stored, before numbers that are none become gaps."""
    if file.format == "parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(file.path)
    else:
        import pyarrow.feather

        table = pyarrow.feather.read_table(file.path)
    yield from zip(table.column_names, table.columns, strict=True)
