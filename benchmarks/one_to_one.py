"""One-to-one linkage with a proof, 5 attributes: seconds of processor time, growth, and how much may be too much.

Each case runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pyarrow as pa

SIZES = (20_000, 50_000, 100_000)
NOISES = (0.5, 1.0)
ATTRIBUTES = 5


def files(n: int, noise: float) -> tuple[pa.Table, pa.Table]:
    """Correlated amounts and a version with noise of that many standard deviations."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, ATTRIBUTES)) @ rng.standard_normal((ATTRIBUTES, ATTRIBUTES))
    Y = X + noise * X.std(axis=0) * rng.standard_normal(X.shape)
    return tuple(pa.table({f"x{j}": values[:, j] for j in range(ATTRIBUTES)}) for values in (X, Y))


def measure_case(noise: float, n: int) -> tuple[float, float, float, float]:
    """Processor seconds (compiled code warm), per cent linked, unproven per cent of the distance, peak memory in MB."""
    import microveil as mv

    mv.risk.GlobalLinkage(exact_up_to=1)(*files(500, noise))
    before, after = files(n, noise)
    start = time.process_time()
    found = mv.risk.GlobalLinkage()(before, after)
    seconds = time.process_time() - start
    total, least = found.parts["total distance"], found.parts["proven least distance"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return seconds, found.value, 100.0 * (1.0 - least / total), peak


def run(quick: bool) -> list[dict[str, float | str | None]]:
    """One row per noise and size; growth is the exponent of n since the size before."""
    rows: list[dict[str, float | str | None]] = []
    for noise in NOISES:
        before: float | None = None
        sizes = (5_000, 20_000) if quick else SIZES
        for k, n in enumerate(sizes):
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                seconds, linked, unproven, peak = pool.submit(measure_case, noise, n).result()
            growth = None if before is None else math.log(seconds / before) / math.log(n / sizes[k - 1])
            rows.append(
                {
                    "noise": noise,
                    "n": n,
                    "cpu seconds": seconds,
                    "growth": growth,
                    "linked, %": linked,
                    "unproven, %": unproven,
                    "peak MB": peak,
                }
            )
            before = seconds
    return rows
