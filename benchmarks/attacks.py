"""Every attack that applies to releases of 100,000 records with 10 amounts: seconds, growth and peak memory.

As in an evaluation some originals (10,000 of more) are searched for in the whole release. Each case is a process of its
own, so that its peak memory is its own; what was there before the attack (libraries, both files) is told beside it.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from microveil import Release
    from microveil.measure import Measure, Pair

T = TypeVar("T")
SIZES = (10_000, 100_000)
ATTRIBUTES = 10
_COMPILED = 1_000
METHODS = ("rank-swap", "individual-ranking", "microaggregation", "correlated-noise", "households")
_TOGETHER = 3  # members of a household


def amounts(n: int) -> pa.Table:
    """Correlated, skewed amounts."""
    draw = np.random.default_rng(1)
    X = np.exp(draw.standard_normal((n, ATTRIBUTES)) @ (np.eye(ATTRIBUTES) + 0.4) / 2)
    return pa.table({f"x{j}": column for j, column in enumerate(X.T)})


def released(method: str, n: int) -> Release:
    """The release of a method with usual parameters."""
    import microveil as mv

    made = {
        "rank-swap": mv.mask.RankSwap(p=10),
        "individual-ranking": mv.mask.IndividualRanking(k=10),
        "microaggregation": mv.mask.Microaggregation(partition=mv.partition.Projection(k=10), blocks=2),
        "correlated-noise": mv.mask.CorrelatedNoise(p=0.3),
        "households": mv.mask.Microaggregation(partition=mv.partition.Projection(k=10)),
    }[method]
    data = amounts(n)
    columns = data.column_names
    if method != "households":
        return made.apply(data, columns=columns, seed=1)
    together = data.append_column("home", pa.array(np.arange(n) // _TOGETHER))
    return made.apply(mv.Microdata(together, roles={"home": "household"}), columns=columns, seed=1)


def applicable(pair: Pair) -> dict[str, Measure]:
    """The attacks that an evaluation of a large file tries."""
    from microveil.attack import Attack
    from microveil.core.registry import registered
    from microveil.risk import DistanceLinkage

    found = [cls for cls in registered(Attack) if cls.needs_nothing() and cls.concerns(pair)]
    attacks: list[Measure] = [DistanceLinkage(), *(cls() for cls in found)]
    return {attack.name: attack for attack in attacks}


def names_of(method: str) -> list[str]:
    """The attacks on a method."""
    from microveil.measure import Pair

    return list(applicable(Pair.of(released(method, _COMPILED))))


def measure_case(method: str, attack: str, n: int) -> tuple[float, float, float, float]:
    """Processor seconds of one attack, memory in MB before and at its peak, and the per cent found."""
    from microveil.measure import Pair
    from microveil.plan.sampled import take_sample

    compiled = Pair.of(released(method, _COMPILED))
    take_sample(applicable(compiled)[attack], compiled)
    pair = Pair.of(released(method, n))
    before = _peak()
    start = time.process_time()
    result = take_sample(applicable(pair)[attack], pair)
    return time.process_time() - start, before, _peak(), float(getattr(result, "value", math.nan))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(quick: bool) -> list[dict[str, float | str | None]]:
    """One row per method, attack and size; growth is the exponent of n since the size before."""
    rows: list[dict[str, float | str | None]] = []
    for method in METHODS:
        for attack in _apart(names_of, method):
            before: tuple[int, float] | None = None
            for n in SIZES[:1] if quick else SIZES:
                print(f"  {attack} on {method}, {n:,} records", flush=True)
                seconds, base, peak, found = _apart(measure_case, method, attack, n)
                growth = None if before is None else math.log(seconds / before[1]) / math.log(n / before[0])
                before = (n, max(seconds, 1e-3))
                rows.append({"method": method, "attack": attack, "n": n, "cpu seconds": seconds, "growth": growth,
                             "MB before": base, "peak MB": peak, "found %": found})  # fmt: skip
    return rows


def _apart(task: Callable[..., T], *given: object) -> T:
    """A task in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(task, *given).result()
