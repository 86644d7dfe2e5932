"""Spark at length: every plan by 1, 3 and 8 tasks, spark-submit, executors and whole processes that are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import microveil as mv
from microveil.engines import SparkEngine, scan
from tests.engines.files import FACTS, KEY, same_releases, write_parts
from tests.engines.test_equality import PLANS
from tests.spark import need_spark

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

# what a process of its own does: waits in a pass, kills its executor, or neither
_CODE = """
import os, signal, sys, time
from pathlib import Path
import microveil as mv
from microveil.engines import SparkEngine, part_files, spark_writing
from pyspark.sql import SparkSession

def main(pattern, into, key, facts, mode):
    part_files.PART_ROWS = 50
    write, mark = spark_writing._write, Path(into).parent / "mark"
    def deadly(number, **how):
        if number == 1 and mode != "plain" and not mark.exists():
            mark.touch()
            (how["held"] / "half").write_bytes(b"half of a file")
            if mode == "wait":
                time.sleep(600)
            status = Path(f"/proc/{os.getppid()}/stat").read_text()  # of the daemon, whose parent is the executor
            os.kill(int(status.rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
            time.sleep(600)
        return write(number, **how)
    spark_writing._write = deadly
    session = SparkSession.builder.getOrCreate() if mode in ("plain", "executor") else None
    plan = mv.Plan([(mv.mask.UncorrelatedNoise(), ["income", "tax"])])
    plan.run(mv.scan(pattern, **eval(facts)), into=into, seed=key, engine=SparkEngine(session, 3, 50))
    if session is not None:
        assert session.range(3).count() == 3, "the session was left running"
        session.stop()

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The files of the engine `memory`."""
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 50)
    source = scan(write_parts(tmp_path), **FACTS)
    release = mv.Plan(PLANS["noise"]).run(source, into=tmp_path / "memory", seed=KEY)
    return [path.read_bytes() for path in release.files]


def _submit(tmp_path: Path, mode: str, *options: str) -> subprocess.CompletedProcess[str]:
    import pyspark

    (tmp_path / "job.py").write_text(_CODE)
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    words = [str(tmp_path / "part*.parquet"), str(tmp_path / "out"), KEY, repr(FACTS), mode]
    return subprocess.run(
        [submit, *options, "--conf", "spark.ui.enabled=false", str(tmp_path / "job.py"), *words],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=550,
    )


def _written(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir())]


@pytest.mark.parametrize("partitions", [1, 3, 8])
@pytest.mark.parametrize("steps", PLANS.values(), ids=PLANS)
@pytest.mark.usefixtures("spark_context")
def test_any_number_of_tasks(steps: list[Any], partitions: int, tmp_path: Path) -> None:
    same_releases(scan(write_parts(tmp_path), **FACTS), steps, tmp_path, SparkEngine(None, partitions, 20))


def test_inside_spark_submit(tmp_path: Path, expected: list[bytes]) -> None:
    need_spark()
    done = _submit(tmp_path, "plain", "--master", "local[2]")
    assert done.returncode == 0, done.stderr[-2000:]
    assert _written(tmp_path / "out") == expected


def test_an_executor_that_is_killed(tmp_path: Path, expected: list[bytes]) -> None:
    need_spark()
    done = _submit(tmp_path, "executor", "--master", "local-cluster[2,1,1024]")
    if done.returncode and not (tmp_path / "mark").exists():
        pytest.skip(f"local-cluster does not start here: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "mark").exists()
    assert _written(tmp_path / "out") == expected
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path, expected: list[bytes]) -> None:
    need_spark()
    (tmp_path / "job.py").write_text(_CODE)
    words = [str(tmp_path / "part*.parquet"), str(tmp_path / "out"), KEY, repr(FACTS)]
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    run = subprocess.Popen(
        [sys.executable, str(tmp_path / "job.py"), *words, "wait"], env={**os.environ, "SPARK_LOCAL_DIRS": str(spilled)}
    )
    _until((tmp_path / "mark").exists)
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    run.send_signal(signal.SIGKILL)
    run.wait()
    # its watcher removes the hidden folder, and Java ends and removes what it spilled
    _until(lambda: not any(path.name.startswith(".") for path in tmp_path.iterdir()))
    _until(lambda: not any(spilled.iterdir()))
    assert not (tmp_path / "out").exists()
    subprocess.run([sys.executable, str(tmp_path / "job.py"), *words, "again"], check=True, timeout=550)
    assert _written(tmp_path / "out") == expected


def _until(holds: Any) -> None:
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen within five minutes")


def test_the_example_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_spark()
    import pyspark

    page = (Path(__file__).resolve().parents[2] / "docs" / "large_files.md").read_text(encoding="utf-8")
    (job,) = re.findall(r"```python title=protect\.py\n(.*?)```", page, re.DOTALL)
    (tmp_path / "protect.py").write_text(job)
    monkeypatch.chdir(tmp_path)
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], {})
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    done = subprocess.run(
        [submit, "--master", "local[2]", "protect.py", str(tmp_path / "survey-*.parquet"), str(tmp_path / "by-spark")],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=550,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Release: 1,200 records in 1 file" in done.stdout
    assert (tmp_path / "by-spark" / "part-00000.parquet").is_file()
