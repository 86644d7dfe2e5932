"""The records of a part of a file, on their way through files: all that a method is given of them, as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from microveil.core.arrays import AnyArray, Ints
from microveil.data.table import Table, Values
from microveil.run.contract import Step
from microveil.run.engine import LocalEngine
from microveil.run.job import Job
from microveil.run.parts import Part, place_of
from microveil.run.state import Doing, Domain, State

PLACE, DOMAIN = "place", "domain"


class Called(NamedTuple):
    """A part: the path of its streams, what stands before notes on it, and where errors are said to be."""

    path: tuple[str | int, ...] = ()
    label: str = ""
    place: str = ""

    @classmethod
    def domain(cls, label: str) -> Called:
        """A subdomain."""
        return cls((label,), label, place_of(label)) if label else cls()


@dataclass(frozen=True)
class PartRows:
    """How records of a step go into files and come back: the columns of each table that it is given."""

    step: Step
    tables: Mapping[str, Mapping[str, Values]]  # without records
    job: Job

    @classmethod
    def of(cls, head: Doing, state: State) -> PartRows:
        """As a step that was prepared on some records is given them."""
        tables = {**_tables(head, state)}
        if not head.step.method.restores:
            del tables["original"]
        empty = {
            what: {name: values.take(slice(0, 0)) for name, values in columns.items()}
            for what, columns in tables.items()
        }
        return cls(head.step, empty, head.job)

    def to_table(self, state: State, doing: Doing, domains: Sequence[Domain]) -> pa.Table:
        """The records of some subdomains: where they stand in the file, their subdomain, and their values."""
        rows = np.concatenate([domain.rows for domain in domains]) if domains else np.zeros(0, dtype=np.int64)
        columns: dict[str, AnyArray] = {
            PLACE: doing.job.streams.places(doing.table.rows)[rows],
            DOMAIN: np.repeat([domain.number for domain in domains], [len(domain.rows) for domain in domains]).astype(
                np.int64
            ),
        }
        found = _tables(doing, state)
        for what, names in self.tables.items():
            for number, name in enumerate(names):
                columns[f"{what} {number}"] = found[what][name].data[rows]
        sources = state.origin[rows]
        for name, own in (("weight", state.source.weights), ("household", state.source.households)):
            if own is not None and not (sources < 0).any():
                columns[name] = own[sources]
        return pa.table({name: pa.array(data) for name, data in columns.items()})

    def part(self, rows: pa.Table, called: Called) -> Part:
        """The records of one part as the method is given them, in the order of the file."""
        count = rows.num_rows
        held = {
            what: Table(
                {
                    name: values.with_data(_array(rows, f"{what} {number}"))
                    for number, (name, values) in enumerate(names.items())
                },
                count,
            )
            for what, names in self.tables.items()
        }
        streams = replace(self.job.streams, positions=None, first=0).at(*called.path)
        job = replace(
            self.job,
            streams=streams.of_rows(_array(rows, PLACE)),
            given=held["given"],
            original=held.get("original", held["table"]),
            weights=_array(rows, "weight") if "weight" in rows.column_names else None,
            households=_array(rows, "household") if "household" in rows.column_names else None,
            around=held["around"],
            engine=LocalEngine(),
        )
        return Part(np.arange(count, dtype=np.int64), held["table"], job, called.label, called.place)

    def values(self, what: str, rows: pa.Table) -> dict[str, Values]:
        """The columns of one of the tables for some records."""
        return {
            name: values.with_data(_array(rows, f"{what} {number}"))
            for number, (name, values) in enumerate(self.tables[what].items())
        }


def _tables(doing: Doing, state: State) -> dict[str, Mapping[str, Values]]:
    return {
        "table": doing.table.columns,
        "given": doing.given.columns,
        "original": doing.job.original.columns,
        "around": doing.job.around.columns,
        "by": {name: state.values(name) for name in doing.step.by},
    }


def _array(rows: pa.Table, name: str) -> AnyArray:
    # a copy of its own: what a file is read into cannot be written to
    return np.array(rows[name].to_numpy())


def cut_by_domain(rows: pa.Table) -> list[tuple[int, pa.Table]]:
    """The records of each subdomain in turn, each in the order in which they came."""
    domains: Ints = rows[DOMAIN].to_numpy()
    order = np.argsort(domains, kind="stable")
    rising = domains[order]
    starts = np.flatnonzero(np.append(True, rising[1:] != rising[:-1])[: len(rising)])
    sorted_rows = rows.take(pa.array(order)).combine_chunks()
    stops = [*starts[1:].tolist(), len(rising)]
    return [
        (int(rising[start]), sorted_rows.slice(start, stop - start))
        for start, stop in zip(starts.tolist(), stops, strict=True)
    ]
