"""A file several times larger than what is held of it: no engine but `memory` gathers its records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from microveil.core.locking import knows_locks
from tests.spark import need_spark

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not knows_locks(), reason="this system does not tell how much memory a process held at most"),
]

# what a process holds at most, in kB, beyond what a file of a sixth of the size took: by blocks, and
# with another engine behind it
_BLOCKS = """
import resource, sys
import microveil as mv
from microveil.engines import BlockEngine, part_files, shuffling
part_files.PART_ROWS, shuffling._BUCKET_ROWS = 1 << 15, 1 << 14
from tests.engines.files import KEY
def protect(path, into, engine):
    source = mv.scan(path, roles={"x0": "confidential", "g": "key"})
    hybrid = mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise())
    mv.Plan([(hybrid, ["x0", "x1"]), (mv.mask.Pram(), ["g"])]).run(source, into=into, seed=KEY, engine=engine)
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small, large, into = sys.argv[1:4]
protect(small, into + "-a", BlockEngine(2, 1 << 14))
before = most()
protect(large, into + "-b", BlockEngine(2, 1 << 14))
by_blocks = most() - before
if len(sys.argv) > 4:
    protect(large, into + "-c", sys.argv[4])
print(by_blocks, most() - before)
"""

# the same of the processes of Spark's tasks, and of that which hands the work out
_SPARK = """
import os, resource, sys
import microveil as mv
from microveil.engines import SparkEngine, part_bounds, part_files
from microveil.engines.files import Files
from microveil.engines.spark_context import start_here, stop
from microveil.engines.spark_workers import SparkWorkers
part_files.PART_ROWS, part_bounds._AT_ONCE = 1 << 15, 1 << 16
from tests.engines.files import KEY
def most(_=0):
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def protect(context, path, into):
    engine = SparkEngine(None, 8, 1 << 15)
    source = mv.scan(path, roles={"x0": "confidential", "g": "key"}, engine=engine)
    plan = mv.Plan([(mv.mask.UncorrelatedNoise(), ["x0", "x1"]), (mv.mask.Pram(), ["g"])])
    plan.run(source, into=into, seed=KEY, engine=engine)
    # tasks are run by the same processes again
    return most(), max(SparkWorkers(context, 8).run(range(8), most, Files.of(path)))
small, large, into = sys.argv[1:]
context = start_here(2)
before, after = protect(context, small, into + "-a"), protect(context, large, into + "-b")
print(after[0] - before[0], after[1] - before[1])
stop(context)
"""


def _grown(code: str, folder: Path, rows: int, *more: str) -> tuple[list[int], float]:
    """What the process says it took beyond the small file, and how much the large one unpacked takes, in kB."""
    draw = np.random.default_rng(1)
    for name, size in (("small", rows // 6), ("large", rows)):
        columns = {f"x{number}": draw.normal(size=size) for number in range(4)}
        table = pa.table({**columns, "g": draw.integers(0, 5, size)})
        parquet.write_table(table, folder / f"{name}.parquet", row_group_size=1 << 15)
    words = [str(folder / name) for name in ("small.parquet", "large.parquet", "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words, *more], capture_output=True, text=True, timeout=550, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [int(word) for word in done.stdout.splitlines()[-1].split()], table.nbytes / 1024


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    (by_blocks, _), size = _grown(_BLOCKS, tmp_path, 2_000_000)
    assert by_blocks < size / 2, f"{by_blocks} kB more for a file of {size:.0f} kB"


def test_what_gathers_all_records_is_told_by_its_memory(tmp_path: Path) -> None:
    (_, in_memory), size = _grown(_BLOCKS, tmp_path, 2_000_000, "memory")
    assert in_memory > size


def test_neither_tasks_of_spark_nor_who_hands_them_out_gather_the_file(tmp_path: Path) -> None:
    need_spark()
    (here, in_tasks), size = _grown(_SPARK, tmp_path, 3_000_000)
    assert here < size / 4, f"{here} kB more for a file of {size:.0f} kB"
    assert in_tasks < size / 2, f"{in_tasks} kB more for a file of {size:.0f} kB"
