"""Peak memory of MicroHybrid (k = 10) and LocalSynthesis beside the data: ten columns of doubles, a fresh process each.

What is counted is resident memory beyond that before the call, sampled while it runs. The machine code was compiled
and loaded by a smaller file before, large enough for the search tree of MDAV.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SIZES = (200_000, 1_000_000)
COMPILED = 60_000
PAGE = os.sysconf("SC_PAGESIZE")


def run(quick: bool) -> list[dict[str, Any]]:
    """The peak of one release, times the data."""
    return [
        _in_a_process(method, n) for method in ("micro-hybrid", "local-synthesis") for n in SIZES[: 1 + (not quick)]
    ]


def _in_a_process(method: str, n: int) -> dict[str, Any]:
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.peak", method, str(n)], check=True, capture_output=True, text=True
    )
    return dict(json.loads(found.stdout.splitlines()[-1]))


def _measure(method: str, n: int) -> dict[str, Any]:
    import microveil as mv
    from benchmarks.local_synthesis import clusters
    from benchmarks.mdav import make_data

    makes: dict[str, tuple[Any, Callable[[int], NDArray[np.float64]]]] = {
        "micro-hybrid": (
            mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)),
            lambda rows: make_data("clustered", rows, 10),
        ),
        "local-synthesis": (mv.hybrid.LocalSynthesis(), clusters),
    }
    hybrid, make = makes[method]

    def prepared(rows: int) -> mv.Microdata:
        return mv.Microdata(pa.table({f"x{j}": column for j, column in enumerate(make(rows).T)}))

    hybrid.apply(prepared(COMPILED), seed=1)
    data = prepared(n)
    gc.collect()
    before, seen, done = _resident(), [0], threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(_resident())
            time.sleep(0.003)

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.process_time()
    hybrid.apply(data, seed=1)
    taken = time.process_time() - start
    done.set()
    watcher.join()
    return {"method": method, "n": n, "cpu seconds": taken, "peak, times the data": (max(seen) - before) / (80 * n)}


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]))))
