"""The user's frame: columns out of it as arrays, arrays back into it in the user's own types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame

from microveil.core.arrays import Bools, Floats, Ints, SmallInts
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.ranges import amount_text
from microveil.data.arrow import arrow_column
from microveil.data.doubles import nearest_doubles
from microveil.data.no_amounts import tell_no_amounts
from microveil.data.table import Values

AnyFrame: TypeAlias = IntoDataFrame  # of the library that the user came with: pandas, polars, pyarrow and others
Frame = nw.DataFrame[Any]
Series = nw.Series[Any]

EXACT_WHOLE = 2**53  # up to this size a double holds every whole number
_HUGE = 1e75  # sums of fourth powers of what is smaller are finite
_MOST_DIGITS = 38  # of a decimal number


def open_frame(frame: AnyFrame) -> Frame:
    """A pandas, polars or pyarrow frame behind one interface, checked to be usable."""
    _refuse_duplicate_names(frame)
    try:
        opened: Frame = nw.from_native(frame, eager_only=True)
    except TypeError:
        kind = f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}"
        raise BadInput(
            f"a {kind} was given; give a pandas or polars DataFrame, a pyarrow Table or a Microdata "
            "(collect lazy frames first)"
        ) from None
    if opened.shape[1] == 0:
        raise BadInput("the data have no columns")
    if opened.shape[0] == 0:
        raise BadInput("the data have no records")
    return opened


def _refuse_duplicate_names(frame: AnyFrame) -> None:
    if hasattr(frame, "collect"):
        return  # lazy: refused below, and asking for its names may be expensive
    names = getattr(frame, "column_names", None)
    if names is None:
        names = getattr(frame, "columns", [])
    seen: set[object] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"the column name {name!r} occurs more than once; rename one of them")
        seen.add(name)


def is_numeric(series: Series) -> bool:
    """Whether the column holds numbers (not true/false)."""
    return series.dtype.is_numeric()


def has_order(series: Series) -> bool:
    """Whether the values of a column have an order of their own."""
    return is_numeric(series) or is_ordered_categorical(series) or series.dtype.is_temporal()


def is_ordered_categorical(series: Series) -> bool:
    """Whether the column's own type gives its levels an order."""
    return isinstance(series.dtype, nw.Enum)


def raw_numbers(series: Series) -> Floats:
    """A numeric column as float64, NaN where empty."""
    if series.implementation.is_pyarrow() and series.dtype.is_integer():
        import pyarrow.compute as pc

        # long identifiers do not fit a double exactly, which arrow refuses unless told otherwise
        rounded = pc.cast(series.to_native(), "double", safe=False)
        return np.array(rounded.to_numpy(), dtype=np.float64)
    if series.implementation.is_pyarrow() and series.dtype.is_decimal():
        return np.array(nearest_doubles(series.to_native()).to_numpy(), dtype=np.float64)
    return np.array(series.cast(nw.Float64()).to_numpy(), dtype=np.float64)


def has_long_numbers(series: Series, missing_codes: tuple[Cell, ...]) -> bool:
    """Whether a whole-number column holds values that a double cannot tell apart, codes for missing aside."""
    if not series.dtype.is_integer() or series.null_count() == len(series):
        return False
    if series.min() >= -EXACT_WHOLE and series.max() <= EXACT_WHOLE:
        return False
    codes = {code for code in missing_codes if isinstance(code, int)}
    values = set(series.drop_nulls().unique().to_list()) - codes
    return any(abs(value) > EXACT_WHOLE for value in values)


def numbers_to_read(series: Series, name: str, missing_codes: tuple[Cell, ...]) -> Floats:
    """A read-only view of the column as numbers, without copying where the frame's memory allows it."""
    if series.dtype == nw.Float64() and not missing_codes:
        numbers = np.asarray(series.to_numpy(), dtype=np.float64)
        if np.isfinite(numbers.sum()) or not np.isinf(numbers).any():
            return numbers
    return continuous_values(series, name, missing_codes).numbers


def continuous_values(series: Series, name: str, missing_codes: tuple[Cell, ...]) -> Values:
    """The column as numbers; text or infinities in it are an error."""
    if series.dtype == nw.Boolean() or not is_numeric(series):
        raise BadInput(tell_no_amounts(name, str(series.dtype), series.to_list()))
    numbers = raw_numbers(series)
    if _are_small(numbers) and not missing_codes:
        return Values("continuous", numbers)
    if has_long_numbers(series, missing_codes):
        raise BadInput(
            f"column {name!r} holds whole numbers beyond 2^53, which cannot be computed with exactly; declare it "
            "nominal if these are numbers of records or persons, or convert it to floating numbers or a larger unit"
        )
    if np.isinf(numbers).any():
        count = int(np.isinf(numbers).sum())
        raise BadInput(f"column {name!r} has {count} infinite value{'s' * (count > 1)}; replace or remove them first")
    for code in missing_codes:
        numbers[numbers == code] = np.nan
    _refuse_huge(numbers, name)
    return Values("continuous", numbers)


def _are_small(numbers: Floats) -> bool:
    """Whether all are below 2^53 in size, which settles most columns: neither huge nor inexact, and none missing."""
    return len(numbers) > 0 and bool(numbers.min() > -EXACT_WHOLE and numbers.max() < EXACT_WHOLE)


def _refuse_huge(numbers: Floats, name: str) -> None:
    least, most = np.fmin.reduce(numbers, initial=0.0), np.fmax.reduce(numbers, initial=0.0)
    largest = float(most if most >= -least else least)
    if abs(largest) > _HUGE:
        raise BadInput(
            f"column {name!r} holds {largest:g}, and numbers beyond {_HUGE:g} cannot be computed with; state it as a "
            "code for a missing value if it is one, convert the column to a larger unit or declare it nominal"
        )


_TAKEN = 1 << 22  # rows of text taken at once: their characters stay below what a chunk of Arrow holds


@dataclass(frozen=True)
class Encoded:
    """A categorical column as codes, with one row in which each level occurs."""

    codes: Ints
    levels: tuple[Cell, ...]
    first_row: Ints


def encode(series: Series, declared: tuple[Cell, ...] | None, missing_codes: tuple[Cell, ...], name: str) -> Encoded:
    """The codes of a categorical column; levels in declared order, else the type's own, else sorted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = arrow_column(series)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    plain = declared is None and not is_ordered_categorical(series) and not array.dictionary.null_count
    if plain and pa.types.is_integer(array.type.value_type):
        return _encode_whole(array, missing_codes)
    # zero has one sign: which one a record has must neither part it from others nor show
    levels = [0.0 if isinstance(level, float) and level == 0 else level for level in array.dictionary.to_pylist()]
    codes = np.asarray(pc.fill_null(array.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False), dtype=np.int64)
    present = np.flatnonzero(np.bincount(codes + 1, minlength=len(levels) + 1)[1:])
    absent = {None, *missing_codes}
    wanted = list(dict.fromkeys(levels[i] for i in present if levels[i] not in absent and levels[i] == levels[i]))
    if declared is not None:
        unknown = [level for level in wanted if level not in declared]
        if unknown:
            raise BadInput(f"column {name!r} holds {unknown[:5]!r}, not among its declared levels {list(declared)}")
        ordered = [level for level in declared if level in set(wanted)]
    elif is_ordered_categorical(series):
        ordered = wanted  # the dictionary stands in the type's order
    else:
        kinds = {type(level) for level in wanted}
        ordered = sorted(wanted) if len(kinds) < 2 else sorted(wanted, key=lambda level: (str(type(level)), level))
    position = {level: i for i, level in enumerate(ordered)}
    new_code = np.array([position.get(level, -1) if level == level else -1 for level in levels] + [-1], dtype=np.int64)
    codes = new_code[codes]
    return Encoded(codes, tuple(ordered), _first_rows(codes, len(ordered)))


def _encode_whole(array: Any, missing_codes: tuple[Cell, ...]) -> Encoded:
    """Whole numbers in rising order, sorted as an array: numbers of households and records are many."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = array.dictionary.to_numpy()
    indices = pc.fill_null(array.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    wanted = np.bincount(indices + 1, minlength=len(numbers) + 1)[1:] > 0
    for code in missing_codes:
        wanted &= np.asarray(numbers != code)
    chosen = np.flatnonzero(wanted)
    chosen = chosen[np.argsort(numbers[chosen], kind="stable")]
    new_code = np.full(len(numbers) + 1, -1, dtype=np.int64)
    new_code[chosen] = np.arange(len(chosen))
    codes = new_code[indices]
    return Encoded(codes, tuple(numbers[chosen].tolist()), _first_rows(codes, len(chosen)))


def _first_rows(codes: Ints, levels: int) -> Ints:
    """The first row in which each level occurs."""
    rows = np.flatnonzero(codes >= 0)[::-1]
    first_row = np.zeros(levels, dtype=np.int64)
    first_row[codes[rows]] = rows
    return first_row


def codes_of(series: Series, missing_codes: tuple[Cell, ...]) -> SmallInts:
    """Numbers that tell the values of a column apart, -1 where missing: codes without levels, in no order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = arrow_column(series)
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()  # of codes, which is less than of values
    codes = np.array(pc.fill_null(array.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False), dtype=np.int32)
    levels = array.dictionary
    empty = np.zeros(len(levels) + 1, dtype=np.bool_)
    if pa.types.is_floating(levels.type):
        numbers = levels.to_numpy(zero_copy_only=False)
        empty[:-1] = np.isnan(numbers)
        zeros = np.flatnonzero(numbers == 0)
        if len(zeros) > 1:
            codes[codes == zeros[1]] = zeros[0]  # zero has one sign
    if missing_codes:
        absent = set(missing_codes)
        empty[:-1] |= np.array([level in absent for level in levels.to_pylist()], dtype=np.bool_)
    if empty.any():
        codes[empty[codes]] = -1
    return codes


@dataclass(frozen=True)
class Restored:
    """A released column in the user's type, with what it cost to get there."""

    series: Series
    half_unit: float = 0.0
    note: str = ""


def restore_numbers(original: Series, numbers: Floats, integers: str, name: str) -> Restored:
    """Numbers in the type of the original column; whole-number columns are rounded unless kept exact.

    `original` is aligned with `numbers`; where a number is NaN the original cell stands if it was
    missing too (an empty cell or a missing code).
    """
    empty = np.isnan(numbers)
    if original.dtype.is_integer() and integers == "round":
        rounded = np.rint(numbers) + 0.0
        whole, note = _type_that_holds(rounded[~empty] if empty.any() else rounded, original.dtype, name)
        return Restored(_series_like(original, rounded, empty, whole), 0.5, note)
    numbers = numbers + 0.0  # no minus zero: it would tell a computed cell from an original one
    dtype: Any = nw.Float64() if original.dtype.is_integer() else original.dtype
    note = ""
    if dtype.is_decimal() and not _fits_decimals(numbers[~empty], dtype):
        # of as many digits behind the point, so that cells are rounded as if they had fit
        wide = nw.Decimal(_MOST_DIGITS, dtype.scale)
        note = wider_decimals(name, dtype)
        dtype = wide if _fits_decimals(numbers[~empty], wide) else nw.Float64()
    series = _series_like(original, numbers, empty, dtype)
    half_unit = 0.0
    if dtype == nw.Float32() and (~empty).any():
        half_unit = float(np.finfo(np.float32).eps * np.abs(numbers[~empty]).max())
    return Restored(series, half_unit, note)


def _fits_decimals(numbers: Floats, dtype: Any) -> bool:
    """Whether a type of decimal numbers has enough digits before the point."""
    return bool((np.abs(numbers) < 10.0 ** (dtype.precision - dtype.scale) - 10.0**-dtype.scale).all())


def wider_decimals(name: str, dtype: Any) -> str:
    """The note on decimal numbers that outgrew their type."""
    return f"values of {name!r} no longer fit {dtype} and come back in a wider type"


def _type_that_holds(whole: Floats, dtype: Any, name: str) -> tuple[Any, str]:
    """The type itself if it holds these whole numbers, else a wider one, with a note that says so."""
    low, high = (float(whole.min()), float(whole.max())) if len(whole) else (0.0, 0.0)
    least, beyond = _integer_bounds(dtype)
    if max(-low, high) > EXACT_WHOLE:
        return nw.Float64(), f"values of {name!r} lie beyond 2^53 now and come back as Float64"
    if least <= low and high < beyond:
        return dtype, ""
    return nw.Int64(), f"values of {name!r} no longer fit {dtype} and come back as Int64"


def _integer_bounds(dtype: Any) -> tuple[float, float]:
    """The smallest value of a whole-number type, and the first one beyond its largest."""
    bits = int("".join(filter(str.isdigit, str(dtype))) or 64)
    if str(dtype).startswith("U"):
        return 0.0, 2.0**bits
    return -(2.0 ** (bits - 1)), 2.0 ** (bits - 1)


def _series_like(original: Series, numbers: Floats, empty: Bools, dtype: Any) -> Series:
    name, backend = original.name, original.implementation
    # without its values, which the other type may not hold
    template = original if dtype == original.dtype else original.head(0).cast(dtype)
    some_empty = bool(empty.any())
    if some_empty and original.implementation.is_pandas_like():
        # pandas' plain integers cannot be empty: the column becomes floating, as everywhere in pandas
        return as_native_type(nw.new_series(name, numbers, backend=backend), template)
    if dtype.is_integer():
        wide = np.uint64 if str(dtype) == "UInt64" else np.int64
        whole = np.where(empty, 0, numbers) if some_empty else numbers
        series = nw.new_series(name, whole.astype(wide), backend=backend)
    else:
        # a decimal number cannot be NaN
        held = np.where(empty, 0.0, numbers) if some_empty and dtype.is_decimal() else numbers
        series = nw.new_series(name, held, backend=backend)
    series = series if series.dtype == dtype else series.cast(dtype)
    if some_empty:
        observed = nw.new_series("mask", ~empty, dtype=nw.Boolean(), backend=backend)
        series = series.zip_with(observed, _nothing(series))
    return as_native_type(series, template)


def refuse_sparse(series: Series, name: str) -> None:
    """Sparse columns of pandas would pass for categories, whatever they hold."""
    if series.implementation.is_pandas_like() and str(series.to_native().dtype).startswith("Sparse"):
        raise BadInput(f"column {name!r} is sparse; make it dense first (.sparse.to_dense() in pandas)")


def as_native_type(series: Series, like: Series) -> Series:
    """The series in exactly the native type of another (pandas has several types for one meaning)."""
    if not like.implementation.is_pandas_like():
        return series.cast(like.dtype)
    native, wanted = series.to_native(), like.to_native().dtype
    if native.dtype == wanted:
        return series
    if isinstance(wanted, np.dtype) and wanted.kind in "iu" and native.isna().any():
        return series
    return nw.from_native(native.astype(wanted), series_only=True)


def restore_codes(source: Series, encoded: Encoded, codes: Ints) -> Series:
    """Codes as values of the original column: taken from it, so that type and spelling are its own."""
    index = np.where(codes >= 0, encoded.first_row[np.maximum(codes, 0)] if len(encoded.first_row) else 0, 0)
    taken = _taken(source, index) if source.implementation.is_pyarrow() else source[index]
    if (codes >= 0).all():
        return taken
    observed = nw.new_series("mask", codes >= 0, dtype=nw.Boolean(), backend=source.implementation)
    if source.implementation.is_pandas_like():
        native = taken.to_native().reset_index(drop=True)
        return nw.from_native(native.where(codes >= 0), series_only=True)
    return taken.zip_with(observed, _nothing(taken))


def _nothing(like: Series) -> Series:
    """As many missing values of the type of a column, which may be one that holds nothing else."""
    if not like.implementation.is_pyarrow():
        return nw.new_series(like.name, [None] * len(like), dtype=like.dtype, backend=like.implementation)
    import pyarrow as pa

    native = pa.chunked_array([pa.nulls(len(like), like.to_native().type)])
    found: Series = nw.from_native(native, series_only=True)
    return found.alias(like.name)


def new_levels(name: str, levels: tuple[Cell, ...], codes: Ints, backend: Any) -> Series:
    """A column of levels that the original did not have (recoded text).

    Where some levels are texts and others are not, all become texts, unless the library holds cells of any type.
    """
    if not backend.is_pandas_like() and len({isinstance(level, str) for level in levels}) > 1:
        levels = tuple(_as_text(level) for level in levels)
    held = np.flatnonzero(np.bincount(codes + 1, minlength=len(levels) + 1))
    place = np.zeros(len(levels) + 1, dtype=np.int64)
    place[held] = np.arange(len(held))
    each = nw.new_series(name, [None if code == 0 else levels[code - 1] for code in held.tolist()], backend=backend)
    return _taken(each, place[codes + 1])


def _as_text(level: Cell) -> str:
    """A level as the libraries of typed columns write it."""
    if isinstance(level, bool):
        return "true" if level else "false"
    return amount_text(level) if isinstance(level, float) else str(level)


def _taken(series: Series, rows: Ints) -> Series:
    """Some rows of a column, numbered anew."""
    if series.implementation.is_pyarrow():
        import pyarrow as pa

        native = series.to_native()
        parts = [native.take(pa.array(rows[start : start + _TAKEN])) for start in range(0, len(rows), _TAKEN)]
        chunks = [chunk for part in parts for chunk in part.chunks]
        found: Series = nw.from_native(pa.chunked_array(chunks, native.type), series_only=True)
        return found.alias(series.name)
    taken = series[rows]
    if not series.implementation.is_pandas_like():
        return taken
    return nw.from_native(taken.to_native().reset_index(drop=True), series_only=True)


def empty_cells(series: Series, kept: Bools) -> Series:
    """The column with nothing left but the cells to keep."""
    if series.null_count() == len(series):
        return series  # maybe of no type at all, of which no other column can be made
    if series.implementation.is_pandas_like():
        return nw.from_native(series.to_native().where(kept), series_only=True)
    nothing = nw.new_series(series.name, [None] * len(series), dtype=series.dtype, backend=series.implementation)
    if not kept.any():
        return nothing
    return series.zip_with(nw.new_series("mask", kept, dtype=nw.Boolean(), backend=series.implementation), nothing)


def frame_like(frame: Frame, columns: Mapping[str, Sequence[Cell]]) -> AnyFrame:
    """Other columns as a frame of the same library."""
    found: AnyFrame = nw.from_dict(columns, backend=frame.implementation).to_native()
    return found


def without_index(frame: Frame) -> Frame:
    """The frame with rows numbered 0, 1, 2, ... where its library labels rows."""
    if not frame.implementation.is_pandas_like():
        return frame
    return nw.from_native(frame.to_native().reset_index(drop=True), eager_only=True)


def replace_columns(frame: Frame, columns: Mapping[str, Series]) -> Frame:
    """The frame with some columns replaced in place: same order, same index."""
    if not columns:
        return frame
    if frame.implementation.is_pyarrow():
        from microveil.data.arrow import with_arrays

        # all at once: one after the other takes time that grows with the square of their number
        native = with_arrays(frame.to_native(), {name: series.to_native() for name, series in columns.items()})
        return nw.from_native(native, eager_only=True)
    renamed = [nw.from_native(series.to_native(), series_only=True).alias(name) for name, series in columns.items()]
    return frame.with_columns(*renamed)


class Spelling(NamedTuple):
    """Values of a column in its own type: `levels` says where each level stands, `cells` where the records begin."""

    series: Series
    levels: Ints
    cells: int
