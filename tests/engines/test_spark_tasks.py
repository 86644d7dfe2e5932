"""What the engine `spark` gives its tasks, without Spark: all of it can be sent there, and comes back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import microveil as mv
from microveil.core import registered
from microveil.core.errors import BadInput, FileProblem
from microveil.core.streams import Key, Streams
from microveil.engines import SparkEngine, scan
from microveil.engines.part_bounds import PartBounds
from microveil.engines.passing import InBlocks
from microveil.engines.refusing import goes_by_blocks
from microveil.engines.spark_workers import SparkWorkers
from microveil.run.method import Method
from microveil.testing import grid_points
from microveil.testing.blocks import check_in_blocks
from tests.engines.fake_spark import FakeSession
from tests.engines.files import FACTS, KEY, people, same_releases, write_parts, written
from tests.engines.test_equality import PLANS

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'microveil[spark]'")


BY_TASKS = [
    "several steps",
    "groups inside subdomains",
    "clusters in pieces",
    "levels of keys, records left out",
    "cells of keys left out",
    "a sample of a sample",
]
REGRESSIONS = (mv.mask.Gadp, mv.synth.Ipso, mv.hybrid.MuralidharSarathy)  # they learn what ModelBased learns
SETTINGS = {
    cls: [method for method in grid_points(cls) if goes_by_blocks(method)]
    for cls in registered()
    if issubclass(cls, Method)
}


@pytest.mark.usefixtures("several_files")
@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [pytest.param(steps, id=name, marks=[pytest.mark.full] * (name not in BY_TASKS)) for name, steps in PLANS.items()],
)
def test_tasks_write_the_same_files(steps: list[Any], tmp_path: Path) -> None:
    source = scan(write_parts(tmp_path), **FACTS)
    whole, _ = same_releases(source, steps, tmp_path, SparkEngine(FakeSession(), 3, 20))
    assert len(whole.files) == -(-len(whole) // 50)


NEAR = mv.partition.Blocked(base=mv.partition.MDAV(k=3), size=20)


@pytest.mark.long
@pytest.mark.usefixtures("several_files")
@pytest.mark.parametrize(
    "step",
    [
        {"method": mv.mask.Microaggregation(partition=NEAR), "columns": ["income", "tax"]},
        {"method": mv.hybrid.MicroHybrid(partition=NEAR), "columns": ["income", "tax"], "given": []},
        {"method": mv.synth.Cart(), "columns": ["income", "sex"], "given": ["score"], "by": "region"},
    ],
    ids=["groups of near records", "a hybrid of near records", "trees inside subdomains"],
)
def test_tasks_run_the_parts_of_a_step(step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = scan(write_parts(tmp_path), **FACTS)
    expected = written(source, [step], tmp_path / "memory", "memory")[1]
    asked: list[int] = []
    look_into = SparkWorkers.look_into

    def counted(workers: Any, folder: Path, numbers: Any, what: str, work: Any) -> Any:
        asked.append(len(numbers))
        for number in numbers:
            work(number)  # a try whose result was lost
        return look_into(workers, folder, numbers, what, work)

    monkeypatch.setattr(SparkWorkers, "look_into", counted)
    found = written(source, [step], tmp_path / "out", SparkEngine(FakeSession(), 3, 20))[1]
    assert found == expected
    assert len(asked) == 1
    assert asked[0] > 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["memory", "out"]


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, id=repr(method), marks=[pytest.mark.full] * (number > 0 or cls in REGRESSIONS))
        for cls, methods in SETTINGS.items()
        for number, method in enumerate(methods)
    ],
)
def test_what_a_method_learns_and_does_can_be_sent(method: Method) -> None:
    check_in_blocks(method, SparkWorkers(FakeSession(), 3))


def test_what_is_not_known_of_the_file_is_found_where_the_run_began(tmp_path: Path) -> None:
    source = scan(write_parts(tmp_path), **FACTS)
    passing = InBlocks(source, Streams(Key.of(1)), 50, SparkWorkers(FakeSession(), 2))
    found = passing.gather(lambda passed: _Seen.of(passed.begun.source))
    assert found.units == {source.known.unit("income")}
    assert found.levels == {source.known.levels("region").levels}
    assert found.domains == {source.known.domains(["region", "sex"]).texts}


class _Seen:
    def __init__(self, units: set[Any], levels: set[Any], domains: set[Any]) -> None:
        self.units, self.levels, self.domains = units, levels, domains

    @classmethod
    def of(cls, block: Any) -> _Seen:
        return cls({block.unit("income")}, {block.encoded("region").levels}, {block.domains(["region", "sex"])[1]})

    def merge(self, other: _Seen) -> _Seen:
        return _Seen(self.units | other.units, self.levels | other.levels, self.domains | other.domains)


@pytest.mark.parametrize(("records", "part_rows"), [(1, 5), (5, 5), (6, 5), (997, 100), (997, 1), (4000, 1999)])
def test_words_alone_tell_the_file_of_a_record(records: int, part_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("microveil.engines.part_bounds._AT_ONCE", 300)
    monkeypatch.setattr("microveil.engines.part_bounds._BITS", 4)
    streams = Streams(Key.of(2)).at("write")
    bounds = PartBounds.of(streams, records, part_rows)
    places = np.empty(records, dtype=np.int64)
    places[streams.order(records)] = np.arange(records)
    rows = np.arange(records)
    assert bounds.parts(streams.words(0, records)[:, 0], rows).tolist() == (places // part_rows).tolist()


def test_equal_words_stand_in_the_order_of_the_source() -> None:
    bounds = PartBounds(np.array([7, 9], dtype=np.uint64), np.array([3, 5]))
    words, rows = np.array([6, 7, 7, 7, 8, 9, 9], dtype=np.uint64), np.array([9, 2, 3, 4, 0, 4, 5])
    assert bounds.parts(words, rows).tolist() == [0, 0, 1, 1, 1, 1, 2]


def test_an_error_of_a_task_is_raised_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = SparkEngine(FakeSession(), 3, 20)
    table = people()
    source = scan(write_parts(tmp_path, table), **FACTS)
    gaps = mv.Plan([(mv.mask.UncorrelatedNoise(), ["debt"])])
    with pytest.raises(mv.errors.MissingValues, match="'debt'"):
        gaps.run(source, into=tmp_path / "out", seed=KEY, engine=engine)
    noise = mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])])
    (tmp_path / "part1.parquet").rename(tmp_path / "away.parquet")
    with pytest.raises(FileProblem, match=r"part1\.parquet' changed after it was scanned"):
        noise.run(source, into=tmp_path / "out", seed=KEY, engine=engine)
    # there for whoever begins the run, and not for its tasks
    monkeypatch.setattr(type(source.files), "refuse_changed", lambda _: None)
    with pytest.raises(FileProblem, match=r"part1\.parquet' is not there for a Spark task on .*shared folder"):
        noise.run(source, into=tmp_path / "out", seed=KEY, engine=engine)
    assert not (tmp_path / "out").exists()


def test_other_refusals() -> None:
    with pytest.raises(BadInput, match="partitions must be a whole number of 1 or more; 0 was given"):
        SparkEngine(partitions=0)
    with pytest.raises(BadInput, match="block_rows must be"):
        SparkEngine(block_rows=None)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="threads are those of a session that is started here"):
        SparkEngine(FakeSession(), threads=2)
