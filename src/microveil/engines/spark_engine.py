"""The engine `spark`: a plan on files larger than a machine, by the tasks of a Spark session."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from microveil.core.errors import BadInput
from microveil.core.streams import Key
from microveil.engines.block_engine import run_in_blocks
from microveil.engines.file_release import FileRelease
from microveil.engines.files import BLOCK_ROWS
from microveil.engines.part_files import PartFile
from microveil.engines.passing import InBlocks
from microveil.engines.released_columns import Columns
from microveil.engines.scanning import Scan
from microveil.engines.spark_workers import tasks_of
from microveil.engines.spark_writing import write_by_tasks
from microveil.engines.survey import Survey
from microveil.engines.workers import Workers
from microveil.run.contract import Step
from microveil.run.state import Path as StreamPath
from microveil.run.steps import Progress


@dataclass(frozen=True)
class SparkEngine:
    """Takes a file in blocks of rows by Spark's tasks; what comes out is what other engines give, to the last bit.

    `session` is a `SparkSession`, which is left running; without one it is the session that runs already, that of
    `spark-submit`, or one on this machine with so many `threads` that is stopped at the end. `partitions`: how many
    tasks a pass over the file has.
    """

    name: ClassVar[str] = "spark"

    session: object = field(default=None, repr=False)
    partitions: int | None = None
    block_rows: int = BLOCK_ROWS
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("partitions", "block_rows", "threads"):
            given = getattr(self, name)
            if given is None and name != "block_rows":
                continue
            if isinstance(given, bool) or not isinstance(given, int) or given < 1:
                raise BadInput(f"{name} must be a whole number of 1 or more; {given!r} was given")
        if self.session is not None and self.threads is not None:
            raise BadInput("threads are those of a session that is started here; leave them out with a session")

    def run(
        self,
        source: Scan,
        steps: Sequence[Step],
        key: Key,
        into: Path,
        *,
        paths: Sequence[StreamPath] | None = None,
        reproducible: bool = False,
        progress: Progress | None = None,
    ) -> FileRelease:
        """Run the steps and write the release; every promise that blocks tell is checked before a file is there."""
        return run_in_blocks(self, source, steps, key, into, paths, reproducible, progress)

    def working(self) -> AbstractContextManager[Workers]:
        """The tasks of the session."""
        return tasks_of(self.session, self.partitions, self.threads)

    def write(
        self, passing: InBlocks, survey: Survey, columns: Columns, folder: Path, held: Path
    ) -> tuple[str, list[PartFile]]:
        """Write the records of all blocks in random order, each file by a task."""
        return write_by_tasks(passing, survey, columns, folder, held)
