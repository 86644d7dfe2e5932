"""Exact means and covariances on reference files and on large ones; on small files they are in the common suite."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from microveil.core.registry import registered
from microveil.hybrid import CholeskyHybrid, Combine, LocalSynthesis
from microveil.partition import MDAV, Partition, Projection
from microveil.run.method import Method
from microveil.testing import grid_points
from microveil.testing.moments import check_moments_of, promises_moments
from tests.reference import EIA_AMOUNTS, reference

COLUMNS = {
    "census": None,
    "eia": EIA_AMOUNTS,
    "tarragona": None,
    "thyroid": ["age", "tsh", "t3", "t4u", "fti"],
}
# the first member of each class that promises exact moments
EXACT = [
    next(filter(promises_moments, grid_points(cls)))
    for cls in registered(Method)
    if cls.family in ("hybrid", "synth") and any(map(promises_moments, grid_points(cls)))
]
CORES = [CholeskyHybrid(core=core) for core in ("polar", "paper")]


def with_groups(method: Method, partition: Partition) -> Method:
    """The method with other groups, if it forms any: quick ones for large files, large ones for many columns."""
    lighter = {"partition": partition, "max_groups": 3}
    named = {field.name for field in fields(method)}
    return replace(method, **{name: value for name, value in lighter.items() if name in named})


def generated(n: int, p: int = 20) -> dict[str, Any]:
    """Skewed, correlated columns in different units, far from 0."""
    mixed = np.random.default_rng(1).normal(size=(n, p)) @ (np.eye(p) + 0.4 * np.tri(p, k=-1)).T
    return {f"x{j}": np.exp(mixed[:, j] / 2) * 10.0 ** (j % 5) + 50.0 for j in range(p)}


def test_exact_methods_are_found():
    names = {"cholesky-hybrid", "micro-hybrid", "muralidhar-sarathy", "local-masking", "cholesky-synthesis", "ipso"}
    assert {member.name for member in EXACT} >= names


@pytest.mark.long
@pytest.mark.parametrize("file", COLUMNS)
@pytest.mark.parametrize(
    "method",
    [
        # regressions in many small groups take long
        pytest.param(one, id=str(one.to_spec())[:60], marks=[pytest.mark.full] * isinstance(one, LocalSynthesis))
        for one in (*EXACT, *CORES)
    ],
)
def test_reference_files(method, file):
    frame = reference(file)
    check_moments_of(with_groups(method, MDAV(k=40)), frame[COLUMNS[file] or list(frame)].to_dict("list"))


@pytest.mark.full
@pytest.mark.parametrize("records", [100_000, 1_000_000])
@pytest.mark.parametrize("method", EXACT, ids=lambda method: method.name)
def test_large_files(method, records):
    # nearest records in 20 dimensions take long to find
    n = records // 10 if isinstance(method, Combine) else records
    check_moments_of(with_groups(method, Projection(k=100)), generated(n), written=False)
