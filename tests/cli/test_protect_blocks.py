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
    way = ["protect", pattern, *WAY, *ROLES, "-o", "out"]
    run(*way, "--encoding", "cp1252", status=2, match="means nothing for Parquet files; leave it out")
    run(*way, "--sheet", "a", status=2, match="--sheet is for files")
    (tmp_path / "project.yaml").write_text("version: 1\n")
    run("run", "project.yaml", "--engine", "block", status=2, match="did you mean 'blocks'?")
    run("run", "project.yaml", "--engine", "blocks", "--pdf", status=2, match="leave them out with --engine blocks")
    run("run", "project.yaml", "--threads", 2, status=2, match="--threads belongs")
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


def test_csv_files_are_taken_in_blocks(
    run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{['nord', 'süd'][row % 2]};{row},{row % 10}5;{row if row % 7 else 'k.A.'}" for row in range(60)]
    Path("a.csv").write_bytes("\n".join(["region;income;age", *rows]).encode("cp1252"))
    way = ["protect", "a.csv", *WAY, "--role", "age=other", "--na", "k.A."]
    run(*way, "--decimal", ",", "-o", "out")
    run(*way, "--decimal", ".", "-o", "other", status=2, match="decimal comma in line")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "out"]


PROJECT = """\
version: 1
dataset: {path: "data/part*.parquet"}
columns:
  id: {role: identifier}
  weight: {role: weight}
  region: {role: key}
  sex: {role: key}
  account: {role: other}
  day: {role: other}
  income: {role: confidential}
  age: {role: other, missing: [3]}
plan:
  steps:
  - {method: {uncorrelated-noise: {p: 0.5}}, columns: [income]}
scenarios:
- {name: neighbour, keys: [region, sex], thresholds: {risk: LIMIT, share: 0}}
"""


def test_limits_of_a_project_are_judged_by_counts(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    (tmp_path / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.2"))
    way = ["protect", pattern, "--project", "project.yaml", "--engine", "blocks", "-o", "out"]
    said = run(*way, "--log", "private/log.json")
    assert "Scenario 'neighbour' is kept: 0 % of the records have a risk above 0.2" in said
    assert "In the worst case an intruder finds at least about" in said
    assert "Not tried, so that more may be found" in said
    assert (tmp_path / "out").is_dir()


def test_a_limit_that_is_not_kept_leaves_nothing(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    way = ["protect", pattern, "--project", "project.yaml", "--engine", "blocks", "-o", "out", "--log", "log.json"]
    (tmp_path / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.001"))
    run(*way, status=1, match="nothing was written")
    # a sample cannot show that nobody at all is at risk
    text = PROJECT.replace("LIMIT", "1.0").replace("keys: [region, sex]", "keys: [region], known: [income]")
    (tmp_path / "project.yaml").write_text(text)
    run(*way, status=1, match="not shown to be kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "project.yaml"]


def test_a_project_is_carried_to_a_package_in_blocks(run: Callable[..., str], pattern: str, tmp_path: Path) -> None:
    (tmp_path / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.2"))
    said = run("run", "project.yaml", "--engine", "blocks", "--threads", 2, "--measures", "quick")
    assert "Scenario 'neighbour' is kept" in said
    assert "Wrote runs/0001/package (to give away, once it is signed; the records are Parquet files)." in said
    assert "The audit finds no fault" in run("audit", "runs/0001/package")
    assert "0001" in run("history", "runs")
    (tmp_path / "secret").write_text("correct horse battery staple")
    run("key", "new", "office.key", "--passphrase-file", "secret")
    run("sign", "runs/0001/package", "--key", "office.key", "--passphrase-file", "secret")
    assert "The audit finds no fault" in run("audit", "runs/0001/package", "--trust", "office.key.pub")
