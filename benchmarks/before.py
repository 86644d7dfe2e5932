"""Whole releases and measures beside the same by two earlier versions of the package, in the same run.

The earlier versions are taken from the history (`git archive`) and run in processes of their own, in turn with the
present one, each with one thread. All get files that were prepared once. Seconds are processor time, the least of some
runs. Both earlier versions added numbers up in any order and drew them one after the other: the ratios hold what exact
sums and draws by position cost (and save).
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.run import COLUMNS, ROWS, amounts

ROOT = Path(__file__).resolve().parent.parent
EARLIER = {
    "first": "f30713e",  # before promises, gaps, digits and copies were looked at in every release
    "last": "ceb4e4d",  # with all that, before sums were exact, draws belonged to positions and kernels were rearranged
}
ROUNDS = 3
REPEATS = 4  # in each round; the first one compiles
WORK = 20_000  # records of the slower engines


def run(quick: bool) -> list[dict[str, object]]:
    """Ten engines and two measures on amounts of full precision, some of them on whole numbers too, now and then."""
    rows = ROWS // 10 if quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        trees = {name: unpacked(commit, Path(folder) / commit) for name, commit in EARLIER.items()}
        trees["now"] = ROOT / "src"
        best: dict[str, dict[str, float]] = {name: {} for name in trees}
        for _ in range(1 if quick else ROUNDS):
            for name, tree in trees.items():
                for what, taken in _measured(tree, rows).items():
                    best[name][what] = min(taken, best[name].get(what, taken))
    return [
        {"what": what, "columns": COLUMNS}
        | {f"{name} s": best[name][what] for name in best}
        | {f"now / {name}": now / best[name][what] for name in EARLIER}
        for what, now in best["now"].items()
    ]


def unpacked(commit: str, folder: Path) -> Path:
    """The sources of a commit, in a folder."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


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
    quick = {
        "uncorrelated-noise": (mv.mask.UncorrelatedNoise(), {}),
        "exact-noise": (mv.mask.ExactNoise(), {}),
        "rank-swap": (mv.mask.RankSwap(p=5), {}),
        "micro-hybrid": (mv.hybrid.MicroHybrid(partition=mv.partition.Projection(k=10)), {"given": []}),
        "cholesky-hybrid": (mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise()), {"given": []}),
        "ipso": (mv.synth.Ipso(), {"given": []}),
    }
    slow = {
        "local-synthesis": (mv.hybrid.LocalSynthesis(families=("VVV",), max_groups=3), {"given": []}),
        "k-anonymise": (mv.mask.KAnonymise(), {"columns": ["x0", "x1", "x2"]}),
        "microaggregation": (mv.mask.Microaggregation(), {}),
        "data-shuffle": (mv.mask.DataShuffle(), {"columns": ["x0", "x1"], "given": ["x2", "x3"]}),
    }
    out = {}
    for digits, kind, size in (("full", quick, rows), ("whole", quick, rows), ("full", slow, min(rows, WORK))):
        data = mv.Microdata(amounts(digits, size))
        for name, (method, settings) in kind.items():
            out[f"{name}, {digits}, {size} records"] = _least(lambda m=method, d=data, s=settings: m.apply(d, **s))
    data = mv.Microdata(amounts("full", min(rows, WORK)))
    release = mv.mask.UncorrelatedNoise().apply(data, seed=1)
    for measure in (mv.loss.PIL(), mv.risk.DistanceLinkage()):
        what = f"{measure.name}, full, {min(rows, WORK)} records"
        out[what] = _least(lambda m=measure: m(data, release))
    return out


def _least(task: Callable[[], Any]) -> float:
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        task()
        taken.append(time.process_time() - start)
    return min(taken[1:])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]))))
