"""Ctrl-C: one line that says what was written, status 130, and nothing half done."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import microveil as mv
from microveil.cli import outputs, protect

Run = Callable[..., str]


@pytest.fixture
def words(tmp_path: Path) -> tuple[Any, ...]:
    source = tmp_path / "data.csv"
    source.write_text("area,pay\n" + "".join(f"{'NS'[i % 2]},{100 + i * i}\n" for i in range(40)))
    new = tmp_path / "new"
    return ("protect", source, "-m", "rank-swap", "--columns", "pay", "-o", new / "o.csv", "--log", new / "l.json")


def _stopping(before: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with Ctrl-C pressed as it begins."""

    def stopped(*given: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return before(*given, **named)

    return stopped


@pytest.mark.parametrize("moment", ["reading", "running", "writing"])
def test_before_files_are_in_place_nothing_is_left(
    moment: str, words: tuple[Any, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, name = {"reading": (mv.io, "read"), "running": (mv.Plan, "run"), "writing": (mv.io, "write")}[moment]
    monkeypatch.setattr(room, name, _stopping(getattr(room, name)))
    said = run(*words, status=130, match="microveil: stopped; nothing was written")
    assert "Wrote" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("moment", ["moving", "telling"])
def test_files_that_are_written_are_whole_and_said(
    moment: str, words: tuple[Any, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, name = {"moving": (outputs, "_move"), "telling": (protect, "_show")}[moment]
    monkeypatch.setattr(room, name, _stopping(getattr(room, name)))
    said = run(*words, status=130, match="had been written")
    assert "nothing was" not in said
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["l.json", "o.csv"]


def test_stopped_while_loading(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    class Loader:
        """Stands where the commands would be loaded."""

        def find_spec(self, name: str, *_: Any) -> None:
            if name == "microveil.cli.app":
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.delitem(sys.modules, "microveil.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Loader(), *sys.meta_path])
    run("methods", status=130, match="microveil: stopped; nothing was written")


def test_the_usual_answer_to_the_signal_is_put_back(words: tuple[Any, ...], run: Run) -> None:
    before = signal.getsignal(signal.SIGINT)
    run(*words)
    assert signal.getsignal(signal.SIGINT) is before


def test_folders_that_are_made_are_said(words: tuple[Any, ...], run: Run, tmp_path: Path) -> None:
    said = run(*words)
    assert said.count(f"Made the folder {tmp_path / 'new'}/.") == 1
    assert "Made the folder" not in run(*words[:-3], tmp_path / "new" / "again.csv")
    inspected = run("inspect", tmp_path / "data.csv", "-p", tmp_path / "deep" / "er" / "p.yaml")
    assert f"Made the folder {tmp_path / 'deep' / 'er'}/." in inspected
