"""The README as a new user would follow it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from microveil.cli import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """A folder with the files that the README names."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    columns = {"name": [f"n{i}" for i in range(90)], "age": rng.integers(18, 90, 90)}
    columns |= {amount: rng.gamma(2.0, 900, 90) for amount in ("income", "wealth", "debt")}
    frame = pd.DataFrame(columns).round(2)
    frame.to_csv("survey.csv", index=False)
    frame.assign(income=(frame["income"] * 1.1).round(2)).to_csv("other.csv", index=False)
    return tmp_path


def test_it_starts_with_the_two_commands():
    head = README.split("```")[1]
    assert head.index("make demo") < head.index("make test")


def test_its_python_runs(survey, capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names = {}
    for block in blocks:
        exec(compile(block, "README", "exec"), names)
    assert "k-anonymity" in capsys.readouterr().out
    released = pd.read_csv(survey / "protected.csv")
    assert released["income"].value_counts().min() >= 5
    assert "name" not in released
    # the second block keeps the moments of what it replaced
    amounts = ["income", "wealth", "debt"]
    before, after = pd.read_csv(survey / "survey.csv")[amounts], names["release"].frame.to_pandas()[amounts]
    assert np.allclose(after.cov(), before.cov(), rtol=1e-9)
    assert "1/10" in str(names["release"].guarantee)


def test_its_five_lines_run_on_a_survey_with_gaps(survey):
    frame = pd.read_csv("survey.csv")
    gaps = [3, 8, 21, 34, 55, 60]
    frame.loc[gaps, "income"] = np.nan
    frame.to_csv("survey.csv", index=False)
    lines = re.search(r"## In five lines\n\n```python\n(.*?)```", README, re.DOTALL)[1]
    exec(compile(lines, "README", "exec"), {})
    released = pd.read_csv("protected.csv")
    assert len(released) == len(frame) - len(gaps)
    assert released["income"].value_counts().min() >= 5


def test_its_commands_run(survey, monkeypatch):
    commands = re.findall(r"^\$ (microveil .*)$", README, re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, command
    for name in ("project.yaml", "risk.html", "protected.csv", "report.html", "page.html"):
        assert (survey / name).exists()
