"""Local search on partitions: loss (100 SSE/SST, standardised) and CPU seconds against the start and reference values.

The reference of the public files is the loss that annealing is known to reach; of generated files, MDAV's loss less ten
per cent, to be reached within twenty times MDAV's own time. Kernels are compiled before the clock starts.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from microveil.kernels.mdav.engine import mdav
from microveil.kernels.refinement.anneal import anneal
from microveil.kernels.refinement.best import best
from microveil.kernels.refinement.descent import refine
from microveil.kernels.search.blocks import label_blocks

DATA = Path(os.environ.get("MICROVEIL_DATA", Path(__file__).resolve().parents[2] / "shared")) / "data"
NOT_AMOUNTS = {"UTILNAME", "STATE", "YEAR", "MONTH"}
REFERENCES = {
    "tarragona": {3: 14.70, 4: 17.20, 5: 20.25, 10: 30.25},
    "census": {3: 4.80, 4: 6.15, 5: 7.40, 10: 11.45},
    "eia": {3: 0.40, 4: 0.52, 5: 0.80, 10: 2.05},
}
SECONDS = {"tarragona": 60.0, "census": 60.0, "eia": 120.0}
TIMES = 15  # CPU time of annealing generated files, over the time of MDAV


def standardise(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0, ddof=1))


def read(name: str) -> np.ndarray:
    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    kept = [j for j, column in enumerate(rows[0]) if column not in NOT_AMOUNTS]
    return standardise(np.array([[float(row[j]) for j in kept] for row in rows[1:]]))


def generate(kind: str, n: int, d: int) -> np.ndarray:
    generator = np.random.default_rng(n + d)
    X = generator.standard_normal((n, d))
    if kind == "clustered":
        centres = 10.0 * generator.standard_normal((max(n // 200, 1), d))
        X += centres[generator.integers(len(centres), size=n)]
    return standardise(X)


def loss(X: np.ndarray, labels: np.ndarray) -> float:
    size = np.bincount(labels)
    between = sum(float((np.bincount(labels, x) ** 2 / size).sum()) for x in X.T)
    return 100.0 * (1.0 - between / float((X**2).sum()))


def timed(work: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    start = time.process_time()
    labels = work()
    return labels, time.process_time() - start


def warm() -> None:
    """Compile every kernel on a tiny file."""
    X = generate("normal", 300, 3)
    generator = np.random.default_rng(0)
    anneal(X, refine(X, label_blocks(X, 3, 50, mdav), 3, generator=generator), 3, sweeps=2, generator=generator)
    best(X, 3, 0.2, generator)


def run_public(name: str, k: int, seconds: float) -> dict[str, Any]:
    X = read(name)
    labels, spent = timed(lambda: best(X, k, seconds, np.random.default_rng(k)))
    return {
        "data": name, "n": X.shape[0], "d": X.shape[1], "k": k, "what": f"best in {seconds:g} s",
        "loss": loss(X, labels), "cpu seconds": spent,
        "start's loss": loss(X, mdav(X, k)), "reference": REFERENCES[name][k],
    }  # fmt: skip


def run_generated(kind: str, n: int, d: int, k: int) -> list[dict[str, Any]]:
    X = generate(kind, n, d)
    start, start_seconds = timed(lambda: mdav(X, k))
    start_loss = loss(X, start)

    def row(what: str, work: Callable[[], np.ndarray]) -> dict[str, Any]:
        labels, spent = timed(work)
        return {
            "data": kind, "n": n, "d": d, "k": k, "what": what, "loss": loss(X, labels), "cpu seconds": spent,
            "start's loss": start_loss, "reference": 0.9 * start_loss, "times MDAV's time": spent / start_seconds,
        }  # fmt: skip

    def blocked_and_refined() -> np.ndarray:
        return refine(X, label_blocks(X, k, 2000, mdav), k, generator=np.random.default_rng(0))

    def annealed() -> np.ndarray:
        generator = np.random.default_rng(0)
        seconds = TIMES * start_seconds
        return anneal(X, start, k, seconds=seconds, hottest=0.15, coldest=0.05, neighbours=6, generator=generator)

    return [
        row("refine", lambda: refine(X, start, k, generator=np.random.default_rng(0))),
        row(f"anneal for {TIMES} times MDAV's time", annealed),
        row("blocks of 2000, refine", blocked_and_refined),
    ]


def run(quick: bool) -> list[dict[str, Any]]:
    """Loss and CPU seconds of `best` on the public files and of the searches on generated ones."""
    warm()
    rows = []
    for name, references in REFERENCES.items():
        if (DATA / f"{name}.csv").exists():
            rows += [run_public(name, k, 3.0 if quick else SECONDS[name]) for k in ((3,) if quick else references)]
    for n in (10_000,) if quick else (10_000, 100_000, 1_000_000):
        for kind, d in (("normal", 3), ("normal", 10), ("clustered", 10)):
            for k in (3, 10):
                rows += run_generated(kind, n, d, k)
    return rows
