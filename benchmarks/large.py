"""Files in blocks and on Spark side by side, on this machine: seconds that pass, and the memory of this process.

Ten columns, nine of amounts and one of categories, in files of 2^20 records; scanning, protecting and writing are
counted, and for Spark also that a session is started, with as many cores as there are threads. `equal` says whether
the files have the bytes of the first engine's, `growth` by how much the seconds of the processor grew from the fewer
records before, over the growth of the records (1: in proportion). One output is there at a time.

`python -m benchmarks.large 1_000_000 10_000_000 100_000_000` measures other numbers of records and writes the table; of
10^8 the source takes 6.4 GB and a run 16 GB more for a while. `--engines blocks`, `--plans noise,hybrid` and
`--folder /some/disk` choose among them and say where the files are; `--plans micro-hybrid` forms groups of 20 in blocks
of 10,000 near records. Where there is no Spark, blocks are measured alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ROWS, QUICK = 1_000_000, 200_000
AMOUNTS = tuple(f"x{number}" for number in range(9))
ENGINES = ("blocks", "spark")
THREADS = 2
PLANS = ("noise", "pram", "hybrid")
BLOCKED = "micro-hybrid"  # only where it is named: its groups take longer than all of these
_PART = 1 << 20
_KEY = "7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21"


def run(quick: bool) -> list[dict[str, Any]]:
    """Both engines on one file."""
    return list(measure([QUICK if quick else ROWS]))


def measure(
    sizes: Sequence[int], engines: Sequence[str] = ENGINES, plans: Sequence[str] = PLANS, folder: str | None = None
) -> Iterator[dict[str, Any]]:
    """Each plan by each engine, in a process of its own."""
    before: dict[tuple[str, str], tuple[int, float]] = {}
    for records in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            _write(Path(place), records)
            for plan in plans:
                first = None
                for engine in engines:
                    row: dict[str, Any] = {"records": records, "plan": plan, "engine": engine}
                    words = [sys.executable, "-m", "benchmarks.large", "--one", place, plan, engine]
                    done = subprocess.run(words, capture_output=True, text=True)
                    shutil.rmtree(Path(place) / "out", ignore_errors=True)
                    if done.returncode:
                        yield {**row, "equal": _reason(done.stderr)}
                        continue
                    found = json.loads(done.stdout.splitlines()[-1])
                    own = found.pop("bytes")
                    first = first or own
                    if (plan, engine) in before:
                        fewer, taken = before[plan, engine]
                        found["growth"] = (found["cpu seconds"] / taken) / (records / fewer)
                    before[plan, engine] = (records, found["cpu seconds"])
                    alike = "yes" if own == first else "NO"
                    yield {**row, **found, "equal": "" if engine == engines[0] else alike}


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
    near = mv.partition.Blocked(base=mv.partition.MDAV(k=20), size=10_000)
    steps: Any = {
        "noise": [(mv.mask.UncorrelatedNoise(), list(AMOUNTS))],
        "pram": [(mv.mask.Pram(), ["region"])],
        "hybrid": [(mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise()), list(AMOUNTS))],
        BLOCKED: [mv.plan.Step(mv.hybrid.MicroHybrid(partition=near), list(AMOUNTS[:4]), given=[])],
    }[plan]
    start = time.perf_counter()
    with by.working():
        source = mv.scan(f"{folder}/*.parquet", roles={"region": "key", "x0": "confidential"}, engine=by)
        release = mv.Plan(steps).run(source, into=Path(folder) / "out", seed=_KEY, engine=by)
    taken = time.perf_counter() - start
    whole = hashlib.sha256("".join(part.sha256 for part in release.parts).encode()).hexdigest()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": taken,
        "cpu seconds": used.ru_utime + used.ru_stime,
        "GB held by this process": used.ru_maxrss / 1e6,
        "bytes": whole,
    }


def main(words: Sequence[str]) -> None:
    """Measure what is asked for and write the table."""
    from benchmarks.__main__ import write_section

    parser = argparse.ArgumentParser(prog="python -m benchmarks.large")
    parser.add_argument("records", nargs="+", type=int)
    parser.add_argument("--engines", type=lambda text: text.split(","), default=ENGINES)
    parser.add_argument("--plans", type=lambda text: text.split(","), default=PLANS)
    parser.add_argument("--folder")
    asked = parser.parse_args(words)
    rows = []
    for row in measure(asked.records, asked.engines, asked.plans, asked.folder):
        print(json.dumps(row), flush=True)
        rows.append(row)
        write_section("large", (__doc__ or "").splitlines()[0], rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(_one(*sys.argv[2:])))
    else:
        main(sys.argv[1:])
