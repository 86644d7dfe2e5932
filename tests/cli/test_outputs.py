"""Outputs are safe: nothing is overwritten, and everything is written or nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.cli.outputs import written_together


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"income": draw.lognormal(8, 1, 80).round(2), "debt": draw.normal(500, 90, 80).round(2)})
    frame.to_csv("s.csv", index=False)
    return tmp_path


PROTECT = ("protect", "s.csv", "-m", "microaggregation", "--columns", "income")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ((*PROTECT, "-o", "p.csv", "--log", "p.csv"), "--output and --log are the same file"),
        ((*PROTECT, "-o", "p.csv", "--log", "s.csv"), "--log and the data file are the same file"),
        ((*PROTECT, "-o", "p.csv", "--report", "s.csv"), "--report and the data file are the same file"),
        ((*PROTECT, "-o", "p.csv", "--report", "./p.csv"), "--output and --report are the same file"),
        ((*PROTECT, "-o", "s.csv"), "--output and the data file are the same file"),
        ((*PROTECT, "-o", "link.csv"), "--output and the data file are the same file"),
        ((*PROTECT, "-o", "hard.csv"), "--output and the data file are the same file"),
        ((*PROTECT, "-o", "p.csv", "--report", "there.html"), "is there already; give --report another name"),
        ((*PROTECT, "-o", "p.csv", "--log", "old.json", "--force"), "a log is never replaced"),
        ((*PROTECT, "-o", "p.csv", "--report", "real.json", "--force"), "a log is never replaced"),
        ((*PROTECT, "-o", "hardlog.csv", "--force"), "a log is never replaced"),
        (("inspect", "s.csv", "--project", "real.json", "--force"), "a log is never replaced"),
        ((*PROTECT, "-o", "seed.txt", "--seed", "@seed.txt", "--force"), "--output and --seed are the same file"),
        ((*PROTECT, "-o", "p.csv", "--log", "there.html/l.json"), "nothing can be written into"),
        ((*PROTECT, "-o", "p.csv", "--report", "."), "is a folder; name a file in it"),
        (("evaluate", "s.csv", "other.csv", "--json", "s.csv"), "--json and the original file are the same file"),
        (("evaluate", "s.csv", "other.csv", "--report", "other.csv"), "--report and the protected file are the same"),
        (("inspect", "s.csv", "--project", "s.csv", "--force"), "--project and the data file are the same file"),
    ],
)  # fmt: skip
def test_no_output_is_an_input_or_another_output(
    folder: Path, run: Callable[..., str], words: tuple[str, ...], match: str
) -> None:
    (folder / "link.csv").symlink_to("s.csv")
    os.link("s.csv", "hard.csv")
    (folder / "there.html").write_text("a page")
    (folder / "old.json").write_text("{}")
    (folder / "other.csv").write_bytes((folder / "s.csv").read_bytes())
    mv.plan.save_log(mv.mask.RankSwap().apply(mv.read("s.csv"), seed="ab" * 32), "real.json")
    os.link("real.json", "hardlog.csv")
    (folder / "seed.txt").write_text("cd" * 32)
    before = contents(folder)
    run(*words, status=2, match=match)
    assert contents(folder) == before


def test_folders_are_made_and_that_of_a_log_is_private(folder: Path, run: Callable[..., str]) -> None:
    run(*PROTECT, "-o", "out/p.csv", "--log", "private/keys/log.json", "--report", "pages/report.html")
    assert {"out/p.csv", "private/keys/log.json", "pages/report.html"} <= set(contents(folder))
    assert stat.S_IMODE((folder / "private" / "keys").stat().st_mode) == 0o700
    assert not list(folder.rglob(".microveil-*"))


def test_files_are_replaced_by_word_only(folder: Path, run: Callable[..., str]) -> None:
    (folder / "p.csv").write_text("mine")
    run(*PROTECT, "-o", "p.csv", status=2, match="say --force to replace it")
    assert (folder / "p.csv").read_text() == "mine"
    run(*PROTECT, "-o", "p.csv", "--force")
    assert (folder / "p.csv").read_text() != "mine"


def test_a_report_that_fails_leaves_neither_file_nor_log(
    folder: Path, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import microveil.report

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(microveil.report, "write_report", fail)
    before = contents(folder)
    words = (*PROTECT, "-o", "new/p.csv", "--log", "private/log.json", "--report", "r.html")
    said = run(*words, status=3, match="this is a fault of microveil, not of yours (OSError); nothing was released")
    assert "no space left" in said
    assert contents(folder) == before
    assert sorted(path.name for path in folder.iterdir()) == ["s.csv"]


def test_what_cannot_be_moved_takes_the_others_back(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()

    def write_both() -> None:
        with written_together({"--log": tmp_path / "a", "--output": tmp_path / "b"}) as places:
            for place in places.values():
                place.write_text("x")

    with pytest.raises(OSError, match="cannot be written"):
        write_both()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b"]


def test_the_version_is_told(run: Callable[..., str]) -> None:
    assert run("--version").startswith("microveil 0.")
