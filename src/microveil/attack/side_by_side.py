"""Tested records, a release and a reference sample in one scale, for questions of nearness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.data.coding import in_common
from microveil.data.frames import is_numeric
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.measure.keys import common_codes

_MOST_DIMENSIONS = 14  # above which a tree looks at nearly all points and a product of matrices is faster
_BLOCK = 1 << 22


@dataclass(frozen=True)
class SideBySide:
    """Records of unknown membership, the release, and a sample of the population, categories in one coding."""

    tested: Table
    released: Table
    reference: Table

    def distances(self) -> tuple[Floats, Floats]:
        """The distance of each tested record to the nearest released one and to the nearest of the reference.

        Numbers count in standard deviations of the reference, a step between neighbouring ordered categories as its
        share of all steps, another category as 1, and a gap as far from the middle.
        """
        tested, released, reference = (
            np.column_stack([part for name in side.names for part in scaled(side[name], self.reference[name])])
            for side in (self.tested, self.released, self.reference)
        )
        return find_least_distance(tested, released), find_least_distance(tested, reference)

    def shown(self) -> tuple[Floats, Floats]:
        """For each tested record the columns whose very value the release shows, and those where the reference does."""
        found = []
        for side in (self.released, self.reference):
            mine, theirs = common_codes(self.tested, side)
            found.append(np.column_stack([_is_in(mine[:, j], theirs[:, j]) for j in range(mine.shape[1])]).sum(axis=1))
        return found[0].astype(np.float64), found[1].astype(np.float64)


def nearest_rows(files: SideBySide) -> Ints:
    """The row of the released record that is nearest to each tested one."""
    from scipy.spatial import KDTree

    tested, released = (
        np.column_stack([part for name in side.names for part in scaled(side[name], files.reference[name])])
        for side in (files.tested, files.released)
    )
    return np.asarray(KDTree(released).query(tested)[1], dtype=np.int64)


def put_side_by_side(
    names: Sequence[str], *, known: Sequence[Microdata], released: Microdata, reference: Microdata
) -> SideBySide:
    """The columns of all files in one coding; columns that were released as classes say nothing here."""
    files = (*known, released, reference)
    columns: list[dict[str, Values]] = [{} for _ in files]
    for name in names:
        kind = known[0].kinds[name]
        if kind == "continuous" and not is_numeric(released.narwhal.get_column(name)):
            continue
        values = [one.values(name, kind) for one in files]
        for side, column in zip(columns, values if kind == "continuous" else in_common(values), strict=True):
            side[name] = column
    tables = [Table(side, one.n) for side, one in zip(columns, files, strict=True)]
    return SideBySide(_stacked(tables[: len(known)]), tables[-2], tables[-1])


def find_least_distance(X: Floats, Y: Floats) -> Floats:
    """The distance of each row of X to the nearest row of Y."""
    if X.shape[1] <= _MOST_DIMENSIONS:
        from scipy.spatial import KDTree

        return np.asarray(KDTree(Y).query(X)[0], dtype=np.float64)
    out = np.empty(len(X))
    squares = (Y * Y).sum(axis=1)
    step = max(_BLOCK // max(len(Y), 1), 1)
    for start in range(0, len(X), step):
        part = X[start : start + step]
        nearest = np.argmin(squares - 2 * part @ Y.T, axis=1)
        # the product loses digits of small distances
        out[start : start + step] = np.sqrt(((part - Y[nearest]) ** 2).sum(axis=1))
    return out


def scaled(values: Values, reference: Values) -> list[Floats]:
    """A column as columns of numbers whose differences are distances."""
    if values.kind == "nominal":
        levels = range(-1, len(values.levels or ()))
        return [(values.data == code) / np.sqrt(2) for code in levels]
    known = reference.numbers[~reference.missing]
    middle = float(np.median(known)) if len(known) else 0.0
    if values.levels is None:
        scale = float(known.std()) if len(known) else 0.0
    else:
        scale = float(max(len(values.levels) - 1, 1))
    numbers = np.where(values.missing, middle, values.numbers)
    return [numbers / (scale if scale > 0 else 1.0), values.missing.astype(np.float64)]


def _is_in(mine: Ints, theirs: Ints) -> Ints:
    return np.asarray((mine >= 0) & np.isin(mine, theirs), dtype=np.int64)


def _stacked(tables: Sequence[Table]) -> Table:
    """The tables one below the other."""
    columns = {
        name: tables[0][name].with_data(np.concatenate([table[name].data for table in tables]))
        for name in tables[0].names
    }
    return Table(columns, sum(table.rows for table in tables))
