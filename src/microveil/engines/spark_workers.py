"""Spark's tasks as those who work on blocks: each has a run of blocks, reads them itself and returns what it found."""

from __future__ import annotations

import pickle
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from microveil.core.errors import BadInput, FileProblem
from microveil.core.passes_told import looked_at
from microveil.engines.files import Block, Files
from microveil.engines.spark_context import context_of
from microveil.engines.workers import Nobody
from microveil.kernels.summaries.summary import Summary, merge_all

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound=Summary)

_TASKS_PER_CORE = 4
_BLOCKS_PER_TASK = 16  # at most, where nobody says how many tasks there are
_ALIKE: set[str] = set()  # Spark's applications that were looked at
_SAME = ("microveil", "numpy", "scipy", "numba", "pyarrow")  # versions on which bytes may depend


@dataclass(frozen=True)
class SparkWorkers:
    """Tasks of a Spark context, as many as `partitions` says; what they find is merged here, in the order of blocks.

    Spark knows spans of rows and bytes, and none of the records: it hands out work, does it again where it was lost,
    and no statistic is its own.
    """

    context: Any
    partitions: int | None = None

    def __reduce__(self) -> tuple[type[Nobody], tuple[()]]:
        return Nobody, ()  # who gets this with a task hands out nothing

    def each(self, files: Files, rows: int, names: Sequence[str] | None, work: Callable[[Block], R]) -> Iterator[R]:
        """What comes of each block, in their order."""
        own = absolute(files)
        found = self.run(
            self.spans(files.rows, rows),
            lambda span: [work(block) for block in own.blocks(rows, names, *span)],
            own.paths,
        )
        return (one for part in found for one in part)

    def gather(self, files: Files, rows: int, names: Sequence[str] | None, of: Callable[[Block], S]) -> S:
        """The summaries of all blocks: merged in each task, and those of the tasks here."""
        own = absolute(files)
        spans = self.spans(files.rows, rows)
        return merge_all(self.run(spans, lambda span: merge_all(map(of, own.blocks(rows, names, *span))), own.paths))

    def look_into(self, folder: Path, numbers: Sequence[int], what: str, work: Callable[[int], R]) -> Iterator[R]:
        """What comes of each file, a task for each."""
        return self.run(numbers, work, [folder])

    def spans(self, records: int, rows: int) -> list[tuple[int, int]]:
        """Runs of whole blocks, one for each task."""
        blocks = -(-records // rows)
        most = max(_TASKS_PER_CORE * self.context.defaultParallelism, -(-blocks // _BLOCKS_PER_TASK))
        tasks = min(blocks, self.partitions or most)
        cuts = [number * blocks // tasks * rows for number in range(tasks)]
        return list(zip(cuts, [*cuts[1:], records], strict=True))

    def run(self, items: Sequence[T], work: Callable[[T], R], paths: Sequence[Path]) -> Iterator[R]:
        """What comes of each item, one for each task, in their order; the first error in that order is raised.

        `paths` are what the tasks read: that one is not there for them explains their errors.
        """
        if not items:
            return iter(())
        return self.collect(self.context.parallelize(items, len(items)).map(telling(work, paths)), len(items))

    def collect(self, told: Any, tasks: int) -> Iterator[Any]:
        """What so many tasks told, in their order."""
        try:
            with looked_at("tasks", tasks, self._tasks):
                found = told.collect()
        except Exception as problem:  # noqa: BLE001 - Spark's errors have no common base
            give_up(problem)
        return (heard(one) for one in found)

    def _tasks(self) -> tuple[int, int]:
        """How many tasks of the work under way are done, and how many it has; of stages that have begun."""
        tracker = self.context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)

    def refuse_unlike(self) -> None:
        """Refuse in one sentence where those who work have no microveil, or other versions than this process."""
        if self.context.applicationId in _ALIKE:
            return
        look = _looking()
        ((_, wanted),) = look(None)
        tasks = min(64, self.context.defaultParallelism)
        told = self.context.parallelize(range(tasks), tasks).mapPartitions(look)
        try:
            found = told.collect()
        except Exception as problem:  # noqa: BLE001
            give_up(problem)
        for host, versions in found:
            for name, own in wanted.items():
                if versions[name] is None:
                    raise BadInput(
                        f"{name} is not installed for the Python of the Spark tasks on {host}; install microveil "
                        "there, or send an environment along, and name its Python by PYSPARK_PYTHON (docs: large files)"
                    )
                if versions[name] != own:
                    raise BadInput(
                        f"Spark tasks on {host} have {name} {versions[name]}, and here it is {own}; give both the same "
                        "versions, so that the release is the same wherever it is made"
                    )
        _ALIKE.add(self.context.applicationId)


@contextmanager
def tasks_of(session: object, partitions: int | None = None, threads: int | None = None) -> Iterator[SparkWorkers]:
    """The tasks of a session, or of that which runs or is started where none is given; looked at before they work."""
    with context_of(session, threads) as context:
        workers = SparkWorkers(context, partitions)
        workers.refuse_unlike()
        yield workers


def give_up(problem: Exception) -> NoReturn:
    """Tell in one sentence why Spark did not do the work; what is no error of Spark is raised as it is."""
    if type(problem).__module__.split(".")[0] not in ("py4j", "pyspark"):
        raise problem
    java = getattr(problem, "java_exception", None)
    text = str(problem) if java is None else str(java.getMessage())
    if "PYTHON_VERSION_MISMATCH" in text:
        raise BadInput(
            f"Spark's tasks run another Python than this process, which is {platform.python_version()}; set "
            "PYSPARK_PYTHON to the same one on all machines"
        ) from None
    raise FileProblem(f"Spark gave the work up: {_reason(text).rstrip('.')}; nothing was written") from problem


def _reason(text: str) -> str:
    """The first line of what Spark says; where it only announces an error of a task, that error."""
    lines = [" ".join(line.split()) for line in text.strip().split("\n") if line[:1].strip()]
    announced = bool(lines) and lines[0].endswith(":")
    return lines[-1 if announced else 0] if lines else "it does not say why"


def absolute(files: Files) -> Files:
    """The same files by names that do not depend on where a process stands."""
    return replace(files, paths=tuple(path.absolute() for path in files.paths))


def telling(work: Callable[[T], R], paths: Sequence[Path]) -> Callable[[T], bytes]:
    """The same work, of which an error is told like a result: to do it again would not help."""

    def told(item: T) -> bytes:
        try:
            return pickle.dumps((True, work(item)), protocol=5)
        except MemoryError:
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is raised where the run was started
            return pickle.dumps((False, _not_seen(paths) or problem), protocol=5)

    return told


def _not_seen(paths: Sequence[Path]) -> FileProblem | None:
    for path in paths:
        if not path.exists():
            return FileProblem(
                f"{str(path)!r} is not there for a Spark task on {platform.node()}; put the files where all of Spark's "
                "machines see them by the same name, such as a shared folder"
            )
    return None


def heard(told: bytes) -> Any:
    """What a task told; its error is raised."""
    well, found = pickle.loads(told)
    if not well:
        raise found
    return found


def _looking() -> Callable[[object], Iterator[tuple[str, dict[str, str | None]]]]:
    names = _SAME

    def look(_: object) -> Iterator[tuple[str, dict[str, str | None]]]:
        # sent as a whole, and needs nothing of this package: it may not be there
        import platform
        from importlib.metadata import PackageNotFoundError, version
        from importlib.util import find_spec

        found: dict[str, str | None] = {}
        for name in names:
            try:
                found[name] = version(name)
            except PackageNotFoundError:  # a folder of sources has no version
                found[name] = None if find_spec(name) is None else "without a version"
        yield platform.node(), found

    return look
