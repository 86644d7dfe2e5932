"""Releases of every method that goes by blocks, by one engine under one setting: a program that tells hashes.

`python -m tests.engines.matrix FOLDER ENGINE PARTS ROWS` with the engine memory, blocks or spark, so many threads or
partitions, and so many rows in a block.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

import microveil as mv
from microveil.core import registered
from microveil.core.errors import MicroveilError
from microveil.engines import BlockEngine, SparkEngine, scan
from microveil.engines.refusing import can_be_run
from microveil.run.contract import Step
from microveil.run.engine import LocalEngine
from microveil.run.method import Method
from microveil.run.processor import depends_on_processor
from microveil.testing import grid_points
from microveil.testing.blocks import in_near_blocks
from microveil.testing.samples import HIERARCHY, KINDS, LEVELS, ROLES, sample_columns
from tests.engines.files import KEY

ROWS = 240
_CUTS = (0, 7, 31, 32, 150, ROWS)
ON_ONE = "on one processor: "  # before the names of methods whose numbers may be others on another


def write_shuffled(folder: Path) -> None:
    """The records in files of unlike sizes, of which the last are written first."""
    # households are numbered anew in memory only
    table = pa.table({name: values for name, values in sample_columns(ROWS).items() if name != "household"})
    for number in reversed(range(len(_CUTS) - 1)):
        part = table.slice(_CUTS[number], _CUTS[number + 1] - _CUTS[number])
        parquet.write_table(part, folder / f"part{number}.parquet", row_group_size=1 + 9 * number)


def methods() -> Iterator[Method]:
    """The methods that go by blocks, in all settings of their grids."""
    for cls in registered():
        if not (issubclass(cls, Method) and cls.__module__.startswith("microveil.")):
            continue
        for point in grid_points(cls):
            yield from (one for one in (point, *in_near_blocks(point)) if can_be_run(Step(one)))


def releases(folder: Path, engine: Any) -> dict[str, str]:
    """The hash of what each method wrote, or the error that refused it."""
    roles = {name: role for name, role in ROLES.items() if name != "household"}
    source = scan(
        folder / "part*.parquet", roles=roles, kinds=KINDS, levels={"school": LEVELS}, hierarchies={"place": HIERARCHY}
    )
    found = {}
    for number, method in enumerate(methods()):
        name = f"{ON_ONE if depends_on_processor(method) else ''}{number} {method!r}"
        with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                release = mv.Plan([method]).run(source, into=Path(place) / "out", seed=KEY, engine=engine)
            except MicroveilError as problem:
                found[name] = f"{type(problem).__name__}: {problem}"
                continue
            digest = hashlib.sha256(release.fingerprint.encode())
            for path in release.files:
                digest.update(path.read_bytes())
            found[name] = digest.hexdigest()
    return found


def main(folder: str, engine: str, parts: str, rows: str) -> None:
    """Print the hashes."""
    chosen = {
        "memory": lambda: LocalEngine(),
        "blocks": lambda: BlockEngine(int(parts), int(rows)),
        "spark": lambda: SparkEngine(None, int(parts), int(rows)),
    }[engine]()
    if engine != "spark":
        print(json.dumps(releases(Path(folder), chosen)))
        return
    from microveil.engines.spark_context import start_here, stop

    context = start_here(2)
    try:
        print(json.dumps(releases(Path(folder), chosen)))
    finally:
        stop(context)


if __name__ == "__main__":
    main(*sys.argv[1:])
