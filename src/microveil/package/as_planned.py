"""Files beside those that a plan gives: which of their records are the same, whatever wrote and read them."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from itertools import count, pairwise
from math import isfinite

import narwhals as nw
import numpy as np

from microveil.core.arrays import Ints
from microveil.core.open_types import Cell
from microveil.data.frames import Series
from microveil.data.microdata import Microdata
from microveil.kernels.tables.classes import group_rows

_ALIKE = 1e-9  # of a number with many decimals, by which programs write it otherwise
_MOST_ALIKE = 0.01  # however large it is
_DIGITS = 15  # that programs write without loss
_LAST_DIGIT = 1e-15  # of a number that has no more of them
_OF_ONE = 0.01  # of a whole number at most, so that the next one is another
_MOMENT = 0.002  # seconds, by which programs write an instant otherwise
_GAPS = frozenset({"", "na", "n/a", "nan", "nat", "null", "none", "<na>"})
_TEXTS = (nw.String, nw.Categorical, nw.Enum)
_DAYS = (nw.Date, nw.Datetime)
_TRUTHS = {"true": 1.0, "false": 0.0}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?")
Value = float | datetime | str | None


def labels_of(files: Sequence[Microdata], codes: Mapping[str, Sequence[Cell]]) -> list[Ints]:
    """A number for each record of each file, the same where all columns named hold the same values.

    The first file may be written by any program; the others are ours, and say how exact a value is. Beside each column
    stand its codes of missing values, which are gaps in files. Dates are the same with and without a time at midnight,
    and truth values are 1 and 0, since not every format knows them.
    """
    columns = [_common_codes([one.narwhal.get_column(name) for one in files], codes[name]) for name in codes]
    labels = group_rows(np.column_stack(columns))[0]
    return np.split(labels, np.cumsum([one.n for one in files])[:-1])


def count_strangers(given: Ints, shown: Ints) -> int:
    """How many of the records shown are not given, or not so often, by their labels."""
    many = int(max(given.max(initial=0), shown.max(initial=0))) + 1
    return int(np.maximum(np.bincount(shown, minlength=many) - np.bincount(given, minlength=many), 0).sum())


def unlike_forms(planned: Microdata, data: Microdata, names: Sequence[str]) -> Iterator[str]:
    """Columns whose cells nobody can lay beside each other: dates as numbers or in other words, and rare types."""
    for name in names:
        ours, theirs = (one.narwhal.get_column(name) for one in (planned, data))
        if not (_is_known(ours) and _is_known(theirs)) or (_is_day(ours) and not _tells_days(theirs)):
            yield name


def _is_known(column: Series) -> bool:
    is_plain = column.dtype.is_numeric() or isinstance(column.dtype, (*_TEXTS, *_DAYS, nw.Boolean))
    return is_plain or column.null_count() == len(column)


def _is_day(column: Series) -> bool:
    return isinstance(column.dtype, _DAYS)


def _tells_days(column: Series) -> bool:
    """Whether the cells of a column are dates, also where it holds them as text."""
    if _is_day(column):
        return True
    values = [_value(cell, False) for cell in set(column.to_list())]
    return all(value is None or isinstance(value, datetime) for value in values)


def _common_codes(columns: Sequence[Series], missing: Sequence[Cell]) -> Ints:
    """The cells of columns as numbers that mean the same in all: 12 and "012" are one value, as in a CSV file."""
    parts = [column.to_list() for column in columns]
    truths = any(isinstance(column.dtype, nw.Boolean) for column in columns)
    gaps = {_value(code, truths) for code in missing}
    # a word for gaps that our own files hold as text is a category, such as no schooling
    words = _GAPS - {str(cell).strip().lower() for part in parts[1:] for cell in set(part) if isinstance(cell, str)}
    values = {cell: _value(cell, truths, words) for part in parts for cell in set(part)}
    values = {cell: None if value in gaps else value for cell, value in values.items()}
    ours = {values[cell] for part in parts[1:] for cell in set(part)}
    codes = _codes_of_amounts({value for value in values.values() if isinstance(value, float)}, ours)
    instants = sorted({value for value in values.values() if isinstance(value, datetime)})
    apart = [(later - sooner).total_seconds() > _MOMENT for sooner, later in pairwise(instants)]
    places = len(codes) + np.cumsum([False, *apart])[: len(instants)]
    codes.update(zip(instants, places.tolist(), strict=True))
    counted = len(codes)
    for value in values.values():
        codes.setdefault(value, counted + len(codes))
    return np.array([codes[values[cell]] for part in parts for cell in part], dtype=np.int64)


def _codes_of_amounts(amounts: set[float], ours: set[Value]) -> dict[Value, int]:
    """Each amount with the number of the nearest of ours, or with one of its own if it is not the same."""
    firsts: list[float] = []
    for amount in sorted(amounts & ours):
        if not firsts or not _are_alike(firsts[-1], amount):  # from the first of those alike: no chain of them
            firsts.append(amount)
    codes: dict[Value, int] = {}
    others = count(len(firsts))
    for amount in sorted(amounts):
        right = bisect(firsts, amount)
        around = range(max(right - 1, 0), min(right + 1, len(firsts)))
        same = [place for place in around if _are_alike(firsts[place], amount)]
        nearest = min(same, key=lambda place: abs(firsts[place] - amount), default=None)
        codes[amount] = next(others) if nearest is None else nearest
    return codes


def _are_alike(ours: float, other: float) -> bool:
    return other == ours or abs(other - ours) <= _room(ours)


def _room(amount: float) -> float:
    """By how much programs write an amount otherwise; whole numbers and those of few digits are the same everywhere."""
    if not isfinite(amount):
        return 0.0
    last_digit = _LAST_DIGIT * abs(amount)
    if amount.is_integer():
        return min(last_digit, _OF_ONE)
    if float(f"{amount:.{_DIGITS}g}") == amount:
        return last_digit
    return min(_ALIKE * abs(amount), _MOST_ALIKE)


def _value(cell: Cell | None, truths: bool, gaps: frozenset[str] = _GAPS) -> Value:
    """A number, an instant, a text without blanks around it, or None for a gap however it is written."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    if isinstance(cell, date):
        return _instant(cell if isinstance(cell, datetime) else datetime.combine(cell, time()))
    text = str(cell).strip()
    if text.lower() in gaps or not text:
        return None
    if truths and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    try:
        found = _instant(datetime.fromisoformat(text)) if _INSTANT.fullmatch(text) else float(text)
    except ValueError:
        return text
    return text if found != found else found  # a category that is called so


def _instant(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
