"""The README as a new user would follow it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def place(folder):
    """A folder with the file that the README names, made as it says, of fewer records."""
    (made,) = [block for block in BLOCKS if "make_survey(1000," in block]
    exec(compile(made.replace("make_survey(1000,", "make_survey(300,"), "README", "exec"), {})
    return folder


def test_it_starts_with_the_two_commands():
    head = README.split("```")[1]
    assert head.index("make demo") < head.index("make test")


@pytest.mark.long
def test_its_python_runs_and_what_it_releases_is_protected(place, capsys):
    names = {}
    for block in BLOCKS:
        if "write_csv" not in block:
            exec(compile(block, "README", "exec"), names)
        if "found.plan" in block:
            worst = mv.evaluate(names["found"].data, names["release"], scenarios=names["found"].scenarios).worst
            assert worst.value < 15
    assert "k-anonymity" in capsys.readouterr().out
    released = pd.read_csv(place / "protected.csv")
    assert len(released) > 270
    assert not {"name", "person_id"} & set(released)
    # the second block keeps the moments of what it replaced
    release, amounts = names["release"], ["income", "wealth", "debts"]
    before = pd.read_csv(place / "survey.csv")[amounts].iloc[release.origin]
    assert np.allclose(release.frame.to_pandas()[amounts].mean(), before.mean(), rtol=1e-3)
    assert "1/10" in str(release.guarantee)


def test_it_names_every_page_of_the_documentation():
    for page in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{page.name})" in README, page.name


@pytest.mark.long
def test_its_commands_run(place, monkeypatch):
    pytest.importorskip("cryptography", reason="signatures need the extra sign")
    monkeypatch.setenv("MICROVEIL_PASSPHRASE", "a passphrase for this test")
    commands = re.findall(r"^\$ (microveil .*)$", README, re.MULTILINE)
    assert len(commands) == 9
    for command in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command, comments=True))
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, command
    for name in (
        "project.yaml",
        "risk.html",
        "released.csv",
        "report.html",
        "page.html",
        "runs/0001/package/report.html",
    ):
        assert (place / name).exists()
