"""Engines: parts and summaries come out the same however the file is split, and an engine that is given is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import microveil as mv
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.progress import advance, listening
from microveil.core.registry import registered
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.kernels.moments.central import centred_moments, finish_moments
from microveil.mask.base import RowWise
from microveil.run.engine import Engine, LocalEngine, engine_of
from microveil.run.job import Job, Outcome
from microveil.run.parts import Part, Ran, Run, group_parts, run_by_rows
from microveil.run.statistics import gather_moments
from microveil.testing.values import grid_points

N = 400
DRAW = np.random.default_rng(3)
STREAMS = Streams(Key.of(9)).at("step", 1)
AMOUNTS = Table.of_matrix(np.round(DRAW.lognormal(8, 1, size=(N, 3)), 2), ["income", "wealth", "debt"])
GAPPY = Table(
    {**AMOUNTS.columns, "debt": Values("continuous", np.where(DRAW.random(N) < 0.1, np.nan, AMOUNTS["debt"].data))}, N
)
KEYS = Table(
    {
        "region": Values("nominal", DRAW.integers(-1, 5, N), ("n", "e", "s", "w", "m")),
        "size": Values("ordinal", DRAW.integers(0, 4, N), ("a", "b", "c", "d")),
    },
    N,
)


def job_of(table: Table, engine: Engine, streams: Streams = STREAMS) -> Job:
    return Job(streams, Table({}, table.rows), table, engine=engine, around=Table({}, table.rows))


def cells(outcome: Outcome) -> dict[str, tuple[bytes, object]]:
    return {name: (values.data.tobytes(), values.levels) for name, values in outcome.columns.items()}


# -- one machine ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "rows"),
    [(LocalEngine(2, 7), N), (LocalEngine(4, 64), N), (LocalEngine(3, 1), 60), (LocalEngine(1, N), N)],
)
def test_threads_and_chunks_do_not_matter(engine: LocalEngine, rows: int) -> None:
    for method, table in BY_ROWS:
        some = table.take(slice(0, rows))
        whole, found = (method.run(some, job_of(some, one)) for one in (LocalEngine(), engine))
        assert (cells(found), found.notes) == (cells(whole), whole.notes), method


def test_rows_are_split_without_gaps() -> None:
    assert list(LocalEngine(chunk_rows=4).split(9)) == [slice(0, 4), slice(4, 8), slice(8, 9)]
    assert list(LocalEngine().split(0)) == [slice(0, 0)]


def test_many_threads_run_all_parts_in_their_order_and_tell_the_first_error() -> None:
    labels = np.arange(N) % 40

    def largest(part: Table, job: Job) -> Outcome:
        return Outcome({}, notes=(str(part["income"].data.max()),))

    alone, several = (
        engine.map(group_parts(AMOUNTS, job_of(AMOUNTS, engine), labels), largest, N)
        for engine in (LocalEngine(), LocalEngine(threads=4))
    )
    assert [one.outcome.notes for one in several] == [one.outcome.notes for one in alone]

    def refuse(part: Table, job: Job) -> Outcome:
        assert job.engine == LocalEngine(threads=1)
        raise NotEnoughRecords("too few")

    engine = LocalEngine(threads=4)
    with pytest.raises(NotEnoughRecords, match=r"^in group 0 of 10 records: too few$"):
        engine.map(group_parts(AMOUNTS, job_of(AMOUNTS, engine), labels), refuse, N)


def test_threads_tell_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("microveil.core.progress._APART", 0.0)
    told: list[float] = []
    engine = LocalEngine(threads=2, chunk_rows=100)

    def slow(part: Table, job: Job) -> Outcome:
        advance(0.5)
        return Outcome(part.columns)

    with listening(told.append):
        run_by_rows(slow, AMOUNTS, job_of(AMOUNTS, engine))
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_tallies_of_the_rows_add_up() -> None:
    repair = mv.mask.Repair(low=1000.0, high=5000.0)
    whole, parts = (
        repair.run(AMOUNTS, job_of(AMOUNTS, engine)) for engine in (LocalEngine(), LocalEngine(chunk_rows=9))
    )
    assert whole.notes == parts.notes
    assert len(parts.notes) == 1


# -- an engine that has one block of the file at a time ------------------------------------------


@dataclass
class OneBlock:
    """A file in blocks on disk, of which one at a time is in memory; what is gathered is merged backwards."""

    folder: Path
    table: Table
    rows: int = 0

    def __post_init__(self) -> None:
        for start in range(0, self.table.rows, 37):
            block = self.table.take(slice(start, start + 37))
            np.savez(self.folder / f"{start:06d}.npz", **{name: block[name].data for name in block.names})
        self.rows = self.table.rows
        # what is known without reading: columns, kinds and levels, and how many records there are
        self.table = Table(self.table.take(slice(0, 0)).columns, self.rows)

    def blocks(self) -> Iterator[tuple[int, Table]]:
        for path in sorted(self.folder.glob("*.npz"), reverse=True):
            with np.load(path) as found:
                columns = {name: values.with_data(found[name]) for name, values in self.table.columns.items()}
            yield int(path.stem), Table(columns, len(next(iter(columns.values())).data))

    def split(self, rows: int) -> Iterable[slice]:
        raise AssertionError("its blocks are those on disk")

    map: Any = split

    def gather(self, table: Table, job: Job, of: Callable[[Table, Job], Any]) -> Any:
        assert table is self.table
        found: Any = None
        for start, block in self.blocks():
            its = job_of(block, self, job.streams.of_rows(start + np.arange(block.rows)))
            found = of(block, its) if found is None else found.merge(of(block, its))
        return found

    def protect(self, method: RowWise) -> dict[str, tuple[bytes, object]]:
        known = method.learn(self.table, job_of(self.table, self))
        done = {
            start: method.act(block, job_of(block, self, STREAMS.of_rows(start + np.arange(block.rows))), known)
            for start, block in self.blocks()
        }
        columns = {
            name: (b"".join(done[start].columns[name].data.tobytes() for start in sorted(done)), values.levels)
            for name, values in done[0].columns.items()
        }
        assert all(one.columns[name].levels == columns[name][1] for one in done.values() for name in columns)
        return columns


BY_ROWS: list[tuple[RowWise, Table]] = [
    (mv.mask.UncorrelatedNoise(), GAPPY),
    (mv.mask.UncorrelatedNoise(distribution="laplace", zero_stay=True), AMOUNTS),
    (mv.mask.CorrelatedNoise(), GAPPY),
    (mv.mask.KimNoise(), AMOUNTS),
    (mv.mask.Round(base=10, mode="random"), GAPPY),
    (mv.mask.Repair(low=1000.0, sums={"income": ("wealth", "debt")}), AMOUNTS),
    (mv.mask.Pram(pattern="frequency"), KEYS),
    (mv.mask.Pram(joint=True), KEYS),
    (mv.mask.GlobalRecode(bins=7), GAPPY),
    (mv.mask.GlobalRecode(cut_by="optimal"), AMOUNTS),
    (mv.mask.GlobalRecode(rules={"size": ("1: a, b", "2: c-d")}, rare=90), KEYS),
]


@pytest.mark.parametrize(("method", "table"), BY_ROWS, ids=[repr(method) for method, _ in BY_ROWS])
def test_block_by_block_gives_the_bytes_of_the_whole(method: RowWise, table: Table, tmp_path: Path) -> None:
    assert OneBlock(tmp_path, table).protect(method) == cells(method.run(table, job_of(table, LocalEngine())))


def test_moments_of_blocks_are_those_that_hybrids_restore(tmp_path: Path) -> None:
    engine = OneBlock(tmp_path, AMOUNTS)
    found = finish_moments(*gather_moments(engine.table, job_of(engine.table, engine), lambda block, _: block.matrix()))
    for one, other in zip(found, centred_moments(AMOUNTS.matrix()), strict=True):
        assert one.tobytes() == other.tobytes()
    gaps = Table({"x": Values("continuous", np.array([1.0, np.nan]))}, 2)
    with pytest.raises(BadInput, match="finite values"):
        gather_moments(gaps, job_of(gaps, LocalEngine()), lambda block, _: block.matrix())


# -- which engine --------------------------------------------------------------------------------


@dataclass
class Recording:
    """Does what the local engine does, and remembers what it was asked."""

    asked: list[str] = field(default_factory=list)
    inner: LocalEngine = field(default_factory=lambda: LocalEngine(chunk_rows=50))

    def map(self, parts: Iterable[Part], run: Run, rows: int) -> list[Ran]:
        self.asked.append("map")
        return self.inner.map((replace(part, job=replace(part.job, engine=self)) for part in parts), run, rows)

    def split(self, rows: int) -> Iterable[slice]:
        self.asked.append("split")
        return self.inner.split(rows)

    def gather(self, table: Table, job: Job, of: Callable[[Table, Job], Any]) -> Any:
        self.asked.append("gather")
        return self.inner.gather(table, job, of)


FRAME = {"income": AMOUNTS["income"].data, "region": np.where(KEYS["region"].data > 1, "east", "west")}


def test_a_plan_is_run_by_the_engine_that_is_given() -> None:
    import pyarrow as pa

    frame = pa.table(FRAME)
    plan = mv.Plan([{"method": mv.mask.UncorrelatedNoise(), "columns": "income", "by": "region"}])
    engine = Recording()
    release = plan.run(frame, seed=1, engine=engine)
    assert release.frame.equals(plan.run(frame, seed=1).frame)
    assert release.frame.equals(plan.run(frame, seed=1, engine="memory", chunk_rows=3).frame)
    # two subdomains by one map; in each two passes for the spread, then its rows
    inside = ["gather", "gather", "split", "map"]
    assert engine.asked == ["map", *inside, *inside]


@pytest.mark.parametrize(
    "method",
    [method for cls in registered(mv.data.Method) for method in grid_points(cls) if method.passes == "row"],
    ids=repr,
)
def test_what_needs_the_record_alone_is_split_by_the_engine(method: Any) -> None:
    engine = Recording()
    method.run(AMOUNTS, job_of(AMOUNTS, engine))
    assert engine.asked == ["split", "map"]


def test_hybrids_run_their_groups_by_the_engine() -> None:
    import pyarrow as pa

    # masks that take all clusters in one pass are no parts
    for method in (mv.hybrid.LocalMasking(mask=mv.mask.CorrelatedNoise(p=0.2)), mv.hybrid.MicroHybrid()):
        engine = Recording()
        mv.Plan([(method, ["income"])]).run(pa.table(FRAME), seed=1, engine=engine)
        assert engine.asked.count("map") >= 2


@pytest.mark.parametrize("wrong", ["blocks", None, LocalEngine, 3])
def test_other_engines_are_refused(wrong: Any) -> None:
    with pytest.raises(BadInput, match=r"^engine is .*; give 'memory', 'blocks' or 'spark' for scanned files, or"):
        engine_of(wrong)


def test_rows_at_a_time_belong_to_the_engine_in_memory() -> None:
    with pytest.raises(BadInput, match="leave chunk_rows out"):
        engine_of(Recording(), 5)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(BadInput, match=f"chunk_rows must be a whole number of 1 or more; {wrong} was given"):
            engine_of("memory", wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="threads must be a whole number of 1 or more; 0 was given"):
        LocalEngine(threads=0)
