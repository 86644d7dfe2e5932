"""What became of every record in a step, held on disk in the order of the file: blocks look up their own records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.arrays import AnyArray, Ints
from microveil.data.table import Table, Values
from microveil.engines.part_rows import DOMAIN, PLACE
from microveil.run.found_before import FoundBefore, Made
from microveil.run.job import Job, Outcome

GROUP = "group"


@dataclass(frozen=True)
class Held:
    """Records of a step in files of `size` places each: of the file, or of what was made where the step made records.

    `columns` are those that the step changed, without records, in the coding of the whole file.
    """

    folder: Path
    size: int
    columns: Mapping[str, Values]
    sizes: Mapping[int, int]  # of the parts that were run one by one
    made: int | None = None  # how many records were made; None: those that there were came back
    grouped: bool = False

    def rows(self, start: int, stop: int) -> pa.Table:
        """The records that are held from one place to another, in their order."""
        parts = []
        for number in range(start // self.size, max(stop - 1, start) // self.size + 1):
            path = self.folder / f"{number:05d}.arrow"
            if path.exists():
                with pa.memory_map(str(path)) as source:
                    table = ipc.open_file(source).read_all()
                    places = table[PLACE].to_numpy()
                    first, last = np.searchsorted(places, [start, stop])
                    parts.append(_copied(table.slice(first, last - first)))
        return pa.concat_tables(parts).combine_chunks() if parts else self._none()

    def _none(self) -> pa.Table:
        arrays: dict[str, AnyArray] = {PLACE: np.zeros(0, np.int64), DOMAIN: np.zeros(0, np.int64)}
        arrays |= {str(number): values.data for number, values in enumerate(self.columns.values())}
        if self.grouped:
            arrays[GROUP] = np.zeros(0, np.int64)
        return pa.table({name: pa.array(array) for name, array in arrays.items()})

    def values(self, rows: pa.Table) -> dict[str, Values]:
        """The columns of some records that are held."""
        return {
            name: values.with_data(np.array(rows[str(number)].to_numpy()))
            for number, (name, values) in enumerate(self.columns.items())
        }

    def domains(self, rows: pa.Table) -> Ints:
        """The subdomain of each of some records that are held."""
        return np.array(rows[DOMAIN].to_numpy())

    def domains_at(self, places: Ints) -> Ints:
        """The part in which records at rising places were, -1 where they came back in none."""
        found = np.full(len(places), -1, dtype=np.int64)
        if len(places):
            rows = self.rows(int(places[0]), int(places[-1]) + 1)
            held: Ints = rows[PLACE].to_numpy()
            at = np.minimum(np.searchsorted(held, places), max(len(held) - 1, 0))
            own = held[at] == places if len(held) else np.zeros(len(places), dtype=np.bool_)
            found[own] = rows[DOMAIN].to_numpy()[at[own]]
        return found

    def made_rows(self, start: int, stop: int) -> Made:
        """The records that were made, from one number to another."""
        rows = self.rows(start, stop)
        return Made(self.values(rows), self.domains(rows), start)


def share_of(made: int, first: int, count: int, records: int) -> tuple[int, int]:
    """Which of the records that were made a block brings forth: in their order, as evenly as blocks are."""
    return first * made // records, (first + count) * made // records


@dataclass(frozen=True)
class Became:
    """What became of the records of one subdomain: looked up where they are held, and told once of all of them."""

    held: Held
    told: Outcome  # notes, claims and tallies of the whole subdomain

    def outcome(self, table: Table, job: Job) -> Outcome:
        """What became of some of its records."""
        places = job.streams.places(table.rows)
        if not len(places):
            return Outcome(dict(self.held.columns), claims=self.told.claims)
        rows = self.held.rows(int(places[0]), int(places[-1]) + 1)
        mine = np.isin(rows[PLACE].to_numpy(), places, assume_unique=True)
        rows = rows.filter(pa.array(mine))
        found: Ints = rows[PLACE].to_numpy()
        origin = None if len(found) == len(places) else np.searchsorted(places, found)
        groups = np.array(rows[GROUP].to_numpy()) if self.held.grouped else None
        return Outcome(self.held.values(rows), groups, origin, claims=self.told.claims)


@dataclass(frozen=True)
class BecameByColumns:
    """What became of all records where every column was run by itself."""

    columns: Mapping[str, FoundBefore]
    told: Outcome

    def outcome(self, table: Table, job: Job) -> Outcome:
        """What became of some records."""
        each = [one.outcome(table, job) for one in self.columns.values()]
        columns = {name: values for found in each for name, values in found.columns.items()}
        return Outcome(columns, claims=self.told.claims)


def _copied(table: pa.Table) -> pa.Table:
    """The same in memory of its own: the file is closed."""
    return pa.table({name: pa.array(np.array(table[name].to_numpy())) for name in table.column_names})
