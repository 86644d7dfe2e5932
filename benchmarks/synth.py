"""Time, growth and memory of the synthesisers on ten mixed columns; exact ones beside their matrix products."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from microveil import synth
from microveil.kernels.draws.linear import cholesky_synthesis, ipso
from microveil.kernels.moments.central import mean_and_covariance

SIZES = (10_000, 50_000, 100_000)
NUMERIC = ("age", "income", "wealth", "hours", "debt")
WIDE = 50


def mixed_file(n: int) -> pa.Table:
    """Five amounts and five categories that depend on one another."""
    draw = np.random.default_rng(n)
    z = draw.standard_normal(n)
    age = draw.integers(16, 90, n).astype(float)
    marital = np.array(list("abcd"))[np.clip(age // 22 - 1 + draw.integers(0, 2, n), 0, 3).astype(int)]
    return pa.table({
        "age": age,
        "income": np.exp(7 + 0.5 * z + 0.4 * draw.standard_normal(n)).round(2),
        "wealth": np.where(draw.random(n) < 0.3, 0.0, np.exp(8 + z + draw.standard_normal(n))).round(2),
        "hours": (35 + 5 * z + 6 * draw.standard_normal(n)).round(1),
        "debt": np.exp(5 + 0.3 * z + draw.standard_normal(n)).round(2),
        "sex": np.where(draw.random(n) < 0.5, "f", "m"),
        "school": np.array(list("0123"))[np.digitize(z + draw.standard_normal(n), [-1, 0, 1])],
        "region": draw.integers(0, 8, n).astype(str),
        "marital": marital,
        "sick": np.where(draw.random(n) < 0.1 + 0.1 * (z < 0), "y", "n"),
    })  # fmt: skip


def generators() -> list[tuple[Any, dict[str, Any]]]:
    """Every generator with the columns it takes of the mixed file."""
    numbers, half = list(NUMERIC), {"columns": list(NUMERIC[:3]), "given": ["hours", "debt", "sex", "region"]}
    return [
        (synth.CholeskySynthesis(), {"columns": numbers}),
        (synth.Ipso(), half),
        (synth.LatinHypercube(), {"columns": numbers}),
        (synth.SmoothedBootstrap(), {}),
        (synth.GaussianCopula(), {}),
        (synth.ModelBased(), half),
        (synth.Cart(), {}),
        (synth.SequentialRegression(), {}),
        (synth.MultipleImputation(), half),
    ]


def timed(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def peak(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def measured(method: Any, how: dict[str, Any], n: int, former: dict[str, Any] | None) -> dict[str, Any]:
    table = mixed_file(n)
    seconds = timed(lambda: method.apply(table, seed=1, **how))
    growth = math.log(seconds / former["cpu seconds"]) / math.log(n / former["n"]) if former else None
    return {
        "generator": method.name,
        "n": n,
        "columns": len(how.get("columns", table.column_names)),
        "cpu seconds": seconds,
        "growth": growth,
        "peak MB": peak(lambda: method.apply(table, seed=1, **how)),
    }


def beside_products(n: int) -> list[dict[str, Any]]:
    """The exact generators on 50 columns, as multiples of one pass of the matrix products they need."""
    X = np.random.default_rng(1).standard_normal((n, WIDE))
    draw = np.random.default_rng(2)
    mean, V = mean_and_covariance(X)
    half = WIDE // 2

    def products() -> None:
        G = draw.standard_normal((n, WIDE))
        G @ (X.T @ G)

    products()
    unit = timed(products)
    found = {
        "products": products,
        "cholesky-synthesis (arrays)": lambda: cholesky_synthesis(mean, V, n, draw),
        "ipso (arrays)": lambda: ipso(X[:, :half], X[:, half:], draw),
    }
    rows = []
    for name, call in found.items():
        seconds = timed(call)
        rows.append({
            "generator": name, "n": n, "columns": WIDE, "cpu seconds": seconds, "growth": None,
            "peak MB": peak(call), "times the products": seconds / unit,
        })  # fmt: skip
    return rows


def run(quick: bool) -> list[dict[str, Any]]:
    """CPU seconds, growth (exponent of n against the size before) and peak memory of one release."""
    rows = []
    for method, how in generators():
        method.apply(mixed_file(500), seed=1, **how)  # imports and compilation
        former: dict[str, Any] | None = None
        for n in SIZES[:1] if quick else SIZES:
            former = measured(method, how, n, former)
            rows.append(former)
    return rows + beside_products(20_000 if quick else 1_000_000)


if __name__ == "__main__":
    for row in run(quick=False):
        print(row)
