"""A file several times larger than what is held of it: memory does not grow with the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from microveil.core.locking import knows_locks

# what a process holds at most, in kB, beyond what a file of a sixth of the size took
_CODE = """
import resource, sys
import microveil as mv
from microveil.engines import BlockEngine, part_files, shuffling
part_files.PART_ROWS, shuffling._BUCKET_ROWS = 1 << 16, 1 << 15
def run(path, into):
    source = mv.scan(path, roles={"x0": "confidential", "g": "key"})
    plan = mv.Plan([(mv.mask.UncorrelatedNoise(), ["x0", "x1"]), (mv.mask.Pram(), ["g"])])
    plan.run(source, into=into, seed="7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21",
        engine=BlockEngine(1, 1 << 16))
run(sys.argv[1], sys.argv[3])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run(sys.argv[2], sys.argv[4])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(not knows_locks(), reason="this system does not tell how much memory a process held at most")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    for name, rows in (("small", 140_000), ("large", 840_000)):
        columns = {f"x{number}": draw.normal(size=rows) for number in range(4)}
        table = pa.table({**columns, "g": draw.integers(0, 5, rows)})
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=1 << 15)
    size = (tmp_path / "large.parquet").stat().st_size / 1024
    words = [str(tmp_path / name) for name in ("small.parquet", "large.parquet", "a", "b")]
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *words], capture_output=True, text=True, timeout=300, check=True
    )
    assert int(done.stdout) < size / 2, f"{int(done.stdout)} kB more for a file of {size:.0f} kB"
