"""`microveil protect --engine blocks`: the files of the library, one command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import microveil as mv
from tests.engines.files import FACTS, ROWS, write_parts

ROLES = [word for name, role in FACTS["roles"].items() for word in ("--role", f"{name}={role}")]
WAY = ["-m", "uncorrelated-noise", "--columns", "income", "--engine", "blocks"]


@pytest.fixture
def pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    return write_parts(tmp_path / "data")


def test_files_are_protected_into_a_folder_with_a_log(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    said = run("protect", pattern, *WAY, *ROLES, "-o", "out", "--log", "private/log.json", "--threads", 2)
    assert f"Wrote out ({ROWS} records in 1 file)." in said
    assert "Loss and risk were not measured" in said
    assert "note: not measured on a file in blocks" in said
    source = mv.scan(pattern, **FACTS)
    again = mv.plan.replay(tmp_path / "private" / "log.json", source, into=tmp_path / "again", engine="memory")
    assert again.files[0].read_bytes() == (tmp_path / "out" / "part-00000.parquet").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "data", "out", "private"]


def test_what_the_command_refuses(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    run("protect", pattern, *WAY, *ROLES, "-o", "there", status=2, match="is there already")
    run("protect", pattern, *WAY, *ROLES, "-o", "out", "--report", "a.html", status=2, match="leave them out with")
    run("protect", pattern, *WAY[:4], "-o", "out", "--engine", "block", status=2, match="did you mean 'blocks'?")
    run("protect", pattern, *WAY, *ROLES, "-o", "out", "--seed", "1", status=2, match="--seed can be guessed")
    run("protect", "data/part0.parquet", *WAY[:4], "-o", "out.csv", "--threads", 2, status=2, match="--threads belongs")
    run(
        "protect", pattern, *WAY, *ROLES, "-o", "out", "--encoding", "cp1252", status=2, match="--encoding is for files"
    )
    (tmp_path / "project.yaml").write_text("version: 2\n")
    run("run", "project.yaml", "--engine", "blocks", status=2, match="which must be in memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "project.yaml", "there"]


def test_promises_given_up_leave_nothing(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        "steps:\n- {method: {cholesky-hybrid: {mask: {uncorrelated-noise: {p: 0.5}}}}, columns: [tax, income]}\n"
        "- {method: {uncorrelated-noise: {p: 0.5}}, columns: [tax]}\n"
    )
    way = ["--plan", "plan.yaml", "--engine", "blocks", *ROLES]
    run("protect", pattern, *way, "-o", "out", status=1, match="given up")
    assert not (tmp_path / "out").exists()


def test_spark_is_an_engine_of_the_command(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    way = ["protect", pattern, *WAY[:-1], "spark", *ROLES, "-o", "out"]
    run(*way, "--threads", 0, status=2, match="threads must be a whole number of 1 or more")
    run(*way, "--force", status=2, match="leave them out with --engine spark")
    assert not (tmp_path / "out").exists()
