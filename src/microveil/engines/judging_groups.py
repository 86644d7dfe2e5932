"""Promises in subdomains that fit into memory: each is gathered as it is written, and judged by itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from microveil.claims import Claim, Evidence, Verdict, share_of_repeats
from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.engines.buckets import Buckets, pack
from microveil.engines.part_rows import DOMAIN, PLACE, cut_by_domain

_GROUP = "group"


class Sides(NamedTuple):
    """The evidence of some records as tables: the originals that a step saw, and what is released."""

    originals: pa.Table
    released: pa.Table


class Side(NamedTuple):
    """One of them: where the originals stand in the file (-1: there is none), their subdomains, and their columns."""

    places: Ints
    domains: Ints
    columns: Sequence[Floats]
    beside: Sequence[Floats]  # originals: the columns kept; released: the columns before they were rounded
    groups: Ints | None = None

    def table(self) -> pa.Table:
        """The same as a table; records outside of all subdomains are not in it."""
        arrays: dict[str, AnyArray] = {PLACE: self.places, DOMAIN: self.domains}
        arrays |= {f"column {number}": array for number, array in enumerate(self.columns)}
        arrays |= {f"beside {number}": array for number, array in enumerate(self.beside)}
        if self.groups is not None:
            arrays[_GROUP] = self.groups
        inside = self.domains >= 0
        return pa.table({name: pa.array(array[inside]) for name, array in arrays.items()})


def judge_in_groups(
    claims: Sequence[Claim],
    columns: tuple[str, ...],
    sides: Iterable[Sides],
    sizes: Mapping[int, int],
    half_units: Floats,
    folder: Path,
) -> list[list[Verdict]]:
    """The verdicts on claims about the same columns in each subdomain; `sizes` are those of the subdomains."""
    places = [folder / name for name in ("originals", "released")]
    for place in (folder, *places):
        place.mkdir()
    numbers = pack(sizes)
    found = []
    with Buckets(places[0]) as originals, Buckets(places[1]) as released:
        for one in sides:
            for buckets, table in zip((originals, released), one, strict=True):
                buckets.put(numbers[table[DOMAIN].to_numpy()], table)
        for bucket in released.numbers:
            # records that were made before the step have no originals
            before = dict(cut_by_domain(originals.take(bucket))) if bucket in originals.numbers else {}
            for domain, after in cut_by_domain(released.take(bucket)):
                evidence = _evidence(columns, before.get(domain), after, half_units)
                found.append([claim.check(evidence) for claim in claims])
    shutil.rmtree(folder)  # with originals of which nothing is released
    return found


def _evidence(columns: tuple[str, ...], before: pa.Table | None, after: pa.Table, half_units: Floats) -> Evidence:
    """The evidence of one subdomain."""
    origin: Ints = np.full(after.num_rows, -1, dtype=np.int64)
    if before is not None:
        originals, places = before[PLACE].to_numpy(), after[PLACE].to_numpy()
        found = np.minimum(np.searchsorted(originals, places), len(originals) - 1)
        origin = np.where(originals[found] == places, found, -1)
    kept = [] if before is None else _columns(before, "beside")
    return Evidence(
        columns,
        [np.zeros(0) for _ in columns] if before is None else _columns(before, "column"),
        _columns(after, "column"),
        half_units,
        origin,
        after[_GROUP].to_numpy() if _GROUP in after.column_names else None,
        np.column_stack(kept) if kept else None,
        share_of_repeats(_columns(after, "beside"), half_units) if half_units.any() else None,
    )


def _columns(table: pa.Table, what: str) -> list[Floats]:
    names = [name for name in table.column_names if name.startswith(f"{what} ")]
    return [table[name].to_numpy() for name in names]
