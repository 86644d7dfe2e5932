"""The page on packages: its commands and its Python work as they stand."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

import microveil as mv
from microveil.cli import main

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "release.md").read_text(encoding="utf-8")


def test_its_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "release.md", "exec"), {})
    assert "The audit finds no fault" in capsys.readouterr().out


def test_its_commands_run_in_their_order(tmp_path, monkeypatch, capsys):
    pytest.importorskip("cryptography", reason="signatures need the package cryptography")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MICROVEIL_PASSPHRASE", "three quiet words")
    mv.write(mv.datasets.make_survey(300, seed=1), "survey.csv", unprotected=True, shuffle=False)
    commands = [line.partition("  #")[0] for line in PAGE.split("```")[1].strip().splitlines()]
    assert len(commands) == 7
    signed = False
    for command in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        assert end.value.code in (0, None), (command, said.err, said.out)
        signed = "signed by Jane Doe, data protector" in said.out or signed
    assert signed
    assert "by 1" in said.out
