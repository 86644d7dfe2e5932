"""Time of MicroHybrid with rules beside the same without, partition included, and how both grow with the file.

`ratio` divides processor times of the same run; `growth` is the exponent of the number of records. Amounts are ten
lognormal columns without zeros, each at least 0; enterprises have zeros, whose patterns form classes, and totals.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
import pandas as pd

import microveil as mv
from benchmarks.rule_files import RuleFile, enterprises

# file, k, kept columns, records: a move beside kept columns takes as many records and three more, and longer
CASES = (
    ("amounts", 10, 0, (100_000, 1_000_000)),
    ("enterprises", 10, 0, (100_000, 1_000_000)),
    ("amounts", 10, 3, (10_000, 100_000)),
    ("amounts", 20, 10, (2_000, 20_000)),
)


def run(quick: bool) -> list[dict[str, object]]:
    """Amounts alone, enterprises, and amounts beside 3 and 10 kept columns."""
    warnings.simplefilter("ignore")
    rows: list[dict[str, object]] = []
    for what, k, kept, sizes in CASES:
        _seconds(_file(what, 2_000, kept), k, kept, rules=True)  # compilation
        _seconds(_file(what, 2_000, kept), k, kept, rules=False)
        former: dict[str, float] = {}
        for n in sizes[:1] if quick else sizes:
            file = _file(what, n, kept)
            taken = {
                "with rules s": _seconds(file, k, kept, rules=True),
                "without s": _seconds(file, k, kept, rules=False),
            }
            growth = {name: math.log10(taken[name] / former[name]) for name in former}
            rows.append(
                {"file": what, "n": n, "k": k, "kept columns": kept, **taken}
                | {"ratio": taken["with rules s"] / taken["without s"]}
                | {"growth": growth.get("with rules s"), "growth without": growth.get("without s")}
            )
            former = taken
    return rows


def _file(what: str, n: int, kept: int) -> RuleFile:
    if what == "enterprises":
        return enterprises(n)
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n, 10 + kept)) @ (np.eye(10 + kept) + 0.3)
    frame = pd.DataFrame(np.exp(X), columns=[f"x{j}" for j in range(10 + kept)]).assign(part="all")
    amounts = [f"x{j}" for j in range(10 + kept)]
    return RuleFile(what, frame, amounts, [f"{name} >= 0" for name in amounts[:10]], "part")


def _seconds(file: RuleFile, k: int, kept: int, *, rules: bool) -> float:
    data = file.data(rules=rules)
    method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=k))
    step = {"method": method, "columns": file.amounts[:10], "given": file.amounts[10 : 10 + kept]}
    start = time.process_time()
    mv.Plan([step]).run(data, seed=1)
    return time.process_time() - start
