"""A sensitive column: its values in use, and how far they are from one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.claims import Anonymity
from microveil.claims.anonymity import Distance
from microveil.core.arrays import Floats, Ints, Labels
from microveil.core.open_types import Cell
from microveil.data.table import Table, Values


@dataclass(frozen=True)
class SensitiveValues:
    """Codes from 0, each of them in use and a missing value the lowest; how t is measured.

    `numbers` are what evidence of a claim shows in place of each code (NaN: missing); `tree` holds the node of each
    code on every level of its hierarchy below the top, the values themselves first.
    """

    codes: Labels
    how: Distance
    numbers: tuple[float, ...]
    tree: tuple[Ints, ...] = ()
    of_file: Floats | None = None  # the share of each value in the file, where these are not all of its records

    @property
    def shares(self) -> Floats:
        """The share of each value in the file."""
        if self.of_file is not None:
            return self.of_file
        return np.bincount(self.codes, minlength=len(self.numbers)) / max(len(self.codes), 1)

    def counted(self, counts: Ints | None) -> SensitiveValues:
        """The same where these are different rows of a file, and so many records have each."""
        if counts is None:
            return self
        totals = np.bincount(self.codes, weights=counts, minlength=len(self.numbers))
        return replace(self, of_file=np.asarray(totals / max(int(counts.sum()), 1), dtype=np.float64))

    def take(self, rows: Ints) -> SensitiveValues:
        """Some of the records, still held against the whole file."""
        return replace(self, codes=self.codes[rows], of_file=self.shares)

    @classmethod
    def of(cls, model: Anonymity, given: Table, name: str) -> SensitiveValues:
        """A sensitive column of some records, as a model measures it."""
        values = given[name]
        return cls.of_values(values, model.distance_of(name, values.kind, bool(values.hierarchy)))

    @classmethod
    def of_values(cls, values: Values, how: Distance) -> SensitiveValues:
        """A column whose values are apart in this way."""
        missing = values.missing
        if values.levels is None:
            distinct, codes = np.unique(values.numbers[~missing], return_inverse=True)
            shown = numbers = distinct.tolist()
        else:
            distinct, codes = np.unique(values.data[~missing], return_inverse=True)
            shown, numbers = [values.levels[code] for code in distinct], [float(code) for code in distinct]
        labels = np.zeros(len(missing), dtype=np.int64)
        labels[~missing] = codes.reshape(-1) + bool(missing.any())
        if missing.any():
            shown, numbers = [None, *shown], [float("nan"), *numbers]
        return cls(labels, how, tuple(numbers), tree_levels(values, shown) if how == "hierarchy" else ())


def tree_levels(values: Values, shown: Sequence[Cell]) -> tuple[Ints, ...]:
    """For each level of a hierarchy below its top, the node of each value; a missing one (None) hangs from the top."""
    paths = [() if one is None else _path(values, one) for one in shown]
    known = [path for path, one in zip(paths, shown, strict=True) if one is not None]
    if known and all(known) and len({path[-1] for path in known}) == 1:
        paths = [path[:-1] for path in paths]
    height = max((len(path) for path in paths), default=0) + 1
    levels = []
    for level in range(height):
        # the whole way up names a node: equal texts below different ones are different nodes
        nodes = [(("value", i), *path, *["top"] * (height - 1 - len(path)))[level:] for i, path in enumerate(paths)]
        number = {node: i for i, node in enumerate(dict.fromkeys(nodes))}
        levels.append(np.array([number[node] for node in nodes], dtype=np.int64))
    return tuple(levels)


def _path(values: Values, value: Cell) -> tuple[Cell, ...]:
    paths = values.hierarchy or {}
    return tuple(paths.get(value) or (paths.get(f"{value:.15g}") if isinstance(value, float) else None) or ())
