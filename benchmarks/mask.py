"""Masking methods at 10^4, 10^5 and 10^6 records, and local suppression against its plain version.

Each case runs in a process of its own, so that its peak memory is its own. The plain version of local
suppression blanks one cell at a time and recounts the whole file after each.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pyarrow as pa

SIZES = (10_000, 100_000, 1_000_000)
KEY_LEVELS = {"sex": 2, "status": 5, "school": 6, "region": 12, "job": 9, "country": 7, "tenure": 4}


def people(n: int) -> pa.Table:
    """Skewed keys and three amounts."""
    rng = np.random.default_rng(3)
    keys = {name: (rng.random(n) ** 2 * levels).astype(np.int64) for name, levels in KEY_LEVELS.items()}
    columns = {name: np.array([f"{name}{v}" for v in range(KEY_LEVELS[name])])[codes] for name, codes in keys.items()}
    return pa.table(columns | {f"x{j}": rng.lognormal(size=n) for j in range(3)})


def prepare(n: int, name: str) -> Callable[[], object]:
    import microveil as mv

    roles = dict.fromkeys(KEY_LEVELS, "key") | dict.fromkeys(("x0", "x1", "x2"), "confidential")
    data = mv.Microdata(people(n), roles=roles, kinds=dict.fromkeys(KEY_LEVELS, "nominal"))
    method = {
        "rank-swap": mv.mask.RankSwap(p=5),
        "pram": mv.mask.Pram(),
        "local-suppression": mv.mask.LocalSuppression(k=3),
        "global-recode": mv.mask.GlobalRecode(bins=10),
        "k-anonymise, mondrian": mv.mask.KAnonymise(k=5),
        "microaggregation, k=3": mv.mask.Microaggregation(partition=mv.partition.MDAV(k=3)),
        "exact-noise": mv.mask.ExactNoise(p=0.3),
    }[name]
    columns = {
        "pram": ["region", "job"],
        "global-recode": ["x0", "x1", "x2"],
        "k-anonymise, mondrian": ["sex", "school", "region", "x0"],
    }.get(name)
    return lambda: method.apply(data, columns=columns, seed=1)


CASES = (
    *("rank-swap", "pram", "local-suppression", "global-recode"),
    *("k-anonymise, mondrian", "microaggregation, k=3", "exact-noise"),
)


def measure_case(case: str, n: int) -> tuple[float, float]:
    """Processor seconds of one case (compiled code warm) and the peak memory of the process in MB."""
    prepare(1000, case)()
    work = prepare(n, case)
    start = time.process_time()
    work()
    return time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def plain_suppression(codes: np.ndarray, k: int) -> np.ndarray:
    """Blank one cell of an unsafe record at a time, the one in which its nearest record differs, and recount."""
    from microveil.kernels.tables.classes import class_sizes

    codes = codes.copy()
    while True:
        sizes, _ = class_sizes(codes, "own")
        unsafe = np.flatnonzero((sizes < k) & (codes >= 0).any(axis=1))
        if not len(unsafe):
            return codes
        row = unsafe[np.argmin(sizes[unsafe])]
        differing = codes != codes[row]
        differing[:, codes[row] < 0] = False
        count = differing.sum(axis=1)
        count[count == 0] = codes.shape[1] + 1
        codes[row, np.flatnonzero(differing[np.argmin(count)])[0]] = -1


def measure_suppression(n: int) -> list[dict[str, object]]:
    import microveil as mv

    data = mv.Microdata(people(n), roles=dict.fromkeys(KEY_LEVELS, "key"), kinds=dict.fromkeys(KEY_LEVELS, "nominal"))
    codes = np.column_stack([data.encoded(name).codes for name in KEY_LEVELS])
    mv.mask.LocalSuppression(k=3).apply(data.with_(data.narwhal[:500].to_native()), seed=1)
    rows: list[dict[str, object]] = []
    start = time.process_time()
    release = mv.mask.LocalSuppression(k=3).apply(data, seed=1)
    ours = time.process_time() - start
    blanked = sum(release.narwhal.get_column(name).null_count() for name in KEY_LEVELS)
    start = time.process_time()
    plain = plain_suppression(codes, 3)
    theirs = time.process_time() - start
    case = "local suppression, 7 keys, k=3"
    rows.append({"case": case, "n": n, "cpu seconds": ours, "cells": blanked, "ratio to plain": theirs / ours})
    rows.append({"case": f"{case}, plain version", "n": n, "cpu seconds": theirs, "cells": int((plain < 0).sum())})
    return rows


def run(quick: bool) -> list[dict[str, object]]:
    """One row per method and size; growth is the exponent of n since the size before."""
    rows: list[dict[str, object]] = []
    context = multiprocessing.get_context("spawn")
    for case in CASES:
        before: tuple[int, float] | None = None
        for n in SIZES[:1] if quick else SIZES:
            with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
                seconds, peak = pool.submit(measure_case, case, n).result()
            growth = math.log(seconds / before[1]) / math.log(n / before[0]) if before else ""
            rows.append({"case": case, "n": n, "cpu seconds": seconds, "growth": growth, "peak MB": round(peak)})
            before = (n, seconds)
    return rows + measure_suppression(2_000 if quick else 10_000)
