"""Engines on one machine beside the same before they were made faster, in the same run.

The version before is taken from the history and runs in a process of its own, before the present one; which one it is
stands beside it. Products of matrices take one thread. Seconds are processor time, of all threads, the less of two
runs: what two cores save beside that is not counted. On a busy machine engines that did not change differ by a sixth.
Growth is the exponent of the number of records, between a quarter of them and all. `limit` says what the time left is
spent on where it is about a third or more.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.before import ROOT, unpacked
from benchmarks.mask import prepare

Prepare = Callable[[Any, int], Callable[[], Any]]

BEFORE = "1f99702"
# what was made faster earlier: the version before the first change that was made for its speed
EARLIER = {
    "global-recode": "389199c",
    "k-anonymise, mondrian": "389199c",
    "latin-hypercube": "2ecea5f~1",
    "distance-linkage, 30 columns": "27433f5~1",
}
REPEATS = 2
LIMITS = {
    "rank-swap": "30 sorts of a million numbers, each to show what holds of the file: a third of the time",
    "k-anonymise, mondrian": "150,000 texts of ranges, made, sorted, written and read back one by one",
    "combine, greedy": "a search in a tree for each record, 3 microseconds, and the synthesiser",
    "local-masking, correlated noise": "a matrix of whole numbers and its root for each cluster, one by one",
    "local-synthesis, Thyroid": "3,500 EM steps: logarithms of all memberships, sums in the order of records",
    "mdav, independent normals": "the farthest record is sought among an eighth of all, the nearest among a sixteenth",
}


def run(quick: bool) -> list[dict[str, object]]:
    """What was to become faster, then what was not to become slower; growth is the exponent of the records now."""
    names = list(_cases())
    with tempfile.TemporaryDirectory() as folder:
        best: dict[str, dict[str, float]] = {}
        for commit in dict.fromkeys([BEFORE, *EARLIER.values()]):
            own = [name for name in names if EARLIER.get(name, BEFORE) == commit]
            tree = unpacked(commit, Path(folder) / commit)
            for name, found in _measured(tree, quick, own).items():
                best[name] = {"before": found["seconds"]}
            for name, found in _measured(ROOT / "src", quick, own).items():
                best[name] |= found
    return [_row(name, best[name]) for name in names]


def _row(what: str, found: dict[str, float]) -> dict[str, object]:
    ratio = found["before"] / found["seconds"]
    growth = math.log(found["seconds"] / found["quarter"], 4) if "quarter" in found else ""
    return {
        "what": f"{what}, {found['records']}",
        "before": EARLIER.get(what, BEFORE),
        "before s": found["before"],
        "now s": found["seconds"],
        "before / now": ratio,
        "growth": growth,
        "limit": LIMITS.get(what, "") if ratio < 3.3 else "",
    }


def _measured(tree: Path, quick: bool, names: list[str]) -> dict[str, dict[str, float]]:
    alone = {"PYTHONPATH": os.pathsep.join([str(tree), str(ROOT)]), "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.faster", str(tree), "quick" if quick else "full", *names],
        env={**os.environ, **alone}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return dict(json.loads(found.stdout.splitlines()[-1]))


def normals(records: int, columns: int = 10) -> pd.DataFrame:
    """Independent normal columns."""
    X = np.random.default_rng(0).normal(size=(records, columns))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)])


def _applied(make: Callable[[Any], Any], columns: int = 10, **settings: Any) -> Prepare:
    """A method on independent normals; made late, since earlier versions have fewer of them."""

    def prepared(mv: Any, records: int) -> Callable[[], Any]:
        data, method = mv.Microdata(normals(records, columns)), make(mv)
        return lambda: method.apply(data, seed=1, **settings)

    return prepared


def _local(make: Callable[[Any], Any]) -> Prepare:
    """A mask inside clusters of twenty records."""
    return _applied(lambda mv: mv.hybrid.LocalMasking(partition=mv.partition.Projection(k=20), mask=make(mv)))


def _compared(make: Callable[[Any], Any], columns: int = 10, noise: float = 0.16) -> Prepare:
    def prepared(mv: Any, records: int) -> Callable[[], Any]:
        data, measure = mv.Microdata(normals(records, columns)), make(mv)
        release = mv.mask.UncorrelatedNoise(p=noise).apply(data, seed=1)
        return lambda: measure(data, release)

    return prepared


def _of_people(name: str) -> Prepare:
    return lambda _, records: prepare(records, name)


def _grouped(mv: Any, records: int) -> Callable[[], Any]:
    X = normals(records).to_numpy()
    return lambda: mv.partition.MDAV(k=10).labels(X)


def _thyroid(mv: Any, _: int) -> Callable[[], Any]:
    frame = mv.datasets.load("thyroid", "pandas")
    amounts, kept = ["tsh", "t3", "t4u", "fti"], ["age", "male", "on_thyroxine"]
    method = mv.hybrid.LocalSynthesis(k=60)
    return lambda: method.apply(mv.Microdata(frame), columns=amounts, given=kept, seed=1)


def _cases() -> dict[str, tuple[int, Prepare]]:
    """What is measured, on how many records, and how it is prepared for so many."""

    def micro(mv: Any) -> Any:
        return mv.hybrid.MicroHybrid(partition=mv.partition.Projection(k=10))

    return {
        "rank-swap": (1_000_000, _applied(lambda mv: mv.mask.RankSwap(p=5))),
        "global-recode": (1_000_000, _of_people("global-recode")),
        "k-anonymise, mondrian": (1_000_000, _of_people("k-anonymise, mondrian")),
        "latin-hypercube": (200_000, _applied(lambda mv: mv.synth.LatinHypercube(), 5, given=[])),
        "combine, greedy": (20_000, _applied(lambda mv: mv.hybrid.Combine(pairing="greedy"), 5)),
        "local-masking, rank-swap": (20_000, _local(lambda mv: mv.mask.RankSwap(p=20))),
        "local-masking, noise": (20_000, _local(lambda mv: mv.mask.UncorrelatedNoise())),
        "local-masking, multiplicative noise": (20_000, _local(lambda mv: mv.mask.MultiplicativeNoise())),
        "local-masking, microaggregation": (20_000, _local(lambda mv: mv.mask.Microaggregation())),
        "local-masking, correlated noise": (20_000, _local(lambda mv: mv.mask.CorrelatedNoise())),
        "local-synthesis, Thyroid": (1_947, _thyroid),
        "propensity": (200_000, _compared(lambda mv: mv.loss.Propensity())),
        "mdav, independent normals": (200_000, _grouped),
        # so much noise that a nearer record is often there, and seldom at once
        "distance-linkage, 30 columns": (10_000, _compared(lambda mv: mv.risk.DistanceLinkage(), 30, noise=0.7)),
        "uncorrelated-noise": (200_000, _applied(lambda mv: mv.mask.UncorrelatedNoise())),
        "exact-noise": (200_000, _applied(lambda mv: mv.mask.ExactNoise())),
        "individual-ranking": (200_000, _applied(lambda mv: mv.mask.IndividualRanking(k=5))),
        "microaggregation": (20_000, _applied(lambda mv: mv.mask.Microaggregation())),
        "local-suppression": (100_000, _of_people("local-suppression")),
        "pram": (200_000, _of_people("pram")),
        "micro-hybrid": (100_000, _applied(micro, given=[])),
        "ipso": (200_000, _applied(lambda mv: mv.synth.Ipso(), given=[])),
        "gaussian-copula": (100_000, _applied(lambda mv: mv.synth.GaussianCopula(), given=[])),
        "pil": (100_000, _compared(lambda mv: mv.loss.PIL())),
        "rank-interval": (100_000, _compared(lambda mv: mv.risk.RankInterval())),
    }


def _measure(tree: str, quick: bool, names: list[str]) -> dict[str, dict[str, float]]:
    import microveil as mv

    if not str(mv.__file__).startswith(tree):
        sys.exit(f"microveil came from {mv.__file__}, not from {tree}")
    out = {}
    for name in names:
        full, prepared = _cases()[name]
        records = full // 20 if quick and full > 2_000 else full
        prepared(mv, min(records, 2_000))()  # compiles
        out[name] = {"records": records, "seconds": _least(prepared(mv, records))}
        if full > 2_000:
            out[name]["quarter"] = _least(prepared(mv, records // 4))
    return out


def _least(task: Callable[[], Any]) -> float:
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        task()
        taken.append(time.process_time() - start)
    return min(taken)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_measure(sys.argv[1], sys.argv[2] == "quick", sys.argv[3:])))
