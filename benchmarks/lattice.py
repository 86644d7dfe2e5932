"""The search over the lattice against the one it replaced, in the same run, and on a file of 1.2 million records.

The file is Adult (30,162 records, 9 keys, 12,960 combinations of levels) below MICROVEIL_DATA; nothing is measured
where it is absent. The large one is drawn from it, with a k that is as much larger. `read and code` is what any method
takes before it can begin.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

COPIES = 40
K, MAX_DROPPED = 5, 0.04


def adult() -> tuple[pd.DataFrame, dict[str, dict[str, tuple[str, ...]]]] | None:
    """The records and the hierarchy of each column."""
    folder = Path(os.environ.get("MICROVEIL_DATA", "../shared")) / "data" / "adult"
    if not folder.is_dir():
        return None
    paths: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in (folder / "adult_hierarchies.csv").read_text(encoding="utf-8").splitlines():
        name, value, *path = line.split(";")
        paths.setdefault(name, {})[value] = tuple(path)
    return pd.read_csv(folder / "adult.csv.gz", sep=";", dtype=str), paths


def run(quick: bool) -> list[dict[str, object]]:
    found = adult()
    if found is None:
        return []
    frame, paths = found
    rows = [_against_the_former(frame, paths)]
    return rows if quick else [*rows, _many_records(frame, paths)]


def _against_the_former(frame: pd.DataFrame, paths: dict[str, dict[str, tuple[str, ...]]]) -> dict[str, object]:
    import microveil as mv
    from benchmarks.lattice_before import best_node
    from microveil.mask.ladders import ladder_of

    data = mv.Microdata(frame, hierarchies=paths)
    mask = mv.mask.Lattice(k=K, max_dropped=MAX_DROPPED)
    keys = list(frame.columns)
    mask.explore(data, on=keys, best=1)  # compiled code warm
    ladders = [ladder_of(data.values(name), name) for name in keys]

    def too_small(labels: np.ndarray, classes: int) -> np.ndarray:
        return np.bincount(labels, minlength=classes) < K

    former, node = _timed(lambda: best_node(ladders, too_small, int(MAX_DROPPED * len(frame))))
    times = [_timed(lambda: mask.explore(data, on=keys, best=1)) for _ in range(5)]
    now, solutions = min(times, key=lambda one: one[0])
    return {
        "records": len(frame),
        "former search s": former,
        "search s": now,
        "ratio": former / now,
        "former levels": " ".join(map(str, node.levels)),
        "levels": " ".join(map(str, solutions[0].levels.values())),
    }


def _many_records(frame: pd.DataFrame, paths: dict[str, dict[str, tuple[str, ...]]]) -> dict[str, object]:
    import microveil as mv

    drawn = frame.iloc[np.random.default_rng(1).integers(0, len(frame), COPIES * len(frame))]
    mask = mv.mask.Lattice(k=COPIES * K, max_dropped=MAX_DROPPED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.csv"
        drawn.to_csv(path, index=False)

        def read_and_code() -> mv.Microdata:
            data = mv.Microdata(pd.read_csv(path, dtype=str), hierarchies=paths)
            for name in data.columns:
                data.values(name)
            return data

        reading, data = _timed(read_and_code)
    searching, solutions = _timed(lambda: mask.explore(data, on=list(frame.columns), best=1))
    return {
        "records": len(drawn),
        "read and code s": reading,
        "search s": searching,
        "ratio": searching / reading,
        "levels": " ".join(map(str, solutions[0].levels.values())),
    }


def _timed(work):  # type: ignore[no-untyped-def] # whatever the work gives
    start = time.process_time()
    found = work()
    return time.process_time() - start, found
