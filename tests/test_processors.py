"""The same key gives the same bytes, whatever kernels linear algebra uses, whatever threads and chunks there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

# whatever does not declare that it depends on the processor; values as they are before they are rounded to the digits
# of the source, which would hide last bits
SCRIPT = """
import hashlib, json, warnings
warnings.simplefilter("ignore")
import numpy as np
import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.core.registry import registered
from microveil.core.streams import Key, Streams
from microveil.run.contract import Step
from microveil.run.engine import LocalEngine
from microveil.run.processor import depends_on_processor
from microveil.run.state import State
from microveil.testing.samples import as_microdata, sample_columns
from microveil.plan.catalogue import example_of
data, found = as_microdata(sample_columns(200)), {}
amounts = [name for name, kind in data.kinds.items() if kind == "continuous"]
ruled = data.with_(edits=[f"{name} >= {np.nanmin(data.values(name).numbers)}" for name in amounts])
engine = LocalEngine(THREADS, CHUNK_ROWS)
blocked = mv.partition.Blocked(base=mv.partition.MDAV(k=10), size=100)
members = [example_of(cls) for cls in registered(mv.data.Method) if cls.__module__.startswith("microveil.")]
members += [mv.hybrid.MicroHybrid(partition=blocked), mv.mask.Microaggregation(partition=blocked)]
members += [mv.hybrid.CholeskyHybrid(core="feasible")]
for member, source in [(member, source) for member in members for source in (data, ruled)]:
    if depends_on_processor(member):
        continue
    try:
        state = State.begin(source).advance(Step(member), Streams(Key.of(5)), engine)
    except MicroveilError as problem:
        found[json.dumps([member.to_spec(), source is ruled])] = str(problem)
        continue
    digest = hashlib.sha256()
    for name, values in sorted(state.changed.items()):
        digest.update(np.ascontiguousarray(values.data).tobytes())
    found[json.dumps([member.to_spec(), source is ruled])] = digest.hexdigest()
print(json.dumps(found))
"""


def releases(engine: tuple[int, int], **settings: str) -> dict[str, str]:
    program = SCRIPT.replace("THREADS", str(engine[0])).replace("CHUNK_ROWS", str(engine[1]))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, **settings}
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.full
def test_neither_kernels_nor_threads_nor_chunks_matter() -> None:
    first = releases((1, 10**6), OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    if len(first) < 88:
        pytest.fail(f"only {len(first)} methods were run")
    # neither AVX2 nor fused multiplication in the C library either
    older = {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4"}
    again = releases((4, 50), **older, OPENBLAS_NUM_THREADS="2", NUMBA_NUM_THREADS="2")
    assert [name for name in first if again[name] != first[name]] == []
