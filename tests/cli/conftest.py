"""What tests of commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from microveil.cli import main

# a scenario with a limit on two keys; LIMIT stands for it
PROJECT = """
version: 1
dataset: {path: data.csv}
columns:
  region: {role: key, kind: nominal}
  sex: {role: key, kind: nominal}
  income: {role: confidential, kind: continuous}
scenarios:
- name: neighbour
  keys: [region, sex]
  thresholds: {risk: LIMIT}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command in this process; the status and a text of what was said are as expected."""

    def call(*words: object, status: int = 0, match: str = "") -> str:
        monkeypatch.setattr(sys, "argv", ["microveil", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        said = (shown.out + shown.err).replace("\n", " ")
        assert int(end.value.code or 0) == status, said
        assert match in said
        return said

    return call


@pytest.fixture
def alone_by_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with data.csv, whose two keys single out one record."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"region": list("nnnnssss"), "sex": list("fffmffmm"), "income": range(100, 900, 100)})
    frame.to_csv("data.csv", index=False)
    return tmp_path
