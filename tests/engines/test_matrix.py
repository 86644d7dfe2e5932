"""Equal bytes for every method that goes by blocks: engines, blocks, threads, tasks, files and linear algebra.

`make test` has each of these by itself: blocks in the checks of every method, kernels in tests/test_processors.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines import matrix
from tests.spark import need_spark

pytestmark = pytest.mark.full

# neither AVX2 nor fused multiplication, in linear algebra and in the C library
OLDER = {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4"}
NEWER = {"OPENBLAS_CORETYPE": "Haswell"}


def _releases(folder: Path, engine: str, parts: int, rows: int, settings: dict[str, str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.matrix", str(folder), engine, str(parts), str(rows)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def _differing(expected: dict[str, str], found: dict[str, str], *kernels: dict[str, str]) -> list[str]:
    """The methods that wrote other bytes, or were refused with other words, under one or several sets of kernels."""
    assert list(found) == list(expected)
    alike = all(one is kernels[0] for one in kernels)
    return [
        name for name in expected if found[name] != expected[name] and (alike or not name.startswith(matrix.ON_ONE))
    ]


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    matrix.write_shuffled(folder)
    return folder


@pytest.fixture(scope="module")
def in_memory(shuffled: Path) -> dict[str, str]:
    found = _releases(shuffled, "memory", 1, 1, NEWER)
    assert len(found) > 40
    assert sum(len(one) == 64 for one in found.values()) > len(found) / 2, "most of them write files"
    return found


@pytest.mark.parametrize(
    ("threads", "rows", "kernels"),
    [(1, 7, NEWER), (2, 1000, OLDER), (4, 1 << 17, NEWER), (4, 50, OLDER)],
    ids=["1 thread, 7 rows", "2 threads, 1000 rows", "4 threads, 2^17 rows", "4 threads, 50 rows"],
)
def test_blocks_and_threads(
    threads: int, rows: int, kernels: dict[str, str], shuffled: Path, in_memory: dict[str, str]
) -> None:
    found = _releases(shuffled, "blocks", threads, rows, kernels)
    assert _differing(in_memory, found, NEWER, kernels) == []


def test_memory_under_older_kernels(shuffled: Path, in_memory: dict[str, str]) -> None:
    found = _releases(shuffled, "memory", 1, 1, OLDER)
    assert _differing(in_memory, found, NEWER, OLDER) == []


@pytest.mark.parametrize(("partitions", "rows", "kernels"), [(1, 1 << 17, NEWER), (3, 50, OLDER), (8, 20, NEWER)])
def test_tasks_of_spark(
    partitions: int, rows: int, kernels: dict[str, str], shuffled: Path, in_memory: dict[str, str]
) -> None:
    need_spark()
    found = _releases(shuffled, "spark", partitions, rows, kernels)
    assert _differing(in_memory, found, NEWER, kernels) == []
