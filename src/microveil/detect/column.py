"""What is asked of a column before its role is proposed: how many values, of which type, and some of them as text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.arrays import Floats, Ints
from microveil.core.open_types import Cell
from microveil.data import frames
from microveil.data.canonical import arrow_of
from microveil.data.schema import looks_like_code
from microveil.detect.words import words_of

SAMPLED = 2_000
_GOLDEN = (5**0.5 - 1) / 2


class Drawn(NamedTuple):
    """Values drawn from a column with very many of them: from how many, and in how many independent pieces."""

    different: int
    pieces: int


@dataclass(frozen=True)
class Look:
    """One column: its name as words, its counts, and its different values."""

    name: str
    records: int
    missing: int
    values: pa.Array = field(repr=False)  # the different observed values, an Arrow array in the order of the file
    form: str  # "text", "whole", "decimal", "moment" or "other"
    of_most: float | None = None  # the whole number that more than half of the observed records have
    drawn: Drawn | None = None  # None: `values` are all different values

    @property
    def observed(self) -> int:
        """How many records have a value."""
        return self.records - self.missing

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.values) if self.drawn is None else self.drawn.different

    @property
    def pieces(self) -> int:
        """How many values lie where they lie independently of each other."""
        return len(self.values) if self.drawn is None else self.drawn.pieces

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name."""
        return words_of(self.name)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.form in ("whole", "decimal")

    @property
    def is_code(self) -> bool:
        """Whether there are so few values, each so often, that they are categories."""
        return looks_like_code(self.distinct, self.records)

    @cached_property
    def sample(self) -> pa.Array:
        """Some of the different values, spread evenly over the file: always the same ones."""
        return self.values.take(pa.array(_spread(len(self.values))))

    @cached_property
    def texts(self) -> list[str]:
        """The sampled values as texts without blanks around them."""
        if pa.types.is_floating(self.values.type):
            numbers = np.asarray(self.sample.to_numpy(zero_copy_only=False), dtype=np.float64)
            return [f"{number:.0f}" if number.is_integer() else repr(number) for number in numbers.tolist()]
        return [str(value).strip() for value in self.sample.to_pylist()]

    @cached_property
    def lengths(self) -> Ints:
        """How many signs the sampled texts have."""
        return np.array(list(map(len, self.texts)), dtype=np.int64)

    @cached_property
    def numbers(self) -> Floats:
        """The different values as numbers, in rising order; empty for text."""
        if not self.is_number:
            return np.empty(0)
        wide = pc.cast(self.values, pa.float64(), safe=False)
        return np.sort(np.asarray(wide.to_numpy(zero_copy_only=False), dtype=np.float64))

    def holding(self, part: str) -> list[str]:
        """All different texts that hold this part, not only sampled ones; at most as many as a sample has."""
        if self.form != "text":
            return []
        found = self.values.filter(pc.match_substring(self.values, part))
        return [str(value).strip() for value in found.slice(0, SAMPLED).to_pylist()]


def look_at(series: frames.Series, missing_codes: tuple[Cell, ...] = ()) -> Look:
    """Look at one column of a frame; codes for a missing value count as missing."""
    array = arrow_of(series)
    values, missing = observed_values(array, missing_codes)
    look = look_of(series.name, len(array), missing, values)
    return replace(look, of_most=_of_most(array, values, _usable(missing_codes, array.type), look.form))


def look_of(name: str, records: int, missing: int, values: Any, drawn: Drawn | None = None) -> Look:
    """Look at one column by its different observed values."""
    return Look(name, records, missing, values, _form(values), drawn=drawn)


def observed_values(array: Any, missing_codes: tuple[Cell, ...]) -> tuple[Any, int]:
    """Return the different observed values in the order of the file, and the number of missing ones."""
    values = different_values(array)
    kind = values.type
    kept = np.array(values.is_valid().to_numpy(zero_copy_only=False))
    if pa.types.is_floating(kind):
        kept &= ~np.isnan(values.to_numpy(zero_copy_only=False))  # a missing one too
    gone = _usable(missing_codes, kind)
    if len(gone):
        kept &= ~pc.is_in(values, gone).to_numpy(zero_copy_only=False)
    return values if kept.all() else values.filter(pa.array(kept)), _count_missing(array, gone)


def _of_most(array: Any, values: Any, gone: Any, form: str) -> float | None:
    """A value that more than half have is in the middle of all: one look at that is enough."""
    if form != "whole" or not 0 < 2 * len(values) < len(array):
        return None
    seen = array.drop_null() if not len(gone) else array.filter(pc.is_in(array, values))
    numbers = pc.cast(seen, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    numbers = numbers[~np.isnan(numbers)] if pa.types.is_floating(array.type) else numbers
    middle = np.partition(numbers, len(numbers) // 2)[len(numbers) // 2]
    return float(middle) if 2 * int((numbers == middle).sum()) > len(numbers) else None


def different_values(array: Any) -> Any:
    """Return the different values in the order of the file."""
    if pa.types.is_integer(array.type) and not array.null_count:
        numbers = array.to_numpy()
        if bool((numbers[1:] >= numbers[:-1]).all()):
            # equal numbers stand side by side, as those of records and households often do
            return array.filter(pa.array(np.r_[True, numbers[1:] != numbers[:-1]][: len(array)]))
    return _with_one_zero(pc.unique(array))


def _with_one_zero(values: Any) -> Any:
    """Zero has one sign: which one a record has parts it from nobody."""
    if not pa.types.is_floating(values.type):
        return values
    zeros = np.flatnonzero(values.to_numpy(zero_copy_only=False) == 0)
    return values if len(zeros) < 2 else pa.concat_arrays([values[: zeros[1]], values[zeros[1] + 1 :]])


def _count_missing(array: Any, gone: Any) -> int:
    missing = array.null_count
    if pa.types.is_floating(array.type):
        missing += pc.sum(pc.is_nan(array)).as_py() or 0
    if len(gone):
        missing += pc.sum(pc.is_in(array, gone)).as_py() or 0
    return int(missing)


def _usable(codes: tuple[Cell, ...], kind: Any) -> Any:
    """The codes for a missing value that a column of this type can hold."""
    found = []
    for code in codes:
        try:
            found.append(pa.scalar(code).cast(kind).as_py())
        except (pa.ArrowException, TypeError, ValueError):
            continue  # a code of another type cannot occur in this column
    return pa.array(found, kind)


def _form(values: Any) -> str:
    kind = values.type
    if pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_integer(kind):
        return "whole"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "moment"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        wide = np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
        # whole numbers with gaps come as floating ones
        return "whole" if bool((wide == np.floor(wide)).all()) else "decimal"
    return "other"


def _spread(length: int) -> Ints:
    """Places evenly over a list, without a period that the list could share."""
    if length <= SAMPLED:
        return np.arange(length)
    places = (np.arange(SAMPLED) * _GOLDEN) % 1.0 * length
    return np.unique(places.astype(np.int64))
