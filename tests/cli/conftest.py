"""What tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

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
def alone_by_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with data.csv, whose two keys single out one record."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"region": list("nnnnssss"), "sex": list("fffmffmm"), "income": range(100, 900, 100)})
    frame.to_csv("data.csv", index=False)
    return tmp_path
