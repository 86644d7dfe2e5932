"""Changed columns in the digits of the source: finer ones would tell touched cells from untouched ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from microveil.claims import RangeKept
from microveil.core.arrays import Floats
from microveil.data.canonical import arrow_of
from microveil.data.doubles import nearest_doubles
from microveil.data.units import observed_unit, round_to, said
from microveil.io.promises import check_promises
from microveil.run import Release
from microveil.run.digits import are_copies
from microveil.run.promises import Promise


@dataclass(frozen=True)
class Rounded:
    """The columns that were rounded, half of the unit of each, and what to tell."""

    columns: Mapping[str, Floats] = field(default_factory=dict)
    half_units: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def put_back(self, array: pa.Array, name: str, notes: list[str]) -> pa.Array:
        """The rounded column in the type of the released one, or a wider one where it no longer fits."""
        if name not in self.columns:
            return array
        found = put_back(self.columns[name], array.type)
        if found.type != array.type:
            notes.append(note_wider(name, array.type))
        return found


def put_back(numbers: Floats, kind: pa.DataType) -> pa.Array:
    """Rounded numbers in the type of the released column, or as whole numbers of 64 bits where they do not fit it."""
    found = pa.array(numbers, mask=np.isnan(numbers))
    try:
        return found.cast(kind)
    except pa.ArrowInvalid:
        return found.cast(pa.int64())


def note_wider(name: str, kind: pa.DataType) -> str:
    """That a column is written in another type than it was released in."""
    return f"values of {name!r} no longer fit {kind} and are written as int64"


def round_release(release: Release) -> Rounded:
    """Changed columns as multiples of the unit of the source; the promises are checked again on them."""
    if release.original.integers != "round":
        return Rounded()
    columns, half_units, notes = {}, {}, []
    for name, values in release.changed.items():
        if values.levels is not None:
            continue  # categories are values of the source, or new words
        found = _in_unit(release, name)
        if found is not None:
            columns[name], unit = found
            half_units[name] = 0.5 * 10.0**unit
            notes.append(f"{name!r} was rounded to {said(unit)}, as in the source")
    if columns:
        notes += check_promises(
            release,
            columns,
            half_units,
            "rounding to the digits of the source breaks what was promised",
            "read the source with integers='keep exact' to write unrounded numbers",
        )
    return Rounded(columns, half_units, tuple(notes))


def promises_but_for_rounding(release: Release) -> frozenset[Promise]:
    """The promises that hold in the file but for the rounding of values: nobody may be told that they hold exactly."""
    in_file = set(round_release(release).half_units)
    return frozenset(
        promise
        for promise, verdict in release.verdicts()
        if not verdict.exactly or (verdict.claim.in_spreads and not in_file.isdisjoint(verdict.claim.columns))
    )


def _in_unit(release: Release, name: str) -> tuple[Floats, int] | None:
    """The column in the unit of the source and that unit; None when it shows no finer digits already."""
    codes = [code for code in release.original.schema[name].missing if isinstance(code, int | float)]
    source = doubles(arrow_of(release.original.narwhal.get_column(name)))
    if codes:
        source[np.isin(source, codes)] = np.nan
    unit = unit_to_write(observed_unit(source), release.original.roles[name])
    if unit is None:
        return None
    values = doubles(arrow_of(release.narwhal.get_column(name)))
    ends = ends_kept(
        release.promises, name, lambda one: ends_of(source if one.reference is None else source[one.reference])
    )
    coarser = in_unit(values, unit, codes, ends)
    finer = (coarser != values) & ~np.isnan(values)
    if not finer.any() or are_copies(values, finer, source, release.origin):
        return None
    return coarser, unit


def unit_to_write(unit: int | None, role: str) -> int | None:
    """The unit in which a column is written."""
    # all weights change together, and totals stand on them
    return min(unit, 0) if unit is not None and role == "weight" else unit


def ends_of(values: Floats) -> tuple[float, float]:
    """The smallest and the largest of some values."""
    return float(np.fmin.reduce(values, initial=np.inf)), float(np.fmax.reduce(values, initial=-np.inf))


def ends_kept(
    promises: Iterable[Promise], name: str, ends: Callable[[Promise], tuple[float, float]]
) -> tuple[float, float] | None:
    """Between which ends it is promised that every value of a column stays: `ends` are those of what a step saw."""
    found = [ends(one) for one in promises if isinstance(one.claim, RangeKept) and name in one.claim.columns]
    return (max(low for low, _ in found), min(high for _, high in found)) if found else None


def in_unit(values: Floats, unit: int, codes: Sequence[float], ends: tuple[float, float] | None) -> Floats:
    """The nearest multiples of a unit; inside the ends, where a range is kept; codes for missing stay."""
    coarser = round_to(values, unit)
    if ends is not None:
        coarser = _within(ends, values, coarser, unit)
    return np.where(np.isin(values, codes), values, coarser) if codes else coarser


def _within(ends: tuple[float, float], values: Floats, coarser: Floats, unit: int) -> Floats:
    """Rounded towards the inside where the nearest multiple would leave the range of the source."""
    low, high = ends
    step = np.where((values >= low) & (coarser < low), 1.0, 0.0) - np.where(
        (values <= high) & (coarser > high), 1.0, 0.0
    )
    return round_to(coarser + step * 10.0**unit, unit) if step.any() else coarser


def doubles(array: pa.Array) -> Floats:
    """A column of numbers as doubles."""
    # the shortest decimal text of a single-precision number is what was meant, not its binary expansion
    meant = array.cast(pa.large_string()) if array.type == pa.float32() else array
    return np.array(nearest_doubles(meant).to_numpy(zero_copy_only=False), dtype=np.float64)
