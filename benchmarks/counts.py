"""k-anonymity on files in blocks: seconds that pass and the memory of the process, as the file grows.

Five keys (an amount in hundreds, age, three of categories), a sensitive column of 8 values and a column of amounts that
gets noise, in files of 2^20 records; scanning, protecting, checking k, l and t on what is written, and writing are
counted. `rows` are the different rows of keys and sensitive column together. `python -m benchmarks.counts 4_000_000`
runs another number of records, `python -m benchmarks.counts 20_000_000 age,job,region,sex` other keys.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ROWS, QUICK = (100_000, 1_000_000), (20_000, 100_000)
THREADS = 2
PLANS = ("k-anonymise", "lattice", "local-suppression")
KEYS = ("pay", "age", "job", "region", "sex")
_PART = 1 << 20
_KEY = "7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21"


def run(quick: bool) -> list[dict[str, Any]]:
    """Every plan on files of several sizes."""
    return [row for records in (QUICK if quick else ROWS) for row in measure(records)]


def measure(records: int, keys: Sequence[str] = KEYS) -> list[dict[str, Any]]:
    """Each plan in a process of its own."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), records)
        looked_at = parquet.read_table(folder, columns=[*keys, "illness"])
        rows = looked_at.group_by(looked_at.column_names).aggregate([]).num_rows
        for plan in PLANS:
            words = [sys.executable, "-m", "benchmarks.counts", "--one", folder, plan, ",".join(keys)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            found.append({"records": records, "rows": rows, "plan": plan, **json.loads(done.stdout.splitlines()[-1])})
    return found


def _write(folder: Path, records: int) -> None:
    draw = np.random.default_rng(1)
    for number, start in enumerate(range(0, records, _PART)):
        rows = min(_PART, records - start)
        table = pa.table(
            {
                "pay": 100.0 * np.rint(draw.lognormal(3, 0.5, rows)),
                "age": draw.integers(16, 90, rows),
                "job": draw.zipf(1.6, rows).clip(max=60).astype(str),
                "region": draw.integers(0, 20, rows).astype(str),
                "sex": draw.choice(["f", "m"], rows),
                "illness": draw.choice(list("abcdefgh"), rows),
                "debt": np.round(draw.normal(size=rows), 3),
            }
        )
        parquet.write_table(table, folder / f"part-{number:05d}.parquet", row_group_size=1 << 17)


def _one(folder: str, plan: str, named: str) -> dict[str, Any]:
    import microveil as mv

    asked = mv.Anonymity(k=5, sensitive=["illness"], l=3, t=0.4)
    method: Any = {
        "k-anonymise": mv.mask.KAnonymise(model=asked),
        "lattice": mv.mask.Lattice(model=asked, max_dropped=0.02),
        "local-suppression": mv.mask.LocalSuppression(k=3),
    }[plan]
    all_keys = named.split(",")
    keys = all_keys if plan != "local-suppression" else all_keys[-3:]
    roles = {**dict.fromkeys(all_keys, "key"), "illness": "confidential", "debt": "confidential"}
    start = time.perf_counter()
    source = mv.scan(f"{folder}/*.parquet", roles=roles, kinds={"age": "ordinal"})
    scanned = time.perf_counter() - start
    steps: Any = [(method, keys), (mv.mask.UncorrelatedNoise(), ["debt"])]
    release = mv.Plan(steps).run(source, into=Path(folder) / plan, seed=_KEY, engine=mv.engines.BlockEngine(THREADS))
    taken = time.perf_counter() - start
    assert not release.unchecked
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"seconds": taken, "of these scanning": scanned, "GB held": held, "released": len(release)}


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(_one(*sys.argv[2:])))
    else:
        for row in measure(int(sys.argv[1]), *(one.split(",") for one in sys.argv[2:3])):
            print(json.dumps(row), flush=True)
