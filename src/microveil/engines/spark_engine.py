"""The engine `spark`: a plan on files larger than a machine, by the tasks of a Spark session."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from microveil.core.errors import BadInput
from microveil.engines.block_engine import EngineOfBlocks, check_counts
from microveil.engines.files import BLOCK_ROWS
from microveil.engines.part_files import PartFile
from microveil.engines.passing import InBlocks
from microveil.engines.released_columns import Columns
from microveil.engines.spark_workers import tasks_of
from microveil.engines.spark_writing import write_by_tasks
from microveil.engines.survey import Survey
from microveil.engines.workers import Workers


@dataclass(frozen=True)
class SparkEngine(EngineOfBlocks):
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
        asked = {"partitions": self.partitions, "threads": self.threads}
        check_counts(block_rows=self.block_rows, **{name: one for name, one in asked.items() if one is not None})
        if self.session is not None and self.threads is not None:
            raise BadInput("threads are those of a session that is started here; leave them out with a session")

    def working(self) -> AbstractContextManager[Workers]:
        """The tasks of the session."""
        return tasks_of(self.session, self.partitions, self.threads)

    def write(
        self, passing: InBlocks, survey: Survey, columns: Columns, folder: Path, held: Path
    ) -> tuple[str, list[PartFile]]:
        """Write the records of all blocks in random order, each file by a task."""
        return write_by_tasks(passing, survey, columns, folder, held)
