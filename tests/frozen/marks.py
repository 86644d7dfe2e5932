"""Marks of releases under fixed keys: a few weighted sums a column, compared with those of earlier versions.

A sum moves when any value, row or gap does; unlike a hash it does not mind the last bits, in which processors differ.
They are the part `marks` of the frozen behaviour: `python -m tests.frozen accept marks` records numbers that a change
moves on purpose.
"""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import microveil as mv
from microveil.core.errors import MicroveilError, NothingHidden
from microveil.core.registry import registered
from microveil.testing.samples import as_microdata, numbers_of, sample_columns, with_gaps
from microveil.testing.values import grid_points

TOLERANCE = 1e-7
QUICK = None  # tests/frozen/test_marks.py compares them one by one
ROWS = 160


def _plans() -> dict[str, mv.Plan]:
    """A spread of plans: several steps, subdomains, gaps, kept columns."""
    amounts = ["income", "wealth"]
    groups = mv.partition.MDAV(k=5)
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    return {
        "anonymous keys, hybrid amounts": mv.Plan(
            [(mv.mask.KAnonymise(k=5), ["sex", "age"]), {"method": hybrid, "columns": amounts, "given": []}]
        ),
        "hybrid by region": mv.Plan([{"method": hybrid, "columns": amounts, "given": [], "by": "region"}]),
        "microaggregation then rescaling": mv.Plan(
            [(mv.mask.Microaggregation(partition=groups), amounts), (mv.mask.Rescale(), amounts)]
        ),
        "noise then rounding": mv.Plan(
            [(mv.mask.UncorrelatedNoise(p=0.3), amounts), (mv.mask.Round(base=10), amounts)]
        ),
        "suppression then pram": mv.Plan(
            [(mv.mask.LocalSuppression(k=3), ["sex", "school"]), (mv.mask.Pram(), ["place"])]
        ),
        "swapping by region": mv.Plan([{"method": mv.mask.RankSwap(p=10), "columns": amounts, "by": ["region"]}]),
        "trees": mv.Plan([{"method": mv.synth.Cart(), "columns": ["income", "wealth", "school"]}]),
        "gaps dropped": mv.Plan([{"method": mv.mask.ExactNoise(p=0.3), "columns": amounts, "missing": "drop"}]),
        "gaps masked": mv.Plan([{"method": mv.mask.UncorrelatedNoise(p=0.3), "columns": amounts, "missing": "mask"}]),
        "hybrid around gaps": mv.Plan([{"method": hybrid, "columns": amounts, "given": [], "missing": "mask"}]),
        "hybrid beside kept columns": mv.Plan([{"method": hybrid, "columns": amounts, "given": ["age", "sex"]}]),
        "local synthesis beside kept columns": mv.Plan(
            [{"method": mv.hybrid.LocalSynthesis(k=20), "columns": [*amounts, "school"], "given": ["age", "sex"]}]
        ),
        "cholesky hybrid": mv.Plan([(mv.hybrid.CholeskyHybrid(mask=mv.mask.RankSwap(p=7)), amounts)]),
    }


def cases() -> Iterator[tuple[str, Any, Any]]:
    """Every method at every grid point, and the plans, each with a name and the data it runs on."""
    data = as_microdata(sample_columns(ROWS))
    for cls in registered(mv.data.Method):
        if cls.__module__.startswith("microveil."):
            for number, member in enumerate(grid_points(cls)):
                yield f"{cls.name} {number}: {json.dumps(member.to_spec())}", mv.Plan([member]), data
    gappy = as_microdata(with_gaps(sample_columns(ROWS), ["income", "school"]))
    for name, plan in _plans().items():
        yield f"plan: {name}", plan, gappy if "gaps" in name else data


def marks_of(plan: mv.Plan, data: Any) -> dict[str, Any]:
    """Weighted sums of every column of the release, or the kind of error with which it was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        try:
            release = plan.run(data, seed=20240229)
        except MicroveilError as problem:
            return {"refused": type(problem).__name__}
    weights = np.cos(np.arange(len(release)) * 1.7)
    found: dict[str, Any] = {"records": len(release)}
    for name, values in numbers_of(release.frame, release.columns).items():
        numbers = np.array([_number(value) for value in values])
        found[name] = [float(np.abs(numbers).sum()), float(weights @ numbers)]
    return found


def _number(value: Any) -> float:
    if value is None:
        return -0.5
    return float(zlib.crc32(value.encode())) / 2**32 if isinstance(value, str) else float(value)


def entries() -> Iterator[tuple[str, Any]]:
    """Yield the marks of every method and of a spread of plans."""
    for name, plan, data in cases():
        yield name, marks_of(plan, data)
