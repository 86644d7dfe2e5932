"""Time, growth and memory of CholeskyHybrid beside the two matrix products it needs (X'X and X T), and its parts."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from microveil.core.claims import Claim, EqualRowsAtLeast
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.hybrid import CholeskyHybrid
from microveil.kernels.linalg.recolour import recolour
from microveil.kernels.moments.central import mean_and_covariance
from microveil.mask.base import Mask
from microveil.run.method import Job, Outcome

WIDE = 50
SIZES = (50_000, 200_000, 1_000_000)
REPEATS = 3

_masked: dict[str, Values] = {}


@dataclass(frozen=True, kw_only=True)
class Ready(Mask, name="ready-for-benchmark"):
    """Hands over a masked file made before, so that only the restoring is timed."""

    equal: bool = False

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (EqualRowsAtLeast(k=3),) if self.equal else ()

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome(dict(_masked))


def timed(call: Callable[[], Any]) -> float:
    """CPU seconds of the quickest of some runs."""
    best = math.inf
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def peak(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def correlated(n: int) -> np.ndarray:
    draw = np.random.default_rng(1)
    return draw.standard_normal((n, WIDE)) @ (np.eye(WIDE) + 0.2 * np.tri(WIDE, k=-1)) + 100.0


def as_columns(X: np.ndarray) -> dict[str, Values]:
    return {f"x{j}": Values("continuous", np.ascontiguousarray(X[:, j])) for j in range(X.shape[1])}


def masked_files(X: np.ndarray) -> dict[str, np.ndarray]:
    """A file with noise, and one whose records occur at least three times."""
    noisy = X + np.random.default_rng(2).standard_normal(X.shape)
    return {"noise": noisy, "equal records": noisy[np.minimum(np.arange(len(X)) // 3, len(X) // 3 - 1) * 3]}


def measured(n: int) -> list[dict[str, Any]]:
    """Every part as a multiple of the two products in the same run."""
    X = correlated(n)
    T = np.random.default_rng(3).standard_normal((WIDE, WIDE))
    units = timed(lambda: X.T @ X), timed(lambda: X @ T)
    mean, V = mean_and_covariance(X)
    table = Table(as_columns(X), n)
    frame = pa.table({name: values.data for name, values in table.columns.items()})
    job = Job(Streams(Key.of(1)), Table({}, n), table)
    rows = [row("X'X", lambda: X.T @ X, X, units), row("X T", lambda: X @ T, X, units)]
    rows.append(row("mean_and_covariance", lambda: mean_and_covariance(X), X, units))
    for name, Y in masked_files(X).items():
        _masked.update(as_columns(Y))
        if name == "noise":
            rows.append(row("recolour", lambda Y=Y: recolour(Y, mean, V), X, units))
            for core in ("polar", "paper"):
                other = CholeskyHybrid(mask=Ready(), core=core)
                rows.append(row(f"restoring, {name}, {core}", lambda other=other: other.run(table, job), X, units))
        method = CholeskyHybrid(mask=Ready(equal=name == "equal records"))
        rows.append(row(f"restoring, {name}", lambda method=method: method.run(table, job), X, units))
        rows.append(row(f"whole release, {name}", lambda method=method: method.apply(frame, seed=1), X, units))
    return rows


def row(name: str, call: Callable[[], Any], X: np.ndarray, units: tuple[float, float]) -> dict[str, Any]:
    seconds = timed(call)
    return {
        "what": name,
        "n": len(X),
        "columns": WIDE,
        "cpu seconds": seconds,
        "times X'X": seconds / units[0],
        "times both products": seconds / sum(units),
        "peak, times the data": peak(call) / X.nbytes,
    }


def run(quick: bool) -> list[dict[str, Any]]:
    """CPU seconds, multiples of the products, growth against the size before, and peak memory beside the input."""
    measured(2_000)  # imports
    rows: list[dict[str, Any]] = []
    former: dict[str, dict[str, Any]] = {}
    for n in SIZES[:1] if quick else SIZES:
        for found in measured(n):
            before = former.get(found["what"])
            growth = None
            if before and found["cpu seconds"] > 0 < before["cpu seconds"]:
                growth = math.log(found["cpu seconds"] / before["cpu seconds"]) / math.log(n / before["n"])
            former[found["what"]] = found
            rows.append({**found, "growth": growth})
    return rows


if __name__ == "__main__":
    for line in run(quick=False):
        print(line)
