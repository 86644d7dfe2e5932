"""Engines on one machine beside the same before they were made faster, in the same run.

The version before is taken from the history and runs in a process of its own, in turn with the present one; products of
matrices take one thread. Seconds are processor time, of all threads, the least of some runs: what two cores save beside
that is not counted. On a busy machine engines that did not change differ by a sixth. `limit` says what the time left is
spent on where it is more than a third.
"""

from __future__ import annotations

import json
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

BEFORE = "1f99702"
ROUNDS, REPEATS = 1, 2
LIMITS = {
    "global-recode": "a sort of each amount for the cuts, another to show that equal values stay equal; texts",
    "k-anonymise, mondrian": "150,000 texts of ranges, made, sorted, written and read back one by one",
    "latin-hypercube": "exact sums of ranks in every round",
    "combine, greedy": "only its synthesiser changed; the search for free partners did not",
    "local-masking, noise": "not changed: clusters one by one",
    "local-synthesis, Thyroid": "not changed: EM steps of mixtures and one hierarchy of all records",
    "propensity": "one matrix of all pairs of terms, which decides on the terms that depend on others",
    "mdav, independent normals": "not changed",
    "distance-linkage, 30 columns": "not changed",
}


def run(quick: bool) -> list[dict[str, object]]:
    """What was to become faster, then what was not to become slower."""
    with tempfile.TemporaryDirectory() as folder:
        trees = {"before": unpacked(BEFORE, Path(folder)), "now": ROOT / "src"}
        best: dict[str, dict[str, float]] = {name: {} for name in trees}
        for _ in range(1 if quick else ROUNDS):
            for name, tree in trees.items():
                for what, taken in _measured(tree, quick).items():
                    best[name][what] = min(taken, best[name].get(what, taken))
    return [_row(what, best["before"][what], now) for what, now in best["now"].items()]


def _row(what: str, before: float, now: float) -> dict[str, object]:
    ratio = before / now
    limit = LIMITS.get(what.rpartition(", ")[0], "") if ratio < 3 else ""
    return {"what": what, "before s": before, "now s": now, "before / now": ratio, "limit": limit}


def _measured(tree: Path, quick: bool) -> dict[str, float]:
    alone = {"PYTHONPATH": os.pathsep.join([str(tree), str(ROOT)]), "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.faster", str(tree), "quick" if quick else "full"],
        env={**os.environ, **alone}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return dict(json.loads(found.stdout.splitlines()[-1]))


def normals(records: int, columns: int = 10) -> pd.DataFrame:
    """Independent normal columns."""
    X = np.random.default_rng(0).normal(size=(records, columns))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)])


def _cases() -> dict[str, tuple[int, Callable[[int], Callable[[], Any]]]]:
    """What is measured, on how many records, and how it is prepared for so many."""
    import microveil as mv

    def applied(method: Any, columns: int = 10, **settings: Any) -> Callable[[int], Callable[[], Any]]:
        def made(records: int) -> Callable[[], Any]:
            data = mv.Microdata(normals(records, columns))
            return lambda: method.apply(data, seed=1, **settings)

        return made

    def compared(measure: Any, columns: int = 10) -> Callable[[int], Callable[[], Any]]:
        def made(records: int) -> Callable[[], Any]:
            data = mv.Microdata(normals(records, columns))
            release = mv.mask.UncorrelatedNoise().apply(data, seed=1)
            return lambda: measure(data, release)

        return made

    def grouped(records: int) -> Callable[[], Any]:
        X = normals(records).to_numpy()
        return lambda: mv.partition.MDAV(k=10).labels(X)

    def thyroid(_: int) -> Callable[[], Any]:
        frame = mv.datasets.load("thyroid", "pandas")
        amounts, kept = ["tsh", "t3", "t4u", "fti"], ["age", "male", "on_thyroxine"]
        method = mv.hybrid.LocalSynthesis(k=60)
        return lambda: method.apply(mv.Microdata(frame), columns=amounts, given=kept, seed=1)

    clusters = mv.partition.Projection(k=20)
    swapped = mv.hybrid.LocalMasking(partition=clusters, mask=mv.mask.RankSwap(p=20))
    noisy = mv.hybrid.LocalMasking(partition=clusters, mask=mv.mask.UncorrelatedNoise())
    greedy = mv.hybrid.Combine(pairing="greedy")
    micro = mv.hybrid.MicroHybrid(partition=mv.partition.Projection(k=10))
    return {
        "rank-swap": (1_000_000, applied(mv.mask.RankSwap(p=5))),
        "global-recode": (1_000_000, lambda records: prepare(records, "global-recode")),
        "k-anonymise, mondrian": (1_000_000, lambda records: prepare(records, "k-anonymise, mondrian")),
        "latin-hypercube": (200_000, applied(mv.synth.LatinHypercube(), 5, given=[])),
        "combine, greedy": (20_000, applied(greedy, 5)),
        "local-masking, rank-swap": (20_000, applied(swapped)),
        "local-masking, noise": (5_000, applied(noisy)),
        "local-synthesis, Thyroid": (1_947, thyroid),
        "propensity": (200_000, compared(mv.loss.Propensity())),
        "mdav, independent normals": (50_000, grouped),
        "distance-linkage, 30 columns": (10_000, compared(mv.risk.DistanceLinkage(), 30)),
        "uncorrelated-noise": (200_000, applied(mv.mask.UncorrelatedNoise())),
        "exact-noise": (200_000, applied(mv.mask.ExactNoise())),
        "individual-ranking": (200_000, applied(mv.mask.IndividualRanking(k=5))),
        "microaggregation": (20_000, applied(mv.mask.Microaggregation())),
        "local-suppression": (100_000, lambda records: prepare(records, "local-suppression")),
        "pram": (200_000, lambda records: prepare(records, "pram")),
        "micro-hybrid": (100_000, applied(micro, given=[])),
        "ipso": (200_000, applied(mv.synth.Ipso(), given=[])),
        "gaussian-copula": (100_000, applied(mv.synth.GaussianCopula(), given=[])),
        "pil": (100_000, compared(mv.loss.PIL())),
        "rank-interval": (100_000, compared(mv.risk.RankInterval())),
    }


def _measure(tree: str, quick: bool) -> dict[str, float]:
    import microveil as mv

    if not str(mv.__file__).startswith(tree):
        sys.exit(f"microveil came from {mv.__file__}, not from {tree}")
    out = {}
    for what, (full, prepared) in _cases().items():
        records = full // 20 if quick and full > 2_000 else full
        prepared(min(records, 2_000))()  # compiles
        task, taken = prepared(records), []
        for _ in range(REPEATS):
            start = time.process_time()
            task()
            taken.append(time.process_time() - start)
        out[f"{what}, {records}"] = min(taken)
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_measure(sys.argv[1], sys.argv[2] == "quick")))
