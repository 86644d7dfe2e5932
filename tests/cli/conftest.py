"""What tests of commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from microveil.cli import main
from microveil.study.workers import Here

# a scenario with a limit on two keys; LIMIT stands for it
PROJECT = """
version: 2
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
def alone_by_keys(folder: Path) -> Path:
    """The present folder, with data.csv, whose two keys single out one record."""
    frame = pd.DataFrame({"region": list("nnnnssss"), "sex": list("fffmffmm"), "income": range(100, 900, 100)})
    frame.to_csv("data.csv", index=False)
    return folder


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., object]:
    """Run a command in this process and an empty folder; return its status, its output and its errors, line by line."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["microveil", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return call


@pytest.fixture
def search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans of a search are measured in this process."""
    monkeypatch.setattr("microveil.study.searching.Workers", lambda begin, *_: Here(begin()))
