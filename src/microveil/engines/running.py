"""Which engine runs a plan on scanned files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.core.streams import Key
from microveil.engines.block_engine import BlockEngine
from microveil.engines.file_release import FileRelease
from microveil.engines.memory_engine import run_in_memory
from microveil.engines.scanning import Scan
from microveil.run.contract import Step
from microveil.run.engine import engine_of
from microveil.run.steps import Progress


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
) -> FileRelease:
    """Run steps on scanned files by the engine that a caller names or gives."""
    if into is None:
        raise BadInput("files that were scanned are protected into a folder; say which, with into='out'")
    if integers is not None and integers != source.integers:
        source = source.with_integers(integers)
    place = Path(into)
    if engine == "blocks" or isinstance(engine, BlockEngine):
        chosen = engine if isinstance(engine, BlockEngine) else BlockEngine()
        if chunk_rows is not None:
            chosen = BlockEngine(chosen.threads, chunk_rows)
        return chosen.run(source, steps, key, place, reproducible=reproducible, progress=progress)
    by = engine_of(engine, chunk_rows)
    return run_in_memory(source, steps, key, place, by, reproducible=reproducible, progress=progress)
