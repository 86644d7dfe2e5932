"""Any method inside subdomains that fit into memory: each is gathered, run and put away, one after the other."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.passes_told import told
from microveil.data.coding import in_common, of_one_type
from microveil.data.table import Values
from microveil.engines.buckets import MOST_BUCKETS, Buckets, look, pack
from microveil.engines.held import GROUP, Became, Held
from microveil.engines.in_order import in_order
from microveil.engines.part_rows import DOMAIN, PLACE, Called, PartRows, cut_by_domain
from microveil.engines.workers import Threads, Workers
from microveil.run.job import Outcome
from microveil.run.parts import Part, Ran

_HELD_ROWS = 1 << 17

Run = Callable[[Part], Ran]


class Gathered(NamedTuple):
    """Subdomains that are to be run: how many records each has, how they are called, and how records are read."""

    sizes: Mapping[int, int]
    called: Callable[[int], Called]
    rows: PartRows
    records: int  # of the file
    refuse: Callable[[Sequence[Mapping[str, Values]]], None] = lambda _: None  # columns that cannot be one again


def hold(tables: Iterable[pa.Table], what: Gathered, run: Run, folder: Path, workers: Workers) -> dict[int, Became]:
    """What became of each subdomain, from tables of all records (`PartRows.to_table`); `folder` keeps it.

    Those who work run the parts: threads of this process one by one, others those of a file together.
    """
    folders = [folder / name for name in ("parts", "found")]
    for one in (folder, *folders):
        one.mkdir()
    numbers = pack(what.sizes)
    with Buckets(folders[0]) as parts, Buckets(folders[1]) as found:
        for table in tables:
            parts.put(numbers[table[DOMAIN].to_numpy()], table)
        keeping = _Keeping(what, found)
        for gathered, ran in _ran(parts, what, run, workers):
            keeping.put(gathered, ran)
        keeping.flush()
        what.refuse([keeping.headers[number] for number in sorted(keeping.headers)])
        held = keeping.finish(folder)
    return {number: Became(held, told) for number, told in keeping.told.items()}


class _Subdomain(NamedTuple):
    number: int
    part: Part
    by: Mapping[str, Values]  # one value of each column that forms subdomains


def _ran(parts: Buckets, what: Gathered, run: Run, workers: Workers) -> Iterator[tuple[_Subdomain, Ran]]:
    if isinstance(workers, Threads):
        waiting = (one for bucket in parts.numbers for one in _parts_in(parts.take(bucket), what.rows, what.called))
        shown = told(waiting, "parts", len(what.sizes))
        yield from in_order(shown, lambda one: (one, run(one.part)), workers.number)
        return
    parts.close()
    beside = _RunBeside(parts.folder, what.rows, what.called, run)
    left = list(workers.look_into(parts.folder, parts.numbers, "files of parts", beside))
    for bucket, path in zip(parts.numbers, left, strict=True):
        yield from zip(
            _parts_in(parts.take(bucket), what.rows, what.called), pickle.loads(path.read_bytes()), strict=True
        )
        path.unlink()


@dataclass(frozen=True)
class _RunBeside:
    """What somebody elsewhere does with a file of parts: runs each, and leaves what became of them beside the file."""

    folder: Path
    rows: PartRows
    called: Callable[[int], Called]
    run: Run

    def __call__(self, bucket: int) -> Path:
        """The file that was left; its name is its own, since another try of a task may be under way."""
        ran = [self.run(one.part) for one in _parts_in(look(self.folder, bucket), self.rows, self.called)]
        left = self.folder / f"{bucket:05d}.{uuid.uuid4().hex}"
        left.write_bytes(pickle.dumps(ran, protocol=5))
        return left


def _parts_in(records: pa.Table, rows: PartRows, called: Callable[[int], Called]) -> Iterator[_Subdomain]:
    for number, own in cut_by_domain(records):
        yield _Subdomain(number, rows.part(own, called(number)), rows.values("by", own.slice(0, 1)))


@dataclass
class _Keeping:
    """Outcomes on their way to disk, by where their records stand in the file."""

    what: Gathered
    found: Buckets
    told: dict[int, Outcome] = field(default_factory=dict)
    headers: dict[int, dict[str, Values]] = field(default_factory=dict)
    changed: dict[str, None] = field(default_factory=dict)
    waiting: list[dict[str, AnyArray]] = field(default_factory=list)
    rows: int = 0
    made: int = 0
    came_back: int = 0
    groups: int | None = 0

    def put(self, gathered: _Subdomain, ran: Ran) -> None:
        """Take what became of one subdomain; they come in their order."""
        domain, part, by = gathered
        outcome, where = ran.outcome, ran.where
        if len(where) and (where < 0).all():
            # a made record has no source that would tell its subdomain
            own = {name: one.take(np.zeros(len(where), dtype=np.int64)) for name, one in by.items()}
            outcome = replace(outcome, columns={**own, **outcome.columns})
        self.changed |= dict.fromkeys(outcome.columns)
        # a column that only other subdomains change stays as it is here
        columns = {**{name: values.at(where) for name, values in part.table.columns.items()}, **outcome.columns}
        self.told[domain] = replace(outcome, columns={}, groups=None, origin=None)
        arrays: dict[str, AnyArray] = {}
        if len(where) and (where < 0).all():
            arrays[PLACE] = self.made + np.arange(len(where), dtype=np.int64)
            self.made += len(where)
        else:
            if (where < 0).any():
                raise BadInput(
                    f"{self.what.rows.step.method.name} made some records and kept others, which files in blocks "
                    "cannot hold; run with engine='memory'"
                )
            arrays[PLACE] = part.job.streams.places(part.table.rows)[where]
            self.came_back += len(where)
        arrays[DOMAIN] = np.full(len(where), domain, dtype=np.int64)
        # copies: a slice would keep the values of every part in memory until the last was run
        none = np.zeros(0, dtype=np.int64)
        self.headers[domain] = {name: values.take(none) for name, values in columns.items()}
        arrays |= {f"column {name}": values.data.astype(np.float64) for name, values in columns.items()}
        arrays[GROUP] = self._numbered(outcome.groups, len(where))
        self.waiting.append(arrays)
        self.rows += len(where)
        if self.rows >= _HELD_ROWS:
            self.flush()

    def _numbered(self, groups: Ints | None, rows: int) -> Ints:
        """Groups numbered through; where one subdomain formed none, nobody's count."""
        if groups is None or self.groups is None:
            self.groups = None
            return np.full(rows, -1, dtype=np.int64)
        found = np.where(groups >= 0, groups + self.groups, -1)
        self.groups += int(groups.max(initial=-1)) + 1
        return found

    def flush(self) -> None:
        """Write what waits."""
        if self.waiting:
            names = list(self.waiting[0])
            table = pa.table([np.concatenate([one[name] for one in self.waiting]) for name in names], names=names)
            self.found.put(table[PLACE].to_numpy() // self.size, table)
        self.waiting, self.rows = [], 0

    @property
    def size(self) -> int:
        return max(_HELD_ROWS, -(-self.what.records // MOST_BUCKETS))

    # -- in the order of the file ----------------------------------------------------------------

    def finish(self, folder: Path) -> Held:
        """Files of records in their order, each column in one coding."""
        if self.made and self.came_back:
            raise BadInput(
                f"{self.what.rows.step.method.name} made records in some subdomains and kept those of others, which "
                "files in blocks cannot hold; run with engine='memory'"
            )
        codings = {name: _Coding.of(name, self.headers, self._numbers) for name in self.changed}
        for bucket in self.found.numbers:
            rows = self.found.take(bucket)
            rows = rows.take(pa.array(np.argsort(rows[PLACE].to_numpy(), kind="stable"))).combine_chunks()
            domains = rows[DOMAIN].to_numpy()
            arrays = {PLACE: rows[PLACE].to_numpy(), DOMAIN: domains}
            for number, (name, coding) in enumerate(codings.items()):
                arrays[str(number)] = coding.recoded(rows[f"column {name}"].to_numpy(), domains)
            if self.groups is not None:
                arrays[GROUP] = rows[GROUP].to_numpy()
            table = pa.table({name: pa.array(array) for name, array in arrays.items()})
            with (folder / f"{bucket:05d}.arrow").open("xb") as handle, ipc.new_file(handle, table.schema) as writer:
                writer.write_table(table)
        columns = {name: coding.values for name, coding in codings.items()}
        return Held(folder, self.size, columns, self.what.sizes, self.made or None, self.groups is not None)

    def _numbers(self, name: str, domains: Sequence[int]) -> dict[int, Floats]:
        """The different amounts of a column in some subdomains."""
        found: dict[int, list[Floats]] = {domain: [] for domain in domains}
        for bucket in self.found.numbers:
            for domain, rows in cut_by_domain(self.found.look(bucket).select([DOMAIN, f"column {name}"])):
                if domain in found:
                    found[domain].append(np.unique(rows[f"column {name}"].to_numpy() + 0.0))
        merged = {domain: np.unique(np.concatenate([np.zeros(0), *each])) for domain, each in found.items()}
        return {domain: numbers[~np.isnan(numbers)] for domain, numbers in merged.items()}


def _of_each_level(values: Values) -> Values:
    """A column of categories with one record of each, so that another coding of it says what becomes of them."""
    return values if values.levels is None else values.with_data(np.arange(len(values.levels)))


@dataclass(frozen=True)
class _Coding:
    """One coding of a column that subdomains may have coded apart, as `join_values` finds it."""

    values: Values
    lookups: Mapping[int, Ints]  # of subdomains that code it otherwise: the last entry is for a gap
    numbers: Mapping[int, Floats]  # of subdomains where it holds amounts beside classes elsewhere

    @classmethod
    def of(
        cls,
        name: str,
        headers: Mapping[int, Mapping[str, Values]],
        numbers: Callable[[str, Sequence[int]], dict[int, Floats]],
    ) -> _Coding:
        parts = {domain: _of_each_level(headers[domain][name]) for domain in sorted(headers)}
        amounts = [domain for domain, values in parts.items() if values.levels is None]
        held: dict[int, Floats] = {}
        if amounts and len(amounts) < len(parts):
            held = numbers(name, amounts)
            parts |= {domain: values.with_data(held[domain]) for domain, values in parts.items() if domain in held}
        alike = dict(zip(parts, in_common(list(parts.values())), strict=True))
        first = next(iter(alike.values())).take(slice(0, 0))
        lookups = {
            domain: np.append(values.data, -1)
            for domain, values in alike.items()
            if first.levels is not None and (domain in held or headers[domain][name].levels != first.levels)
        }
        first = replace(first, levels=None if first.levels is None else of_one_type(first.levels))
        return cls(first, lookups, held)

    def recoded(self, data: Floats, domains: Ints) -> AnyArray:
        """The column as it is held, from what the subdomains of its records say."""
        if self.values.levels is None:
            return data
        codes = np.full(len(data), -1, dtype=np.int64)
        own = ~np.isin(domains, list(self.lookups))
        codes[own] = data[own].astype(np.int64)
        for domain in np.unique(domains[~own]).tolist():
            rows = domains == domain
            found = data[rows]
            if domain in self.numbers:
                places = np.searchsorted(self.numbers[domain], np.nan_to_num(found))
                found = np.where(np.isnan(found), -1, places)
            codes[rows] = self.lookups[domain][found.astype(np.int64)]
        return codes
