"""Time of MicroHybrid and of its parts, k = 10: the partition decides; peak memory beside the data."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.mdav import make_data
from microveil.core.streams import Key, Streams
from microveil.hybrid import MicroHybrid
from microveil.kernels.draws.groups import ipso_in_groups
from microveil.partition import MDAV, Blocked, Partition

SIZES = (20_000, 100_000, 1_000_000)
COLUMNS = 10
K = 10


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def measured(partition: Partition, n: int, former: dict[str, Any] | None) -> dict[str, Any]:
    X = make_data("clustered", n, COLUMNS)
    table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)})
    grouping, labels = timed(lambda: partition.labels(X, seed=1))
    nothing, streams = np.zeros((n, 0)), Streams(Key.of(2))
    drawing, _ = timed(lambda: ipso_in_groups(X, nothing, labels, streams))
    whole, _ = timed(lambda: MicroHybrid(partition=partition).apply(table, seed=1))
    tracemalloc.start()
    MicroHybrid(partition=partition).apply(table, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "partition": partition.name,
        "n": n,
        "columns": COLUMNS,
        "cpu seconds": whole,
        "growth": math.log(whole / former["cpu seconds"]) / math.log(n / former["n"]) if former else None,
        "share of the partition": grouping / whole,
        "share of drawing": drawing / whole,
        "peak, times the data": peak / X.nbytes,
    }


def run(quick: bool) -> list[dict[str, Any]]:
    """CPU seconds of one release, their growth (exponent of n), and the shares of its parts."""
    rows: list[dict[str, Any]] = []
    for partition in (MDAV(k=K), Blocked(base=MDAV(k=K))):
        measured(partition, 2_000, None)  # compilation
        former = None
        for n in SIZES[:1] if quick else SIZES:
            former = measured(partition, n, former)
            rows.append(former)
    return rows


if __name__ == "__main__":
    for line in run(quick=False):
        print(line)
