"""Exact MDAV: time, ratio to the textbook version in the same run, growth, loss and memory of the engines.

CPU time of one process (`time.process_time`), after compilation. Where the textbook version would take minutes
only its first rounds run, and the rest is extrapolated: a round costs a full scan of what is left, so the whole costs
as much more than the first rounds as their scans touch more records. Such rows say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from benchmarks.mdav_by_index import mdav_indexed
from benchmarks.mdav_textbook import mdav_textbook
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.mdav.plain import mdav_plain

ENGINES = {"automatic": mdav, "indexed": mdav_indexed, "plain": mdav_plain}
# distances of records the textbook may measure before it is cut short
TEXTBOOK_BUDGET = 4e9
PLAIN_BUDGET = 1.2e10


def make_data(kind, n, d, seed=0):
    """Standardised records: normal; 50 clusters, ten times as far apart as wide; or normal rounded to halves (tied)."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, d))
    if kind == "clustered":
        X += 10 * g.uniform(-1, 1, size=(50, d))[g.integers(0, 50, n)]
    elif kind == "tied":
        X = np.round(2 * X)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0, ddof=1))


def loss_percent(Z, labels):
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, column) for column in Z.T], axis=1) / sizes[:, None]
    return float(100 * ((Z - means[labels]) ** 2).sum() / ((Z - Z.mean(axis=0)) ** 2).sum())


def cpu_seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def textbook_seconds(X, k):
    """Seconds of the textbook version, its labels or None, and whether the seconds are extrapolated."""
    n = len(X)
    # four scans a round, on average of half the records, n / 2k rounds
    whole = n * n / k
    if whole <= TEXTBOOK_BUDGET:
        seconds, (labels, _) = cpu_seconds(lambda: mdav_textbook(X, k, -1))
        return seconds, labels, False
    rounds = max(1, int(n / (2 * k) * (1 - np.sqrt(1 - TEXTBOOK_BUDGET / whole))))
    seconds, (_, left) = cpu_seconds(lambda: mdav_textbook(X, k, rounds))
    return seconds * n**2 / (n**2 - left**2), None, True


def compare(kind, n, d, k, engines):
    """One row per engine; the labels of all must agree."""
    X = make_data(kind, n, d)
    base = {"data": kind, "n": n, "d": d, "k": k}
    textbook, labels, extrapolated = textbook_seconds(X, k)
    rows = [base | {"engine": "textbook" + (" (extrapolated)" if extrapolated else ""), "cpu_seconds": textbook}]
    for name in engines:
        seconds, found = cpu_seconds(lambda name=name: ENGINES[name](X, k))
        if labels is not None and (labels != found).any():
            raise AssertionError(f"{name} and another engine disagree on {base}")
        labels = found
        rows.append(base | {"engine": name, "cpu_seconds": seconds, "ratio_to_textbook": textbook / seconds})
    for row in rows:
        row["loss_percent"] = loss_percent(X, labels)
    return rows


def growth(kind, d, k, small, large):
    """The exponent b of time ~ n^b between two sizes of the same data, each the best of two runs."""
    best = []
    for n in (small, large):
        X = make_data(kind, n, d)
        best.append(min(cpu_seconds(lambda X=X: mdav(X, k))[0] for _ in range(2)))
    exponent = float(np.log(best[1] / best[0]) / np.log(large / small))
    engine = f"automatic, growth from {small}"
    return {
        "data": kind,
        "n": large,
        "d": d,
        "k": k,
        "engine": engine,
        "cpu_seconds": best[1],
        "growth_exponent": exponent,
    }


def peak_memory(kind, n, d, k):
    """Memory of the engine beyond the data at its peak, in MB, measured in a process of its own."""
    code = f"from benchmarks.mdav import print_peak; print_peak({kind!r}, {n}, {d}, {k})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, extra, data = (float(word) for word in done.stdout.split())
    row = {"data": kind, "n": n, "d": d, "k": k, "engine": "automatic", "cpu_seconds": seconds}
    return row | {"peak_memory_mb": extra, "data_mb": data}


def print_peak(kind, n, d, k):
    mdav(make_data("normal", 6000, 3), 3)  # compiled before memory is read
    X = make_data(kind, n, d)
    with Watch() as watch:
        seconds, _ = cpu_seconds(lambda: mdav(X, k))
    print(seconds, watch.peak_mb, X.nbytes / 2**20)


class Watch(threading.Thread):
    """Reads the resident memory of the process every few milliseconds; the kernels leave the interpreter free."""

    def __init__(self):
        super().__init__(daemon=True)
        self.start_mb = self.highest = resident_mb()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.005):
            self.highest = max(self.highest, resident_mb())

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        self.peak_mb = self.highest - self.start_mb


def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(quick: bool) -> list[dict]:
    """Rows of results; quick takes about a minute, the whole some ten minutes."""
    for engine in ENGINES.values():
        engine(make_data("normal", 6000, 3), 3)
    mdav_textbook(make_data("normal", 100, 3), 3, -1)
    rows = []
    sizes = (1000, 10_000) if quick else (1000, 10_000, 100_000)
    for kind in ("normal", "clustered", "tied"):
        for n in sizes:
            for d in (3, 10):
                for k in (3, 10):
                    engines = ENGINES if n * n / k <= PLAIN_BUDGET else ("automatic", "indexed")
                    rows += compare(kind, n, d, k, engines)
    small, large = (3000, 30_000) if quick else (30_000, 300_000)
    rows.append(growth("normal", 3, 3, small, large))
    rows.append(growth("clustered", 10, 3, small, large))
    for kind, d in (("normal", 3), ("clustered", 10)):
        rows.append(peak_memory(kind, 100_000 if quick else 1_000_000, d, 3))
    return rows
