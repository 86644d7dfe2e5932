"""The page about maps as a reader follows it: its files, its Python and its commands, in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from microveil.cli.app import app

GUIDE = (Path(__file__).resolve().parents[1] / "docs" / "maps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)(?: title=(\S+))?\n(.*?)```", GUIDE, re.DOTALL)
ONLY_READ = ("advise", "benchmark")  # one takes a minute, the other needs files that are not part of the package


def commands(text: str) -> list[list[str]]:
    """The commands of a block; a line that ends with a backslash goes on."""
    lines = text.replace("\\\n", " ").splitlines()
    return [shlex.split(line.removeprefix("$ microveil ")) for line in lines if line.startswith("$ microveil ")]


@pytest.mark.full
@pytest.mark.usefixtures("folder")
def test_every_block_runs_as_it_stands():
    names: dict[str, object] = {}
    ran = []
    for kind, title, text in BLOCKS:
        if kind == "yaml":
            Path(title).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, "maps.md", "exec"), names)
        for asked in commands(text) if kind == "console" else ():
            ran.append(asked[0])
            if asked[0] in ONLY_READ:
                get_command(app).commands[asked[0]].make_context(asked[0], asked[1:])  # every option is known
                continue
            result = CliRunner().invoke(app, asked)
            assert result.exit_code == 0, (asked, result.output, result.exception)
    assert ran == ["inspect", "compare", "advise", "benchmark"]
    page = Path("plans.html").read_text(encoding="utf-8")
    for words in ("gentle and careful side by side", "mean(income)", "share(age &gt;= 65)", "limit 15"):
        assert words in page
    assert Path("amounts.html").exists()
