"""Which engine runs a plan on scanned files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.open_types import Stated
from microveil.core.streams import Key
from microveil.engines.block_engine import BlockEngine
from microveil.engines.file_release import FileRelease
from microveil.engines.memory_engine import run_in_memory
from microveil.engines.scanning import Scan
from microveil.engines.spark_engine import SparkEngine
from microveil.run.contract import Step
from microveil.run.engine import engine_of
from microveil.run.log import facts_in, steps_in, tell_other_release
from microveil.run.state import Path as StreamPath
from microveil.run.steps import Progress

_BY_BLOCKS: Mapping[str, Callable[[], BlockEngine | SparkEngine]] = {"blocks": BlockEngine, "spark": SparkEngine}


def run_scan(
    source: Scan,
    steps: Sequence[Step],
    integers: str | None,
    key: Key,
    into: str | Path | None,
    engine: object,
    chunk_rows: int | None,
    reproducible: bool,
    progress: Progress | None,
    paths: Sequence[StreamPath] | None = None,
) -> FileRelease:
    """Run steps on scanned files by the engine that a caller names or gives."""
    if into is None:
        raise BadInput("files that were scanned are protected into a folder; say which, with into='out'")
    if integers is not None and integers != source.integers:
        source = source.stated_as({"integers": integers})
    place = Path(into)
    chosen = _BY_BLOCKS[engine]() if isinstance(engine, str) and engine in _BY_BLOCKS else engine
    if isinstance(chosen, BlockEngine | SparkEngine):
        if chunk_rows is not None:
            chosen = replace(chosen, block_rows=chunk_rows)
        return chosen.run(source, steps, key, place, paths=paths, reproducible=reproducible, progress=progress)
    by = engine_of(engine, chunk_rows)
    return run_in_memory(source, steps, key, place, by, paths=paths, reproducible=reproducible, progress=progress)


def replay_scan(log: Stated, source: Scan, into: str | Path | None, engine: object) -> FileRelease:
    """Run a logged release again on scanned files, and prove that it is the same; other data are refused."""
    if source.mark != log["input"]["fingerprint"]:
        raise BadInput(
            "these are not the data of the log: their fingerprint differs; give all files that the release was made "
            "from, unchanged, under names of the same order"
        )
    steps, key, paths = steps_in(log)
    release = run_scan(
        source.stated_as(facts_in(log)), steps, None, key, into, engine, None, not key.strong, None, paths
    )
    if release.fingerprint != log["released"]["fingerprint"]:
        remove_files(release)
        raise BrokenPromise(tell_other_release(log))
    return release


def remove_files(release: FileRelease) -> None:
    """Take the files of a release away again."""
    for path in release.files:
        path.unlink(missing_ok=True)
    release.folder.rmdir()
