"""Risk measures at 10^4, 10^5 and 10^6 records: seconds of processor time, growth and peak memory.

Each case runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pyarrow as pa

SIZES = (10_000, 100_000, 1_000_000)
ATTRIBUTES = 10
KEY_LEVELS = {"sex": 2, "status": 5, "school": 6, "region": 12, "job": 25, "country": 40, "age": 90}


def amounts(n: int, noise: float) -> tuple[pa.Table, pa.Table]:
    """Correlated amounts and a version with noise of that many standard deviations."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, ATTRIBUTES)) @ rng.standard_normal((ATTRIBUTES, ATTRIBUTES))
    Y = X + noise * X.std(axis=0) * rng.standard_normal(X.shape)
    return tuple(pa.table({f"x{j}": values[:, j] for j in range(ATTRIBUTES)}) for values in (X, Y))


def people(n: int) -> pa.Table:
    """Skewed keys and weights."""
    rng = np.random.default_rng(2)
    columns = {name: (rng.random(n) ** 2 * levels).astype(np.int64) for name, levels in KEY_LEVELS.items()}
    return pa.table(
        {name: [f"{name}{v}" for v in column.tolist()] for name, column in columns.items()} | {"w": np.full(n, 20.0)}
    )


def linkage(n: int, noise: float) -> Callable[[], object]:
    import microveil as mv

    original, masked = amounts(n, noise)
    return lambda: mv.risk.DistanceLinkage()(original, masked)


def with_keys(n: int, name: str) -> Callable[[], object]:
    import microveil as mv

    data = mv.Microdata(people(n), roles={"w": "weight"}, kinds=dict.fromkeys(KEY_LEVELS, "nominal"))
    measure = {
        "individual-risk": mv.risk.IndividualRisk(keys=tuple(KEY_LEVELS)),
        "suda": mv.risk.Suda(keys=tuple(KEY_LEVELS)),
        "k-anonymity": mv.risk.KAnonymity(keys=tuple(KEY_LEVELS)),
    }[name]
    return lambda: measure(data)


CASES: dict[str, Callable[[int], Callable[[], object]]] = {
    "distance-linkage, 10 attributes, noise 0.3": lambda n: linkage(n, 0.3),
    "distance-linkage, 10 attributes, noise 1.0": lambda n: linkage(n, 1.0),
    "k-anonymity, 7 keys": lambda n: with_keys(n, "k-anonymity"),
    "individual-risk, 7 keys": lambda n: with_keys(n, "individual-risk"),
    "suda, 7 keys": lambda n: with_keys(n, "suda"),
}


def measure_case(case: str, n: int) -> tuple[float, float]:
    """Processor seconds of one case (compiled code warm) and the peak memory of the process in MB."""
    CASES[case](1000)()
    work = CASES[case](n)
    start = time.process_time()
    work()
    return time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(quick: bool) -> list[dict[str, float | str | None]]:
    """One row per measure and size; growth is the exponent of n since the size before."""
    rows: list[dict[str, float | str | None]] = []
    spawn = multiprocessing.get_context("spawn")
    for case in CASES:
        before: tuple[int, float] | None = None
        for n in SIZES[:1] if quick else SIZES:
            with ProcessPoolExecutor(1, mp_context=spawn) as pool:
                seconds, peak = pool.submit(measure_case, case, n).result()
            growth = None if before is None else math.log(seconds / before[1]) / math.log(n / before[0])
            before = (n, max(seconds, 1e-3))
            rows.append({"measure": case, "n": n, "cpu seconds": seconds, "growth": growth, "peak MB": peak})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only 10^4 records")
    for row in run(parser.parse_args().quick):
        growth = "" if row["growth"] is None else f"n^{row['growth']:.2f}"
        print(f"{row['measure']:<45} {row['n']:>9} {row['cpu seconds']:>9.2f} s {growth:>7} {row['peak MB']:>7.0f} MB")


if __name__ == "__main__":
    main()
