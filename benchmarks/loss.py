"""Time and memory of the loss measures that look at all records: ten columns, the release with 20 % noise."""

from __future__ import annotations

import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pyarrow as pa

from microveil.loss import PIL, Loss, Propensity

COLUMNS = 10
SIZES = (10_000, 100_000, 1_000_000)


def files(n: int) -> tuple[pa.Table, pa.Table]:
    """Skewed, correlated amounts and their noisy version."""
    generator = np.random.default_rng(n)
    common = generator.standard_normal(n)
    x = np.exp(0.5 * (common[:, None] + generator.standard_normal((n, COLUMNS))))
    y = x + 0.2 * x.std(axis=0) * generator.standard_normal((n, COLUMNS))
    return tuple(pa.table({f"x{j}": values[:, j] for j in range(COLUMNS)}) for values in (x, y))  # type: ignore[return-value]


def measure_once(measure: Loss, n: int) -> dict[str, Any]:
    before, after = files(n)
    tracemalloc.start()
    start = time.process_time()
    measure(before, after)
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "measure": measure.name,
        "n": n,
        "cpu seconds": seconds,
        "peak MB": peak / 1e6,
        "data MB": 2 * n * COLUMNS * 8 / 1e6,
    }


def run(quick: bool) -> list[dict[str, Any]]:
    """CPU seconds, growth (exponent of n against the size before) and peak memory, data included."""
    rows = []
    for measure in (PIL(), Propensity()):
        measure_once(measure, 1000)  # imports and first calls
        former: dict[str, Any] | None = None
        for n in SIZES[:1] if quick else SIZES:
            row = measure_once(measure, n)
            row["growth"] = (
                math.log(row["cpu seconds"] / former["cpu seconds"]) / math.log(n / former["n"]) if former else None
            )
            rows.append(row)
            former = row
    return rows


if __name__ == "__main__":
    for row in run(quick=False):
        print(row)
