"""The same key gives the same bytes, whatever kernels and however many threads linear algebra uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

# methods whose models are fitted by libraries on all records; they say so by passes = "file"
SCRIPT = """
import hashlib, json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.core.registry import registered
from microveil.testing.samples import as_microdata, sample_columns
from microveil.testing.values import example_of
data, found = as_microdata(sample_columns(600)), {}
blocked = mv.partition.Blocked(base=mv.partition.MDAV(k=10), size=100)
members = [example_of(cls) for cls in registered(mv.data.Method) if cls.__module__.startswith("microveil.")]
members += [mv.hybrid.MicroHybrid(partition=blocked), mv.mask.Microaggregation(partition=blocked)]
for member in members:
    if member.passes == "file":
        continue
    try:
        release = mv.Plan([member]).run(data, seed=5)
    except MicroveilError as problem:
        found[json.dumps(member.to_spec())] = str(problem)
        continue
    digest = hashlib.sha256()
    for name in release.columns:
        digest.update(np.ascontiguousarray(release.data.values(name).data).tobytes())
    found[json.dumps(member.to_spec())] = digest.hexdigest()
print(json.dumps(found))
"""


def releases(**settings: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env={**os.environ, **settings}
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_neither_kernels_nor_threads_of_linear_algebra_matter() -> None:
    first = releases(OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    if len(first) < 30:
        pytest.fail(f"only {len(first)} methods were run")
    assert releases(OPENBLAS_CORETYPE="Nehalem", OPENBLAS_NUM_THREADS="2", NUMBA_NUM_THREADS="2") == first
