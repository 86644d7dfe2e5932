"""Time of local synthesis and of its parts: the fit, which stops growing with the file, assignment and drawing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microveil.core.streams import Key, Streams
from microveil.hybrid import LocalSynthesis
from microveil.kernels.assignment.sizes import assign_at_least
from microveil.kernels.mixture.draw import redraw_clusters
from microveil.partition import Mixture

SIZES = (1_000, 2_000, 5_000, 50_000, 500_000)
COLUMNS = 10
SHARES = (0.4, 0.25, 0.15, 0.1, 0.07, 0.03)
K = 60


def clusters(n: int) -> NDArray[np.float64]:
    """Six normal clusters of ten correlated columns."""
    draw = np.random.default_rng(1)
    centres, mixing = 3 * draw.standard_normal((len(SHARES), COLUMNS)), draw.standard_normal((COLUMNS, COLUMNS))
    members = draw.choice(len(SHARES), size=n, p=SHARES)
    return np.asarray(centres[members] + 0.7 * draw.standard_normal((n, COLUMNS)) @ mixing)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def measured(n: int, former: dict[str, Any] | None) -> dict[str, Any]:
    X = clusters(n)
    table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)})
    fitting, fit = timed(lambda: Mixture(k=K).fit(X, seed=1))
    # as many records to move as a quarter of the file: the hard case of the assignment
    hard = n // (fit.groups + 1)
    assigning, _ = timed(lambda: assign_at_least(fit.log_memberships, hard))
    streams = Streams(Key.of(2))
    drawing, _ = timed(lambda: redraw_clusters(X.copy(), np.zeros((n, 0)), fit.labels, None, streams))
    whole, _ = timed(lambda: LocalSynthesis(k=K).apply(table, seed=1))
    growth = math.log(whole / former["cpu seconds"]) / math.log(n / former["n"]) if former else None
    return {
        "n": n, "columns": COLUMNS, "clusters": fit.groups, "cpu seconds": whole, "growth": growth,
        "fit and assignment": fitting, "assignment with large k": assigning, "share of it": assigning / whole,
        "drawing": drawing,
    }  # fmt: skip


def run(quick: bool) -> list[dict[str, Any]]:
    """CPU seconds of one release, their growth (exponent of n against the size before), and of the parts."""
    LocalSynthesis(k=K).apply(pa.table({f"x{j}": x for j, x in enumerate(clusters(300).T)}), seed=1)
    assign_at_least(np.log(np.random.default_rng(1).dirichlet(np.ones(3), size=60)), 18)
    rows: list[dict[str, Any]] = []
    for n in SIZES[:2] if quick else SIZES:
        rows.append(measured(n, rows[-1] if rows else None))
    return rows


if __name__ == "__main__":
    for row in run(quick=False):
        print(row)
