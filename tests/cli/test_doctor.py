"""`microveil doctor`: each line tells the truth about this machine, and what is broken is said with what to do."""

from __future__ import annotations

import importlib
import os
import secrets
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from microveil.cli import installed, machine
from microveil.cli.finding import ABSENT, BROKEN, FOUND, WORKS, Finding
from microveil.cli.installed import Requirement
from microveil.core import compiling
from microveil.io import atomic

Run = Callable[..., str]
ROOT = Path(__file__).resolve().parents[2]
STATED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {one.what: one for one in findings}


@pytest.mark.long
def test_it_says_what_is_there_and_ends_well(run: Run) -> None:
    said = run("doctor")
    assert "Everything that microveil needs works" in said
    assert "compiled loops" in said
    assert metadata.version("numba") in said


def test_packages_and_extras_are_those_of_the_package() -> None:
    told = by_name(installed.check_packages())
    for one in STATED["dependencies"]:
        assert told[Requirement.read(one).package.lower()].state == WORKS
    assert {name for name in told if name.startswith("extra ")} == {
        f"extra {name}" for name in STATED["optional-dependencies"] if name != "all"
    }
    assert told["extra dev"].state in (FOUND, ABSENT)  # looked at, not loaded


def test_extras_that_name_other_extras_have_their_packages() -> None:
    lines = [
        "microveil[models,search]; extra == 'all'",
        "optuna>=5.0; extra == 'search'",
        "scikit-learn; extra == 'models'",
    ]
    asked = [Requirement.read(line) for line in lines]
    assert [one.package for one in installed._packages_of("all", asked)] == ["scikit-learn", "optuna"]


def test_a_package_that_is_missing_old_or_broken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Requirement.read("no-such-package>=1.0").problem(load=True) == "no-such-package is not installed"
    assert "is older than 999.0" in Requirement.read("numpy>=999.0").problem(load=True)
    monkeypatch.setattr(importlib, "import_module", lambda name: (_ for _ in ()).throw(OSError("wrong\narchitecture")))
    assert Requirement.read("numpy>=1.0").problem(load=True).endswith("cannot be loaded (wrong architecture)")
    found = installed._needed(Requirement.read("numpy>=1.26"))
    assert found.state == BROKEN
    assert found.to_do == "python -m pip install --force-reinstall 'numpy>=1.26'"


def test_an_extra_that_is_absent_breaks_nothing() -> None:
    asked = [Requirement.read("no-such-package; extra == 'pdf'"), Requirement.read("no-such-package; extra == 'all'")]
    found = installed._extra("pdf", asked)
    assert found.state == ABSENT
    assert found.line == "no-such-package is not installed; python -m pip install 'microveil[pdf]'"


def test_without_metadata_the_package_is_broken(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    assert "will not work until this is repaired: package" in run("doctor", status=1)


def test_what_is_broken_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_bytes", bytes)
    assert machine._entropy().state == BROKEN
    monkeypatch.setattr(machine, "_OLDEST_PYTHON", (99, 0))
    assert machine._python().state == BROKEN
    monkeypatch.setattr(machine.tempfile, "gettempdir", lambda: "/proc/nowhere")
    assert machine._temporary().state == BROKEN


def test_what_is_absent_on_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "occupied").write_text("")
    monkeypatch.setattr(compiling, "home_of_machine_code", lambda: tmp_path / "occupied" / "below")
    assert machine._machine_code().state == ABSENT
    monkeypatch.setattr(atomic, "_open_nameless", lambda folder: None)
    assert machine._this_folder().state == ABSENT
    monkeypatch.setattr(machine, "_can_write", lambda folder: False)
    assert "cannot be written" in machine._this_folder().told
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    assert machine._program("java", ("java",)).line == "not found; nothing to do: no command needs it"


def test_a_terminal_without_our_signs_is_told() -> None:
    code = "from microveil.cli.machine import _terminal; print(_terminal().line)"
    around = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=around, capture_output=True, text=True, check=True).stdout
    assert said.startswith("ascii, which has no signs such as")
    assert said.strip().endswith("set PYTHONUTF8=1")


@pytest.mark.long
def test_it_answers_where_the_compiler_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('no llvm here')")
    around = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = subprocess.run(
        [sys.executable, "-m", "microveil", "doctor"], env=around, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert "they cannot be compiled (no llvm here)" in ended.stdout
    assert "numba" in ended.stdout.splitlines()[-1]


def test_one_line_where_not_even_the_commands_load(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ImportError('typer is gone')")
    around = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = subprocess.run(
        [sys.executable, "-m", "microveil", "doctor"], env=around, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("microveil: a package that it needs cannot be loaded (typer is gone)")
