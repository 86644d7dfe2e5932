"""The page for users of sdcMicro: its Python runs, and every name in it is there."""

from __future__ import annotations

import re
from pathlib import Path

import microveil as mv

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "from_sdcmicro.md").read_text(encoding="utf-8")


def test_its_python_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(block, "from_sdcmicro.md", "exec"), {})
    assert "are alone with their keys" in capsys.readouterr().out


def test_every_name_is_there():
    names = re.findall(r"mv\.(\w+)\.(\w+)", PAGE)
    assert len(names) > 25
    for room, name in names:
        assert hasattr(getattr(mv, room), name), f"mv.{room}.{name}"
