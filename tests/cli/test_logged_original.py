"""`evaluate --log` with another original than the one that the log is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (lambda frame: frame.rename(columns={"income": "pay"}), "there is no column 'income'"),
        (lambda frame: frame.assign(income=frame["income"].astype(str).radd("x")), "is to be continuous but holds"),
    ],
)
def test_another_file_is_told_as_one(tmp_path: Path, run: Callable[..., str], monkeypatch, other, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"income": [100.5 + 7 * n * n for n in range(40)], "hours": [n % 9 for n in range(40)]})
    frame.to_csv("firms.csv", index=False)
    run("protect", "firms.csv", "-m", "rank-swap", "--columns", "income", "--kind", "income=continuous",
        "-o", "out.csv", "--log", "log.json")  # fmt: skip
    other(frame).to_csv("other.csv", index=False)
    told = run("evaluate", "other.csv", "out.csv", "--log", "log.json", status=2, match=why)
    assert "other.csv cannot be read as log.json says: " in " ".join(told.split())
    assert "it is another file, or it changed since" in " ".join(told.split())
