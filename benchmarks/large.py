"""Files in blocks and on Spark side by side, on this machine: seconds that pass, and the memory of this process.

Ten columns, nine of amounts and one of categories, in files of 2^20 records; scanning, protecting and writing are
counted, and for Spark also that a session is started, with as many cores as there are threads. `equal` says whether
the files have the bytes of the first engine's. `python -m benchmarks.large 10_000_000` runs another number of records
and prints the rows; where there is no Spark, blocks are measured alone.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ROWS, QUICK = 1_000_000, 200_000
AMOUNTS = tuple(f"x{number}" for number in range(9))
ENGINES = ("blocks", "spark")
THREADS = 2
PLANS = ("noise", "pram")
_PART = 1 << 20
_KEY = "7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21"


def run(quick: bool) -> list[dict[str, Any]]:
    """Both engines on one file."""
    return measure(QUICK if quick else ROWS)


def measure(records: int) -> list[dict[str, Any]]:
    """Each plan by each engine, in a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), records)
        for plan in PLANS:
            first = None
            for engine in ENGINES:
                words = [sys.executable, "-m", "benchmarks.large", "--one", folder, plan, engine]
                done = subprocess.run(words, capture_output=True, text=True)
                if done.returncode:
                    rows.append({"records": records, "plan": plan, "engine": engine, "equal": _reason(done.stderr)})
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                first = first or found.pop("bytes")
                found["equal"] = "yes" if found.pop("bytes", first) == first else "NO"
                rows.append({"records": records, "plan": plan, "engine": engine, **found})
    return rows


def _reason(said: str) -> str:
    return f"not measured: {(said.strip().splitlines() or ['no reason'])[-1]}"


def _write(folder: Path, records: int) -> None:
    draw = np.random.default_rng(1)
    mix = draw.normal(size=(len(AMOUNTS), len(AMOUNTS)))
    for number, start in enumerate(range(0, records, _PART)):
        rows = min(_PART, records - start)
        X = np.round(1000 * (draw.normal(size=(rows, len(AMOUNTS))) @ mix), 2)
        table = pa.table({**dict(zip(AMOUNTS, X.T, strict=True)), "region": draw.integers(0, 20, rows).astype(str)})
        parquet.write_table(table, folder / f"part-{number:05d}.parquet", row_group_size=1 << 17)


def _one(folder: str, plan: str, engine: str) -> dict[str, Any]:
    import microveil as mv

    by: Any = {
        "blocks": lambda: mv.engines.BlockEngine(THREADS),
        "spark": lambda: mv.engines.SparkEngine(threads=THREADS),
    }[engine]()
    steps: Any = {
        "noise": [(mv.mask.UncorrelatedNoise(), list(AMOUNTS))],
        "pram": [(mv.mask.Pram(), ["region"])],
    }[plan]
    start = time.perf_counter()
    with by.working():
        source = mv.scan(f"{folder}/*.parquet", roles={"region": "key", "x0": "confidential"}, engine=by)
        release = mv.Plan(steps).run(source, into=Path(folder) / f"{plan}-{engine}", seed=_KEY, engine=by)
    taken = time.perf_counter() - start
    whole = hashlib.sha256("".join(part.sha256 for part in release.parts).encode()).hexdigest()
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"seconds": taken, "GB held by this process": held, "bytes": whole}


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(_one(*sys.argv[2:])))
    else:
        for row in measure(int(sys.argv[1])):
            print(json.dumps(row))
