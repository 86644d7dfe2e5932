"""`inspect` writes a project that `protect` takes as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Run = Callable[..., str]
PROTECT = ("protect", "s.csv", "--project", "project.yaml", "--seed", "7", "--reproducible", "-o", "out.csv")


@pytest.fixture(autouse=True)
def _long_names(folder: Path) -> None:
    """People with numbers and a column with a long name in s.csv."""
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(120)],
            "sex": draw.choice(["f", "m"], 120),
            "residential_revenue_of_the_last_year_in_the_main_branch": draw.gamma(2.0, 900.0, 120).round(2),
        }
    )
    frame.to_csv("s.csv", index=False)


def test_the_project_is_taken_unchanged(folder: Path, run: Run) -> None:
    run("inspect", "s.csv", match="microveil protect s.csv --project project.yaml -o OUT")
    text = run(*PROTECT, "--report", "r.html")
    assert "micro-hybrid on sex, residential_revenue_of_the_last_year_in_the_main_branch" in text
    assert list(pd.read_csv("out.csv").columns) == list(pd.read_csv("s.csv").columns)[1:]
    assert "In the worst scenario (all keys and amounts)" in (folder / "r.html").read_text()


def test_another_method_may_be_named_and_nothing_is_said_twice(folder: Path, run: Run) -> None:
    run("inspect", "s.csv")
    assert "rank-swap on" in run(*PROTECT, "-m", "rank-swap")
    run(
        *PROTECT[:-1], "x.csv", "--columns", "sex", status=2, match="the plan of the project already says which methods"
    )
    project = Path("project.yaml").read_text()
    (folder / "project.yaml").write_text(project[: project.index("plan:\n")])
    run(*PROTECT[:-1], "x.csv", status=2, match="--project FILE with a plan in it; the project has no plan")


def test_a_file_that_changed_is_used_by_word_only(folder: Path, run: Run) -> None:
    run("inspect", "s.csv")
    pd.read_csv("s.csv").iloc[1:].to_csv("s.csv", index=False)
    run(*PROTECT, status=2, match="s.csv is not as it was when project.yaml was written")
    assert not Path("out.csv").exists()
    run(*PROTECT, "--force")


@pytest.mark.long
def test_whoever_reads_one_line_gets_the_project_too(folder: Path) -> None:
    command = [sys.executable, "-m", "microveil", "inspect", "s.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=600) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert Path("project.yaml").exists()


def test_names_are_whole_in_a_pipe(folder: Path, run: Run) -> None:
    text = run("inspect", "s.csv")
    assert "residential_revenue_of_the_last_year_in_the_main_branch  continuous" in text
    assert "…" not in text


@pytest.mark.parametrize("command", ["protect", "risk", "evaluate"])
def test_a_column_that_the_file_lacks_is_told_with_the_line_of_the_project(
    tmp_path: Path, run: Callable[..., str], command: str
) -> None:
    (tmp_path / "a.csv").write_text("age,pay\n" + "".join(f"{i},{i * i}\n" for i in range(20)))
    (tmp_path / "p.yaml").write_text("dataset: {path: a.csv}\nscenarios:\n- {name: near, keys: [aeg]}\n")
    words: dict[str, list[object]] = {
        "protect": ["-m", "rank-swap", "--columns", "pay", "-o", tmp_path / "o.csv"],
        "risk": [],
        "evaluate": [tmp_path / "a.csv"],
    }
    run(command, tmp_path / "a.csv", *words[command], "--project", tmp_path / "p.yaml", status=2,
        match="scenario 'near': there is no column 'aeg'; did you mean 'age'? (line 3 of the project)")  # fmt: skip


def test_keys_that_many_share_need_no_plan(tmp_path: Path, run: Run) -> None:
    (tmp_path / "plain.csv").write_text("region,sex\n" + "north,m\nsouth,f\n" * 20)
    said = run("inspect", tmp_path / "plain.csv", "-p", tmp_path / "p.yaml")
    assert "There is no plan in it: nothing calls for one." in said
    assert "# No plan is proposed: 5 records or more share each" in (tmp_path / "p.yaml").read_text(encoding="utf-8")
    run("protect", tmp_path / "plain.csv", "--project", tmp_path / "p.yaml", "-o", tmp_path / "o.csv",
        status=2, match="the project has no plan")  # fmt: skip


def test_codes_that_are_stated_nowhere_are_told_with_the_options_that_state_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    pay = [-9 if place % 9 == 0 else 1000 + 7 * place for place in range(90)]
    pd.DataFrame({"pay": pay, "age": [20 + place % 50 for place in range(90)]}).to_csv("people.csv", index=False)
    said = " ".join(run("inspect", "people.csv").split())
    assert "inspect again with --na -9: rules and plan are then those of the rest." in said
    assert "inspect again" not in run("inspect", "people.csv", "--na", "-9", "--force")
