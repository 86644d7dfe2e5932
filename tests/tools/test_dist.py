"""What `make dist` checks can fail; slow: the wheel is built, installed and tried, also by the container's steps."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pages import Reader, read_page
from tools.dist import ROOT, faults_of_source, faults_of_wheel, install_and_try

CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8")
STEPS = [
    line.partition(" ")[::2]
    for line in CONTAINER.replace("\\\n", " ").splitlines()
    if line.strip() and not line.startswith("#")
]
PROJECT = """
[project]
name = "microveil"
version = "1.0"
description = "d"
requires-python = ">=3.11"
license = "BSD-3-Clause"
dependencies = ["numpy"]
[project.optional-dependencies]
pdf = ["typst"]
"""
METADATA = """Name: microveil
Version: 1.0
Summary: d
Requires-Python: >=3.11
License-Expression: BSD-3-Clause
Requires-Dist: numpy
Requires-Dist: typst; extra == 'pdf'
Provides-Extra: pdf
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    package = tmp_path / "src" / "microveil"
    package.mkdir(parents=True)
    for name in ("__init__.py", "py.typed", "page.html"):
        (package / name).write_text("")
    return tmp_path


def pack(tree: Path, files: dict[str, str], without: tuple[str, ...] = ()) -> Path:
    whole = {
        "microveil/__init__.py": "",
        "microveil/py.typed": "",
        "microveil/page.html": "",
        "microveil-1.0.dist-info/METADATA": METADATA,
        "microveil-1.0.dist-info/entry_points.txt": "[console_scripts]\nmicroveil = microveil.cli:main\n",
        "microveil-1.0.dist-info/licenses/LICENSE": "",
        **files,
    }
    wheel = tree / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in whole.items():
            if name not in without:
                archive.writestr(name, text)
    return wheel


def test_a_wheel_that_is_as_it_should_be(tree: Path) -> None:
    assert faults_of_wheel(pack(tree, {}), tree) == []


@pytest.mark.parametrize(
    ("files", "without", "fault"),
    [
        ({}, ("microveil/page.html",), "microveil/page.html is missing"),
        ({}, ("microveil/py.typed",), "py.typed is missing: users get no types"),
        ({"tests/test_x.py": ""}, (), "tests/test_x.py is of a test"),
        ({"microveil/people.csv": ""}, (), "microveil/people.csv looks like data or a key"),
        ({"microveil-1.0.dist-info/METADATA": METADATA.replace("1.0", "2.0")}, (), "Version is '2.0', not '1.0'"),
        ({"microveil-1.0.dist-info/METADATA": METADATA.replace("extra: pdf", "extra: x")}, (), ""),
        ({}, ("microveil-1.0.dist-info/entry_points.txt",), "there is no command microveil"),
        ({}, ("microveil-1.0.dist-info/licenses/LICENSE",), "the licence is missing"),
    ],
)
def test_a_wheel_that_is_not(tree: Path, files: dict[str, str], without: tuple[str, ...], fault: str) -> None:
    files = {name: text.replace("Provides-Extra: pdf", "Provides-Extra: x") if not fault else text
             for name, text in files.items()}  # fmt: skip
    assert (fault or "the extras are not those of pyproject.toml") in faults_of_wheel(pack(tree, files, without), tree)


def test_a_source_archive_with_what_does_not_belong_there(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("x")
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "secret.key", "microveil-1.0/runs/secret.key")
        archive.add(tmp_path / "secret.key", "microveil-1.0/pyproject.toml")
    assert faults_of_source(tmp_path / "x.tar.gz") == [
        "runs does not belong there",
        "LICENSE is missing",
        "README.md is missing",
        "runs/secret.key looks like data or a key",
    ]


def test_the_page_on_installing_runs_as_far_as_it_is_about_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = read_page("installing.md")
    Reader(monkeypatch, capsys).follow(re.sub(r"```console\n\$ make .*?```", "", page, flags=re.DOTALL))
    stated = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert stated == ["models", "search", "sign", "pdf", "app", "all", "spark"]


def test_the_container_knows_its_words_and_fetches_from_the_index_alone() -> None:
    assert {word for word, _ in STEPS} == {"FROM", "ENV", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT"}
    assert STEPS[0][0] == "FROM"
    assert [text for word, text in STEPS if word == "ENTRYPOINT"] == ['["microveil"]']
    for word, text in STEPS:
        assert word != "RUN" or not re.search(r"https?:|curl|wget|apt|sudo|useradd", text)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("pip") is None:
        pytest.skip("the wheel is built by pip, which is not here")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution" in built.stderr or "NewConnectionError" in built.stderr:
        pytest.skip("there is no package index to fetch hatchling from")
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.mark.full
def test_the_wheel_is_whole_installs_and_runs(wheel: Path) -> None:
    assert faults_of_wheel(wheel) == []
    install_and_try(wheel)


@pytest.mark.full
@pytest.mark.parametrize("line", re.findall(r"^(?:pipx run|uvx) .*$", read_page("installing.md"), re.MULTILINE))
def test_lines_that_run_the_wheel_without_installing_it(line: str, wheel: Path, tmp_path: Path) -> None:
    program = line.split()[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    shutil.copy(wheel, tmp_path / "microveil-0.1.0-py3-none-any.whl")
    subprocess.run(["bash", "-c", line.replace("microveil demo", "microveil --version")], cwd=tmp_path, check=True)


@pytest.mark.full
@pytest.mark.parametrize(
    "line", re.findall(r"^(?:pipx install|uv tool install) .*$", read_page("installing.md"), re.MULTILINE)
)
def test_lines_that_install_the_wheel_for_all_folders(line: str, wheel: Path, tmp_path: Path) -> None:
    program = line.split()[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    shutil.copy(wheel, tmp_path / "microveil-0.1.0-py3-none-any.whl")
    places = ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR", "UV_TOOL_DIR", "UV_TOOL_BIN_DIR")
    around = {**os.environ, **{name: str(tmp_path / name) for name in places}}
    around.pop("PYTHONPATH", None)
    subprocess.run(["bash", "-c", line], cwd=tmp_path, env=around, check=True)
    installed = tmp_path / ("PIPX_BIN_DIR" if program == "pipx" else "UV_TOOL_BIN_DIR") / "microveil"
    subprocess.run([installed, "--version"], cwd=tmp_path, env=around, check=True)


@pytest.mark.full
def test_the_steps_of_the_container_run(wheel: Path, tmp_path: Path) -> None:
    """Without an engine: each step by bash in a folder of its own, where `python` is that of a fresh environment."""
    home = tmp_path / "opt"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    around = {**os.environ, "PATH": f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}"}
    around.pop("PYTHONPATH", None)
    for word, text in STEPS:
        here = text.replace("/opt/microveil", str(home))
        if word == "ENV":
            around |= dict(pair.split("=", 1) for pair in here.split())
        elif word == "COPY":
            assert here.split()[0] == "dist/microveil-*.whl"
            shutil.copy(wheel, home)
        elif word == "RUN":
            ended = subprocess.run(["bash", "-euc", here], env=around, capture_output=True, text=True, check=False)
            assert ended.returncode == 0, (text, ended.stdout, ended.stderr)
    assert list((home / "cache").rglob("*.nbc"))
