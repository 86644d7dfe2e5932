"""A whole release beside the same release by an earlier version of the package, in the same run.

The earlier version is taken from the history (`git archive`) and run in a process of its own, in turn with the present
one, each with one thread. Both get a file that was prepared once. Seconds are processor time, the least of some runs.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from pathlib import Path

from benchmarks.run import COLUMNS, ROWS, amounts

ROOT = Path(__file__).resolve().parent.parent
EARLIER = "f30713e"  # before promises, gaps, digits and copies were looked at in every release
ROUNDS = 3
DIGITS = ("full", "cents", "whole")


def run(quick: bool) -> list[dict[str, object]]:
    """Six engines on amounts of three kinds of digits, 100,000 x 10, now and then."""
    rows = ROWS // 10 if quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", EARLIER, "src"], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        trees = {"now": ROOT / "src", "before": Path(folder) / "src"}
        best: dict[str, dict[str, float]] = {name: {} for name in trees}
        for _ in range(1 if quick else ROUNDS):
            for name, tree in trees.items():
                for what, taken in _measured(tree, rows).items():
                    best[name][what] = min(taken, best[name].get(what, taken))
    return [
        {"what": what, "rows": rows, "columns": COLUMNS, "before s": then, "now s": best["now"][what],
         "ratio": best["now"][what] / then}
        for what, then in best["before"].items()
    ]  # fmt: skip


def _measured(tree: Path, rows: int) -> dict[str, float]:
    paths = os.pathsep.join([str(tree), str(ROOT)])
    alone = {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.before", str(tree), str(rows)],
        env={**os.environ, **alone}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return dict(json.loads(found.stdout.splitlines()[-1]))


def _measure(tree: str, rows: int) -> dict[str, float]:
    import microveil as mv

    if not str(mv.__file__).startswith(tree):
        sys.exit(f"microveil came from {mv.__file__}, not from {tree}")
    methods = {
        "uncorrelated-noise": (mv.mask.UncorrelatedNoise(), None),
        "exact-noise": (mv.mask.ExactNoise(), None),
        "rank-swap": (mv.mask.RankSwap(p=5), None),
        "micro-hybrid": (mv.hybrid.MicroHybrid(partition=mv.partition.Projection(k=10)), []),
        "cholesky-hybrid": (mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise()), []),
        "ipso": (mv.synth.Ipso(), []),
    }
    out = {}
    for digits in DIGITS:
        data = mv.Microdata(amounts(digits, rows))
        for name, (method, given) in methods.items():
            taken = []
            for _ in range(6):
                start = time.process_time()
                method.apply(data) if given is None else method.apply(data, given=given)
                taken.append(time.process_time() - start)
            out[f"{name}, {digits}"] = min(taken[1:])  # the first one compiles
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]))))
