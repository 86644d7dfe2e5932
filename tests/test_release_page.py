"""The pages on packages and audits: their commands and their Python work as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import microveil as mv
from microveil.cli import main

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "release.md").read_text(encoding="utf-8")
AUDITS = (DOCS / "auditing.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_its_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "release.md", "exec"), {})
    assert "The audit finds no fault" in capsys.readouterr().out


@pytest.mark.full
def test_its_commands_run_in_their_order(tmp_path, monkeypatch, capsys):
    pytest.importorskip("cryptography", reason="signatures need the package cryptography")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MICROVEIL_PASSPHRASE", "three quiet words")
    mv.write(mv.datasets.make_survey(300, seed=1), "survey.csv", unprotected=True, shuffle=False)
    signed = False
    commands = first_commands(PAGE)
    assert len(commands) == 7
    for command in commands:
        out = carried_out(command, monkeypatch, capsys)
        signed = "signed by Jane Doe, data protector" in out or signed
    assert signed
    assert "by 1" in out

    # what the office has by now, by the names of the page on audits
    shutil.copytree("runs/0001/package", "package")
    shutil.copy("runs/0001/internal/log.json", "log.json")
    shutil.copy("runs/0001/package/data.csv", "protected.csv")
    Path("keys").mkdir()
    shutil.copy("jane.key.pub", "keys")
    commands = first_commands(AUDITS)
    assert len(commands) == 4
    for command in commands[:3]:
        assert "The audit finds no fault" in carried_out(command, monkeypatch, capsys)
    assert "UNDECIDED" in carried_out(commands[3], monkeypatch, capsys, status=1)


def first_commands(page: str) -> list[str]:
    """The commands of the first block, without their comments."""
    return [line.partition("  #")[0] for line in page.split("```")[1].strip().splitlines()]


def carried_out(command: str, monkeypatch, capsys, status: int = 0) -> str:
    """What a command says that ends with a status."""
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert (end.value.code or 0) == status, (command, said.err, said.out)
    return str(said.out)
