"""`microveil protect --engine spark`: in a session that runs, and in one that the command starts and ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import microveil as mv
from tests.cli.test_protect_blocks import PROJECT, ROLES, WAY
from tests.engines.files import FACTS, ROWS, write_parts
from tests.spark import need_spark

pytestmark = [
    # pyspark leaves sockets to the collector of garbage
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


def words(pattern: str) -> list[str]:
    return ["protect", pattern, *WAY[:-1], "spark", *ROLES, "-o", "out", "--log", "log.json"]


def compare(folder: Path, pattern: str) -> None:
    """The files are those of the engine `memory`, and nothing else is there."""
    again = mv.plan.replay(folder / "log.json", mv.scan(pattern, **FACTS), into=folder / "again")
    assert again.files[0].read_bytes() == (folder / "out" / "part-00000.parquet").read_bytes()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.long
def test_the_command_takes_the_session_that_runs(
    run: Callable[..., str], spark_context: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pattern = write_parts(tmp_path)
    assert f"Wrote out ({ROWS} records in 1 file)." in run(*words(pattern))
    assert spark_context._jsc is not None
    compare(tmp_path, pattern)
    run(*words(pattern)[:-4], "-o", "no", "--threads", 2, status=2, match="a Spark session runs already")
    assert not (tmp_path / "no").exists()


@pytest.mark.full
@pytest.mark.usefixtures("spark_context")
def test_a_project_is_carried_to_a_package(
    run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    pattern = write_parts(tmp_path / "data")
    (tmp_path / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.2"))
    assert "Scenario 'neighbour' is kept" in run("run", "project.yaml", "--engine", "spark", "--measures", "quick")
    assert "The audit finds no fault" in run("audit", "runs/0001/package")
    (log,) = (tmp_path / "runs" / "0001").rglob("log.json")
    again = mv.plan.replay(log, mv.scan(pattern, **FACTS), into=tmp_path / "again")
    (written,) = (tmp_path / "runs" / "0001" / "package" / "data").iterdir()
    assert again.files[0].read_bytes() == written.read_bytes()


@pytest.mark.full
def test_the_command_starts_spark_and_says_nothing_of_it(tmp_path: Path) -> None:
    need_spark()
    pattern = write_parts(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "microveil", *words(pattern), "--threads", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert f"Wrote out ({ROWS} records in 1 file)." in done.stdout
    assert done.stderr == ""
    compare(tmp_path, pattern)
