"""`microveil evaluate` without a log: which kinds were guessed is told, and how to state them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of a household, a code and an amount, of which the amount is changed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"home": np.arange(80) // 2 + 1000, "job": rng.integers(1, 40, 80), "pay": rng.gamma(2, 900, 80).round(2)}
    )
    frame.to_csv("data.csv", index=False)
    frame.assign(pay=(frame["pay"] + rng.normal(0, 900, 80)).round(2)).to_csv("protected.csv", index=False)


def evaluate(run: Callable[..., str], *words: str) -> str:
    return " ".join(run("evaluate", "data.csv", "protected.csv", "--measures", "pil", *words).split())


def test_kinds_that_were_guessed_are_told_with_the_options_that_state_them(pair: None, run: Callable[..., str]) -> None:
    said = evaluate(run)
    assert "Kinds of columns were guessed from what they hold (continuous: home, job, pay)" in said
    assert "State them by --kind NAME=KIND, by --project PROJECT, or give --log LOG." in said


def test_nothing_is_said_of_kinds_that_are_stated(pair: None, run: Callable[..., str]) -> None:
    some = evaluate(run, "--kind", "home=nominal", "--kind", "job=nominal")
    assert "(continuous: pay)" in some
    assert "guessed" not in evaluate(run, "--kind", "home=nominal", "--kind", "job=nominal", "--kind", "pay=continuous")
    Path("project.yaml").write_text(
        "version: 1\ndataset: {path: data.csv}\ncolumns:\n  home: {kind: nominal}\n  job: {kind: nominal}\n"
        "  pay: {kind: continuous}\n"
    )
    assert "guessed" not in evaluate(run, "--project", "project.yaml")
