"""What a codebook says of the columns of a release in files: figures of all its records, by counts and exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from microveil.engines import FileRelease
from microveil.engines.counted_rows import MOST_ROWS, CountedRows
from microveil.engines.pair_of_files import PairOfFiles
from microveil.engines.scales_in_blocks import find_spreads
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.together import Together
from microveil.package.variables import MOST_CATEGORIES, Category, Variable, form_of
from microveil.report.identity import done_to


@dataclass(frozen=True)
class _Values:
    """How many records have a value and how many have none, and the different values, unless they are too many."""

    valid: int
    missing: int
    rows: CountedRows | None

    @classmethod
    def of(cls, table: pa.Table, name: str) -> _Values:
        """Those of some records."""
        rows = CountedRows.of(table, (name,), None)
        missing = int(rows.records[np.asarray(rows.rows[name].is_null())].sum())
        return cls(table.num_rows - missing, missing, rows)

    def merge(self, other: _Values) -> _Values:
        """Those of the records of both."""
        rows = None if self.rows is None or other.rows is None else self.rows.together(other.rows)
        return _Values(self.valid + other.valid, self.missing + other.missing, rows)

    @property
    def counts(self) -> dict[Any, int] | None:
        """The records with each value; None if the values are too many."""
        if self.rows is None:
            return None
        (name,) = self.rows.names
        pairs = zip(self.rows.rows[name].to_pylist(), self.rows.records.tolist(), strict=True)
        return {value: records for value, records in pairs if value is not None}


def variables_of_files(release: FileRelease, files: PairOfFiles) -> tuple[Variable, ...]:
    """Every column of the released files, described by what is in them."""
    schema: pa.Schema = files.released.schema
    after = files.head.after
    amounts = [name for name in schema.names if after.kinds[name] == "continuous"]
    others = tuple(name for name in schema.names if name not in amounts)
    figures = _figures(files, amounts)
    seen: Mapping[str, _Values] = {}
    if others:
        seen = files.of_blocks(
            "after", others, lambda table: Together({name: _Values.of(table, name) for name in others})
        ).parts
    found = []
    for name in schema.names:
        role, done, form = release.original.roles[name], done_to(release, name), form_of(schema.field(name).type)
        if name in figures:
            told, valid, missing = figures[name]
            found.append(Variable(name, "", "continuous", form, role, valid, missing, 0, (), told, done))
            continue
        one, kind = seen[name], after.kinds[name]
        counts = one.counts
        if counts is None:
            found.append(
                Variable(name, "", kind, form, role, one.valid, one.missing, MOST_ROWS, (), {}, done, more=True)
            )
            continue
        order = [level for level in after.schema[name].levels or () if level in counts] or sorted(counts)
        listed = role != "household" and len(counts) <= MOST_CATEGORIES
        categories = tuple(Category(value, "", counts[value]) for value in order) if listed else ()
        found.append(Variable(name, "", kind, form, role, one.valid, one.missing, len(counts), categories, {}, done))
    return tuple(found)


def _figures(files: PairOfFiles, names: list[str]) -> dict[str, tuple[dict[str, float], int, int]]:
    """Smallest, largest, mean and spread of each amount; how many values there are, and how many are missing."""
    if not names:
        return {}
    ends: Extremes = files.of_amounts("after", names, lambda _, X: Extremes.of(X))
    spreads = find_spreads(lambda look: files.of_amounts("after", names, look), len(names))
    found = {}
    for j, name in enumerate(names):
        missing = int(ends.missing[j])
        valid = ends.records - missing
        told: dict[str, float] = {}
        if valid:
            told = {"min": float(ends.low[j]), "max": float(ends.high[j]), "mean": spreads[j].centre}
        if valid > 1:
            told["stdev"] = spreads[j].scale
        found[name] = told, valid, missing
    return found
