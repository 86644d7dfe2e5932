"""Frames of Spark as files: those that a frame was read from, or else its records written once, out of sight."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as parquet

from microveil.core.errors import BadInput, FileProblem
from microveil.engines.files import Files
from microveil.engines.held_folder import HeldFolder, hidden_in
from microveil.engines.spark_context import without_pandas_warning
from microveil.engines.spark_workers import SparkWorkers, give_up

_GROUP_ROWS = 1 << 17
_NESTED = ("array", "map", "struct", "variant")
_ORDER = (
    "the records were taken in the order in which Spark gave those of the frame; where it may give another one, the "
    "same key draws otherwise: sort the frame, or scan the files that it comes from"
)


def is_spark_frame(given: object) -> bool:
    """Whether somebody gave a frame of Spark; by name, so that nobody else loads Spark."""
    return type(given).__name__ == "DataFrame" and type(given).__module__.startswith("pyspark.")


@dataclass(frozen=True)
class HeldFiles(Files):
    """Files that were written of a frame, and are there as long as somebody refers to them."""

    held: HeldFolder = field(compare=False, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """In which order the records stand: Spark may give another one another time."""
        return (_ORDER,)

    def __reduce__(self) -> tuple[type[Files], tuple[Any, ...]]:
        return Files, (self.paths, self.counts, self.schema)  # who gets this with a task reads, and removes nothing


def files_of_frame(frame: Any, folder: str | os.PathLike[str] | None) -> Files:
    """The files behind a plain read of Parquet; else those that Spark's tasks write of the frame, in its order."""
    if "connect" in type(frame).__module__.split("."):
        raise BadInput("this is a frame of a remote Spark server; give one of spark-submit or of this machine")
    read = _files_behind(frame)
    if read:
        # files of unlike columns are one frame to Spark
        with suppress(BadInput):
            found = Files.of_paths(sorted(read))
            if found.schema.names == frame.columns:
                return found
    if folder is None and not frame.sparkSession.sparkContext.master.startswith("local["):
        raise BadInput(
            "the records of this frame must be written once before they can be protected, and Spark works on other "
            "machines: say by folder=... in which folder, that all of them see, they may be kept meanwhile; or scan "
            "the Parquet files that they come from"
        )
    _refuse_nested(frame)
    SparkWorkers(frame.sparkSession.sparkContext).refuse_unlike()  # who has no pyarrow writes no Parquet
    return _written(frame, Path(tempfile.gettempdir() if folder is None else folder))


def _refuse_nested(frame: Any) -> None:
    for column in frame.schema.fields:
        kind = column.dataType
        if kind.typeName() in _NESTED:
            raise BadInput(
                f"column {column.name!r} of the frame holds {kind.simpleString()}; only plain columns can be taken: "
                "leave it out, or make plain columns of it"
            )


def _files_behind(frame: Any) -> list[Path]:
    """The files of a frame that is nothing but a read of Parquet files of this machine or a shared folder."""
    plan = frame._jdf.queryExecution().analyzed()
    if plan.getClass().getSimpleName() != "LogicalRelation":
        return []
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation" or not relation.partitionSchema().isEmpty():
        return []
    if relation.fileFormat().getClass().getSimpleName() != "ParquetFileFormat":
        return []
    places = [urlsplit(one) for one in frame.inputFiles()]
    if any(place.scheme not in ("", "file") for place in places):
        return []
    return [Path(unquote(place.path)) for place in places]


def _written(frame: Any, folder: Path) -> Files:
    """Write the records of a frame, each partition by its task; they stand in the order of partitions."""
    stage = hidden_in(folder, "the frame")
    try:
        stage.new.mkdir()
        with without_pandas_warning():
            told = _collected(frame.mapInArrow(_writing(str(stage.new)), "name string, rows long"))
        found = _found({stage.new / row["name"]: int(row["rows"]) for row in told}, folder)
    except BaseException:
        stage.remove()
        raise
    return HeldFiles(found.paths, found.counts, found.schema, HeldFolder(stage))


def _found(written: Mapping[Path, int], folder: Path) -> Files:
    """The files that tasks told of, with as many records as they told of each."""
    if not written:
        raise BadInput("the frame has no records; give one that has")
    paths = sorted(written)
    if not all(path.is_file() for path in paths):
        raise FileProblem(
            f"{str(folder)!r} is another folder on the machines of Spark than here; say by folder=... which all see"
        )
    found = Files.of_paths(paths)
    if found.counts != tuple(written[path] for path in paths):
        raise FileProblem("the files of the frame hold another number of records than Spark wrote; try again")
    return found


def _collected(told: Any) -> list[Any]:
    try:
        return list(told.collect())
    except Exception as problem:  # noqa: BLE001 - Spark's errors have no common base
        give_up(problem)


def _writing(folder: str) -> Any:
    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        name = f"part-{task.partitionId():05d}.parquet"
        own = Path(folder) / f"{name}.{task.taskAttemptId()}"
        rows, writer = 0, None
        for batch in batches:
            if batch.num_rows:
                writer = writer or parquet.ParquetWriter(own, batch.schema)
                writer.write_batch(batch, row_group_size=_GROUP_ROWS)
                rows += batch.num_rows
        if writer is not None:
            writer.close()
            own.replace(Path(folder) / name)  # another try of the task may be under way
            yield pa.record_batch([pa.array([name]), pa.array([rows], pa.int64())], names=["name", "rows"])

    return write
