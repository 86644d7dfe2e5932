"""The engine `spark`: the bytes of the engine `memory`, whatever its tasks are and whatever becomes of them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core import registered
from microveil.core.errors import BadInput, FileProblem
from microveil.core.streams import Key, Streams
from microveil.engines import FileRelease, SparkEngine, scan, spark_writing
from microveil.engines.files import Block
from microveil.engines.part_files import PartFile
from microveil.engines.passing import InBlocks
from microveil.engines.refusing import goes_by_blocks
from microveil.engines.spark_context import context_of
from microveil.engines.spark_workers import SparkWorkers
from microveil.plan import replay, save_log
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.testing import grid_points
from tests.engines.files import FACTS, KEY, ROWS, people, write_parts
from tests.engines.test_equality import CLOSE, PIECES

pytestmark = [
    pytest.mark.long,
    # pyspark leaves sockets to the collector of garbage
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

# sums in subdomains with records left out; counts; values of a mask inside a hybrid
NOISE = {"method": mv.mask.CorrelatedNoise(), "columns": ["income", "debt"], "by": "region", "missing": "drop"}
PRAM = (mv.mask.Pram(), ["region", "sex"])
HYBRID = (mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise(p=0.5)), ["tax", "score"])

# models of a part, beside kept columns
PART = {"method": mv.synth.SequentialRegression(learn_from=60), "columns": ["tax", "age"], "given": ["sex", "score"]}

# cells that some of equal records lose; records left out, and classes of equal keys judged on what is written
CELLS = {"method": mv.mask.LocalSuppression(k=20), "columns": ["region", "sex"]}
LEVELS = {"method": mv.mask.Lattice(model=CLOSE, max_dropped=0.2), "columns": ["income", "tax"]}


def cut_otherwise(folder: Path, cuts: list[int], group: int) -> str:
    """The same records in other files, of which the last are written first."""
    table = people()
    for number in reversed(range(len(cuts) - 1)):
        part = table.slice(cuts[number], cuts[number + 1] - cuts[number])
        parquet.write_table(part, folder / f"other{number}.parquet", row_group_size=group)
    return str(folder / "other*.parquet")


def bytes_of(release: FileRelease) -> list[bytes]:
    return [path.read_bytes() for path in release.files]


@pytest.mark.parametrize(
    ("steps", "partitions", "block_rows", "cuts", "group"),
    [
        pytest.param([HYBRID], 1, 100, [0, ROWS], 50, marks=pytest.mark.full),
        ([NOISE, PRAM], 3, 20, [0, 7, 31, 32, 120, ROWS], 9),
        pytest.param([PRAM, PART | {"missing": "mask"}], 8, 7, [0, 90, 90, ROWS], 64, marks=pytest.mark.full),
        pytest.param([LEVELS, CELLS], 5, 30, [0, 20, ROWS], 64, marks=pytest.mark.full),
        pytest.param([(PIECES, ["income", "tax", "region"])], 4, 20, [0, 90, ROWS], 64, marks=pytest.mark.full),
    ],
    ids=["1", "3", "8", "5", "4"],
)
@pytest.mark.usefixtures("several_files", "spark_context")
def test_tasks_write_the_same_files(
    steps: list[Any], partitions: int, block_rows: int, cuts: list[int], group: int, tmp_path: Path
) -> None:
    plan = mv.Plan(steps)
    whole = plan.run(scan(write_parts(tmp_path), **FACTS), into=tmp_path / "memory", seed=KEY)
    source = scan(cut_otherwise(tmp_path, cuts, group), **FACTS)
    found = plan.run(source, into=tmp_path / "out", seed=KEY, engine=SparkEngine(None, partitions, block_rows))
    assert found.engine == "spark"
    assert len(found.files) > 2
    assert bytes_of(found) == bytes_of(whole)
    assert (found.fingerprint, found.claims, found.lost) == (whole.fingerprint, whole.claims, whole.lost)
    assert found.unchecked == ()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["memory", "out"]
    if partitions == 1:
        assert all(verdict.holds for verdict in found.check())
        save_log(found, tmp_path / "log.json")
        again = replay(tmp_path / "log.json", source, into=tmp_path / "again")
        assert bytes_of(again) == bytes_of(found)


@pytest.mark.full
def test_every_method_acts_in_tasks_as_it_does_here(spark_context: Any, tmp_path: Path) -> None:
    source = scan(write_parts(tmp_path), **FACTS)
    streams = Streams(Key.of(1).for_data(source.mark))
    methods = [next(filter(goes_by_blocks, grid_points(cls)), None) for cls in registered() if issubclass(cls, Method)]
    passed = []
    for method in filter(None, methods):
        step = Step(method, missing="mask")
        try:
            passed.append((repr(method), InBlocks(source, streams, 50).learn(step, ("step", 1))))
        except BadInput:  # a few settings are for other columns than those of this file
            continue
    assert len({name.split("(")[0] for name, _ in passed}) > 8

    def values(number: int) -> list[dict[str, bytes]]:
        own = passed[number][1]
        states = [own.passed(block).state for block in own.source.files.blocks(50)]
        return [{column: found.data.tobytes() for column, found in state.changed.items()} for state in states]

    found = SparkWorkers(spark_context).run(range(len(passed)), values, source.files)
    for number, (name, told) in enumerate(zip([name for name, _ in passed], found, strict=True)):
        assert told == values(number), name


@pytest.mark.full
def test_work_that_is_lost_is_done_again(spark_context: Any, tmp_path: Path) -> None:
    files = scan(write_parts(tmp_path), **FACTS).files
    marks = tmp_path / "marks"
    marks.mkdir()

    def work(block: Block) -> tuple[int, int]:
        try:
            (marks / str(block.first)).touch(exist_ok=False)
        except FileExistsError:
            return block.first, block.table.num_rows
        if block.first in (0, 100):
            os.kill(os.getpid(), signal.SIGKILL)
        return block.first, block.table.num_rows

    found = list(SparkWorkers(spark_context, 3).each(files, 50, ["income"], work))
    assert found == [(0, 50), (50, 50), (100, 50), (150, 30)]


@pytest.mark.usefixtures("several_files", "spark_context")
def test_a_task_that_dies_while_it_writes_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, source = mv.Plan([PRAM]), scan(write_parts(tmp_path), **FACTS)
    whole = plan.run(source, into=tmp_path / "memory", seed=KEY)
    killed, write = tmp_path / "killed", spark_writing._write

    def deadly(number: int, **how: Any) -> PartFile:
        if number == 1 and not killed.exists():
            killed.touch()
            (how["held"] / "half").write_bytes(b"half of a file")
            os.kill(os.getpid(), signal.SIGKILL)
        return write(number, **how)

    monkeypatch.setattr(spark_writing, "_write", deadly)
    found = plan.run(source, into=tmp_path / "out", seed=KEY, engine=SparkEngine(None, 2, 60))
    assert killed.exists()
    assert bytes_of(found) == bytes_of(whole)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.full
@pytest.mark.usefixtures("spark_context")
def test_where_spark_gives_up_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(*_: Any, **how: Any) -> PartFile:
        (how["held"] / "half").write_bytes(b"half of a file")
        os._exit(1)

    monkeypatch.setattr(spark_writing, "_write", deadly)
    plan, source = mv.Plan([PRAM]), scan(write_parts(tmp_path), **FACTS)
    with pytest.raises(FileProblem, match=r"^Spark gave the work up: Job aborted .*; nothing was written$") as told:
        plan.run(source, into=tmp_path / "out", seed=KEY, engine="spark")
    assert "\n" not in str(told.value)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".") or path.name == "out"]


def test_a_session_that_is_given_or_runs_is_left_running(spark_context: Any, spark: Any) -> None:
    for given in (spark, None):
        with context_of(given, None) as context:
            assert context is spark_context
    assert spark_context._jsc is not None
