"""A file beside the one that its plan gives, where nothing is drawn: the same records, whatever wrote and read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw
import numpy as np

from microveil.core.arrays import Ints
from microveil.core.open_types import Cell
from microveil.data.frames import Series
from microveil.data.microdata import Microdata
from microveil.kernels.tables.classes import group_rows

_ALIKE = 1e-9  # of a number, by which programs write it otherwise
_GAPS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})
_TEXTS = (nw.String, nw.Categorical, nw.Enum)


def count_strangers(planned: Microdata, data: Microdata, codes: Mapping[str, Sequence[Cell]]) -> int:
    """How many records of a file the plan does not give, or not so often, by the columns named.

    Beside each column stand its codes of missing values, which are gaps in files. Dates and truth values, of which
    every format has its own idea, are not compared.
    """
    pairs = {name: [one.narwhal.get_column(name) for one in (planned, data)] for name in codes}
    columns = [_common_codes(pair, codes[name]) for name, pair in pairs.items() if all(map(_is_compared, pair))]
    if not columns:
        return 0
    labels = group_rows(np.column_stack(columns))[0]
    many = int(labels.max(initial=0)) + 1
    given, shown = (np.bincount(part, minlength=many) for part in (labels[: planned.n], labels[planned.n :]))
    return int(np.maximum(shown - given, 0).sum())


def _is_compared(column: Series) -> bool:
    return column.dtype.is_numeric() or isinstance(column.dtype, _TEXTS)


def _common_codes(columns: Sequence[Series], missing: Sequence[Cell]) -> Ints:
    """The cells of two columns as numbers that mean the same in both: 12 and "012" are one value, as in a CSV file."""
    parts = [column.to_list() for column in columns]
    gaps = {_value(code) for code in missing}
    values = {cell: None if _value(cell) in gaps else _value(cell) for part in parts for cell in set(part)}
    amounts = sorted({value for value in values.values() if isinstance(value, float)})
    steps = np.diff(amounts, prepend=amounts[:1]) > _ALIKE * np.abs(amounts)
    codes: dict[float | str | None, int] = dict(zip(amounts, np.cumsum(steps).tolist(), strict=True))
    for value in values.values():
        codes.setdefault(value, len(amounts) + len(codes))
    return np.array([codes[values[cell]] for part in parts for cell in part], dtype=np.int64)


def _value(cell: Cell | None) -> float | str | None:
    """A number, a text without blanks around it, or None for a gap however it is written."""
    text = "" if cell is None else str(cell).strip()
    if text.lower() in _GAPS:
        return None
    try:
        return float(text)
    except ValueError:
        return text
