"""Same key, same bytes: whatever the chunks, the threads or the process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import microveil as mv

frame = mv.datasets.make_enterprises(1500, seed=1)
data = mv.Microdata(frame, **mv.datasets.enterprises_schema(), integers="keep exact")
amounts = list(data.names("confidential"))
plan = mv.Plan([
    (mv.mask.CorrelatedNoise(p=0.2), amounts[:6]),
    (mv.mask.ExactNoise(p=0.3), amounts[6:8]),
    (mv.mask.RankSwap(p=5), amounts[8:]),
    (mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["employees"]),
])
release = plan.run(data, seed="same key", chunk_rows=int(sys.argv[1]))
for name in ("out.csv", "out.parquet"):
    print(mv.write(release, sys.argv[2] + name, reproducible=True).sha256)
"""


def written(place: str, chunk_rows: int, threads: int) -> str:
    environment = {
        **os.environ,
        **{f"{name}_NUM_THREADS": str(threads) for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")},
    }
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(chunk_rows), place]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_chunks_and_threads_do_not_change_a_byte(tmp_path):
    first = written(f"{tmp_path}/first-", 131072, 1)
    assert len(set(first.split())) == 2
    assert written(f"{tmp_path}/again-", 250, 2) == first
