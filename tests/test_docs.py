"""The documentation: the catalogue is current, and the tutorial works as it stands."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest

from microveil.core.parameters import Range
from tools.recipes import Action, copy_tree, run_in

ROOT = Path(__file__).resolve().parents[1]
TUTORIAL = (ROOT / "docs" / "adding_a_method.md").read_text(encoding="utf-8")

# what it prints is cut into the output of each command, and what the page says of the new method is looked at
FOLLOWED = """
import contextlib, doctest, json, sys
from microveil.cli import main
from microveil.mask import winsorise
from microveil.plan import plan_schema
from microveil.report import catalogue_text

for words in json.loads(sys.argv[1]):
    print("$", flush=True)
    if words[0] == "microveil":
        sys.argv = words
        with contextlib.suppress(SystemExit):
            main()
    else:
        exec(words[-1], {})
assert "winsorise" in json.dumps(plan_schema())
assert "Winsorise" in catalogue_text()
assert doctest.testmod(winsorise).failed == 0
"""


@pytest.mark.long
def test_the_catalogue_is_current():
    # in a process of its own: other tests may have registered classes in this one
    code = "from microveil.report import catalogue_text; print(catalogue_text(), end='')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (ROOT / "docs" / "catalogue.md").read_bytes() == result.stdout, "run make docs"


@pytest.fixture
def project(tmp_path):
    """A copy of the package to which the tutorial's file and line were added."""
    folder = copy_tree(tmp_path)
    for action, path, code in re.findall(r"```python (file|append)=(\S+)\n(.*?)```", TUTORIAL, re.DOTALL):
        Action(action, path, code).perform(folder)
    (folder / "data.csv").write_text(
        "income\n" + "\n".join(str(100 * i * i) for i in range(60)) + "\n", encoding="utf-8"
    )
    return folder


@pytest.mark.long
def test_the_tutorial_works_as_it_stands(project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    commands = re.findall(r"```console\n\$ (.*?)\n(.*?)```", TUTORIAL, re.DOTALL)
    assert len(commands) == 3
    said = run_in(
        project, sys.executable, "-c", FOLLOWED, json.dumps([shlex.split(command) for command, _ in commands])
    )
    for (_, expected), shown in zip(commands, said.split("$\n")[1:], strict=True):
        assert expected in shown
    protected = [float(line) for line in (project / "protected.csv").read_text().splitlines()[1:]]
    assert max(protected) < 100 * 59 * 59


def test_the_snippet_about_edits_runs_alone():
    text = (ROOT / "docs" / "edits.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "edits.md", "exec"), names)
    frame = names["release"].frame
    assert (frame["revenue"] >= 0).all()
    assert (frame["rent"] <= 0.9 * frame["income"] + 0.005).all()
    assert abs(frame["total"] - frame["home"] - frame["abroad"]).max() < 0.005


def test_the_parameter_that_the_architecture_shows_is_one():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {"Annotated": Annotated, "Range": Range}
    exec(compile(block, "architecture.md", "exec"), names)
    assert names["k"] == 3


def test_no_page_holds_code_that_no_test_follows():
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    with_code = [page.name for page in (ROOT / "docs").glob("*.md") if "\n```" in page.read_text(encoding="utf-8")]
    assert len(with_code) > 20
    silent = [name for name in with_code if name not in tests and not name.startswith("attacks")]
    assert silent == []  # those about attacks are followed together
