"""The run around the methods: a release beside the method alone, and one evaluation.

`method` is the processor time of the method's own work on arrays, `release` that of the whole call: choosing columns,
putting them back into the frame, checking promises, counting what came back. Amounts have full precision, cents, or
are whole numbers, which are rounded and looked at for digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

ROWS, COLUMNS = 100_000, 10
EVALUATED = 60_000


def seconds(task: Callable[[], object], repeats: int = 3) -> float:
    """The least processor time of some runs; the first, which compiles, does not count."""
    task()
    found = []
    for _ in range(repeats):
        start = time.process_time()
        task()
        found.append(time.process_time() - start)
    return min(found)


def amounts(digits: str, rows: int) -> pd.DataFrame:
    """Correlated amounts in these digits."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(rows, COLUMNS)) @ draw.normal(size=(COLUMNS, COLUMNS))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
    return {"full": frame, "cents": frame.round(2), "whole": (1000 * frame).round().astype(np.int64)}[digits]


def run(quick: bool) -> list[dict[str, object]]:
    """Releases of some methods, and an evaluation that builds the protected data once."""
    import microveil as mv
    from microveil.core.streams import Key, Streams
    from microveil.data.microdata import Microdata
    from microveil.run import Job, Step

    rows = ROWS // 10 if quick else ROWS
    methods = {
        "uncorrelated-noise": mv.mask.UncorrelatedNoise(),
        "exact-noise": mv.mask.ExactNoise(),
        "rank-swap": mv.mask.RankSwap(p=5),
        "micro-hybrid": mv.hybrid.MicroHybrid(partition=mv.partition.Projection(k=10)),
        "cholesky-hybrid": mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise()),
        "ipso": mv.synth.Ipso(),
    }
    out: list[dict[str, object]] = []
    for digits in ("full", "cents", "whole"):
        data = Microdata(amounts(digits, rows))
        for name, method in methods.items():
            given = [] if method.conditions else None
            table = data.table(list(method.resolve(data, Step(method, given=given))[0]))
            job = Job(Streams(Key.of(1)), table.only([]), table)
            alone = seconds(lambda method=method, table=table, job=job: method.run(table, job))
            whole = seconds(lambda method=method, data=data, given=given: method.apply(data, given=given))
            out.append({"what": name, "digits": digits, "rows": rows, "method s": alone, "release s": whole,
                        "ratio": whole / alone})  # fmt: skip
    out.append(_evaluation(EVALUATED // 10 if quick else EVALUATED))
    return out


def _evaluation(rows: int) -> dict[str, object]:
    import microveil as mv
    from microveil.data.microdata import Microdata

    data = Microdata(amounts("full", rows))
    release = mv.mask.UncorrelatedNoise().apply(data)
    built = 0
    make = Microdata.__init__

    def counting(self: Microdata, *arguments: object, **named: object) -> None:
        nonlocal built
        built += 1
        make(self, *arguments, **named)  # type: ignore[arg-type]

    Microdata.__init__ = counting  # type: ignore[method-assign]
    try:
        measures = [mv.loss.PIL(), mv.loss.InformationLoss(), mv.loss.MatrixLoss(), mv.loss.MomentChange(),
                    mv.risk.RankInterval(), mv.risk.SDInterval()]  # fmt: skip
        taken = seconds(lambda: mv.evaluate(data, release, measures=measures), 2)
    finally:
        Microdata.__init__ = make  # type: ignore[method-assign]
    return {"what": "evaluate, 6 measures", "digits": "full", "rows": rows, "release s": taken, "built": built}
