"""Equal bytes for every method that goes by blocks: engines, blocks, threads, tasks, files and linear algebra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from microveil.run.engine import LocalEngine
from tests.engines import matrix
from tests.spark import ONE_SESSION, need_spark

# neither AVX2 nor fused multiplication, in linear algebra and in the C library
OLDER = {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4"}
NEWER = {"OPENBLAS_CORETYPE": "Haswell"}


def _releases(folder: Path, engine: str, parts: int, rows: int, every: str, settings: dict[str, str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.matrix", str(folder), engine, str(parts), str(rows), every],
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


def test_every_method_in_blocks_by_threads_and_older_kernels(tmp_path: Path) -> None:
    matrix.write_shuffled(tmp_path)
    expected = matrix.releases(tmp_path, LocalEngine(), every=False)
    assert len(expected) > 24
    assert sum(len(one) == 64 for one in expected.values()) > 22, "most of them write files"
    found = _releases(tmp_path, "blocks", 4, 70, "one", OLDER)
    assert _differing(expected, found, NEWER, OLDER) == []


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    matrix.write_shuffled(folder)
    return folder


@pytest.fixture(scope="module")
def in_memory(shuffled: Path) -> dict[str, str]:
    return _releases(shuffled, "memory", 1, 1, "every", NEWER)


@pytest.mark.full
@pytest.mark.parametrize(
    ("threads", "rows", "kernels"),
    [(1, 7, NEWER), (2, 1000, OLDER), (4, 1 << 17, NEWER), (4, 50, OLDER)],
    ids=["1 thread, 7 rows", "2 threads, 1000 rows", "4 threads, 2^17 rows", "4 threads, 50 rows"],
)
def test_blocks_and_threads(
    threads: int, rows: int, kernels: dict[str, str], shuffled: Path, in_memory: dict[str, str]
) -> None:
    found = _releases(shuffled, "blocks", threads, rows, "every", kernels)
    assert _differing(in_memory, found, NEWER, kernels) == []


@pytest.mark.full
def test_memory_under_older_kernels(shuffled: Path, in_memory: dict[str, str]) -> None:
    found = _releases(shuffled, "memory", 1, 1, "every", OLDER)
    assert _differing(in_memory, found, NEWER, OLDER) == []


@pytest.mark.full
@ONE_SESSION
@pytest.mark.parametrize(("partitions", "rows", "kernels"), [(1, 1 << 17, NEWER), (3, 50, OLDER), (8, 20, NEWER)])
def test_tasks_of_spark(
    partitions: int, rows: int, kernels: dict[str, str], shuffled: Path, in_memory: dict[str, str]
) -> None:
    need_spark()
    found = _releases(shuffled, "spark", partitions, rows, "every", kernels)
    assert _differing(in_memory, found, NEWER, kernels) == []
