"""From a release to what may be written: values in random order, and nothing else of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Labels
from microveil.core.streams import Streams
from microveil.data import Microdata
from microveil.data.canonical import arrow_of
from microveil.data.doubles import nearest_doubles
from microveil.io.merged_labels import with_merged_labels
from microveil.io.rounding import Rounded, round_release
from microveil.run import Release
from microveil.run.written import written_order

_DECIMAL_DIGITS = 15  # a double holds so many decimal digits exactly


@dataclass(frozen=True)
class Clean:
    """A table without metadata, with what a format may want to know about its columns."""

    table: pa.Table
    kinds: Mapping[str, str]
    levels: Mapping[str, list[Cell]] = field(default_factory=dict)  # of columns that were categories
    ordered: frozenset[str] = frozenset()
    labels: Mapping[str, Labels] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def clean(release: Release | Microdata, streams: Streams, shuffle: bool, keep_identifiers: bool, titles: bool) -> Clean:
    """The columns to write, shuffled, without identifiers, metadata or anything that no longer occurs."""
    facts = release.original if isinstance(release, Release) else release
    kept, notes = columns_to_write(facts, keep_identifiers)
    coarser = round_release(release) if isinstance(release, Release) else Rounded()
    notes += coarser.notes
    frame = release.narwhal
    rows = frame.shape[0]
    order = pa.array(written_order(streams, rows, shuffle))
    columns, levels, ordered = {}, {}, set()
    for name in kept:
        series = frame.get_column(name)
        array = coarser.put_back(arrow_of(series), name, notes)
        array = without_missing_codes(settled(array, name), facts.schema[name].missing, name, notes)
        if facts.roles[name] == "household" and not keep_identifiers:
            array = _renumbered(array, streams.at("write", "household"))
            notes.append(f"the numbers in {name!r} were drawn anew: they say who belongs together and no more")
        columns[str(name)] = scrubbed(array.take(order))
        if str(series.dtype).startswith(("Categorical", "Enum")):
            levels[str(name)] = _present(columns[str(name)], facts, name)
            ordered |= {str(name)} if facts.kinds[name] == "ordinal" else set()
    labels = _labels_left(facts, columns)
    return Clean(
        pa.table(columns),
        {str(name): facts.kinds[name] for name in kept},
        levels,
        frozenset(ordered),
        with_merged_labels(release, labels) if isinstance(release, Release) else labels,
        _titles(facts, kept) if titles else {},
        tuple(notes),
    )


def columns_to_write(facts: Microdata, keep_identifiers: bool = False) -> tuple[list[str], list[str]]:
    """The columns that are released, and a note on those that are not."""
    kept = [name for name in facts.columns if keep_identifiers or facts.roles[name] != "identifier"]
    if not kept:
        raise BadInput("every column is an identifier and identifiers are not released; nothing is left to write")
    notes = []
    if len(kept) < len(facts.columns):
        dropped = [name for name in facts.columns if name not in kept]
        notes.append(f"identifiers were left out: {', '.join(map(str, dropped))}")
    names = [str(name) for name in kept]
    if len(set(names)) < len(names):
        raise BadInput("two column names are the same as text; rename one of them")
    return kept, notes


def settled(array: pa.Array, name: str) -> pa.Array:
    """The array in a type that files can hold, missing cells as nulls, without minus zero."""
    kind = array.type
    if pa.types.is_decimal(kind):
        if not _fits_digits(array):
            raise BadInput(f"column {name!r} holds {kind}, more digits than a file keeps; convert it to text or float")
        array, kind = nearest_doubles(array), pa.float64()
    if pa.types.is_floating(kind):
        wide = np.asarray(array.to_numpy(zero_copy_only=False), dtype=kind.to_pandas_dtype())
        if kind == pa.float64() and np.isfinite(wide).all():
            return pa.array(wide + 0.0)
        if np.isinf(wide).any():
            raise BadInput(f"column {name!r} has infinite values; replace or remove them first")
        empty = np.isnan(wide)
        narrow = pa.float32() if kind == pa.float32() else pa.float64()
        return pa.array(wide + 0.0, mask=empty).cast(narrow)
    if pa.types.is_timestamp(kind):
        return _coarsened(array, pa.timestamp("us", kind.tz))
    if pa.types.is_time(kind):
        return _coarsened(array, pa.time64("us"))
    if pa.types.is_date(kind):
        return array.cast(pa.date32())
    if pa.types.is_large_string(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return array
    raise BadInput(f"column {name!r} holds {kind}; text, numbers, true/false, dates and times are allowed: convert it")


def _fits_digits(array: pa.Array) -> bool:
    """Whether the values themselves have no more digits than a double holds, whatever their type could have."""
    try:
        array.cast(pa.decimal128(_DECIMAL_DIGITS, array.type.scale))
    except (pa.ArrowException, ValueError):
        return False
    return True


def _coarsened(array: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return array.cast(kind)
    except pa.ArrowInvalid:
        return array  # nanoseconds that a coarser unit would lose


def without_missing_codes(array: pa.Array, codes: tuple[Cell, ...], name: str, notes: list[str]) -> pa.Array:
    """Codes for a missing value become missing: in the file they would be values, and split groups."""
    usable = []
    for code in codes:
        try:
            usable.append(pa.scalar(code).cast(array.type))
        except (pa.ArrowException, TypeError, ValueError):
            continue  # a code of another type cannot occur in this column
    hit = pc.is_in(array, pa.array([code.as_py() for code in usable], array.type)) if usable else None
    if hit is None or not pc.any(hit).as_py():
        return array
    notes.append(f"cells of {name!r} with a code for a missing value were written as empty")
    return pc.if_else(hit, pa.scalar(None, array.type), array)


def _renumbered(array: pa.Array, streams: Streams) -> pa.Array:
    encoded = array.dictionary_encode()
    numbers = pa.array(streams.generator().permutation(len(encoded.dictionary)) + 1)
    return numbers.take(encoded.indices)


def scrubbed(array: pa.Array) -> pa.Array:
    """The same values in fresh memory: what stood under a missing cell is gone from the bytes."""
    if not array.null_count and not pa.types.is_large_string(array.type):
        return array  # nothing is missing
    if pa.types.is_large_string(array.type):
        text = pc.if_else(array.is_valid(), pc.fill_null(array, ""), pa.scalar(None, pa.large_string()))
        try:
            return text.cast(pa.string())
        except pa.ArrowInvalid:
            return text  # more than the offsets of the smaller type can count
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(array.type):
        return pa.array(pc.fill_null(array, False).to_numpy(zero_copy_only=False), mask=~valid)
    bits = {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[array.type.bit_width // 8]
    raw = pc.fill_null(array.view(bits), 0).to_numpy(zero_copy_only=False)
    return pa.array(raw, bits, mask=~valid).view(array.type)


def _present(array: pa.Array, facts: Microdata, name: str) -> list[Cell]:
    """The categories that occur, in the order of the levels where there is one, else sorted."""
    present = [level for level in pc.unique(array).to_pylist() if level is not None]
    if facts.kinds[name] == "ordinal":
        order = {level: place for place, level in enumerate(facts.schema[name].levels or facts.encoded(name).levels)}
        if all(level in order for level in present):
            return sorted(present, key=order.__getitem__)
    return sorted(present)


def _labels_left(facts: Microdata, columns: Mapping[str, pa.Array]) -> dict[str, dict[Cell, str]]:
    """The value labels of codes that still occur, and no other."""
    book = facts.codebook
    if book is None:
        return {}
    left = {
        name: book.of_levels(name, set(pc.unique(columns[name]).to_pylist())) for name in book.labels if name in columns
    }
    return {name: labels for name, labels in left.items() if labels}


def _titles(facts: Microdata, kept: list[str]) -> dict[str, str]:
    book = facts.codebook
    return {name: book.titles[name] for name in kept if name in book.titles} if book is not None else {}
