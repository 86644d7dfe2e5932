"""Ctrl-C and requests to end: one line that says what was written, status 130, and nothing half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import microveil as mv
from microveil.cli import outputs, protect
from microveil.cli.stopping import Stopped, stoppable, tell_when_stopped

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def usual_answer() -> Iterator[None]:
    """Also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def words(tmp_path: Path) -> tuple[Any, ...]:
    source = tmp_path / "data.csv"
    source.write_text("area,pay\n" + "".join(f"{'NS'[i % 2]},{100 + i * i}\n" for i in range(40)))
    new = tmp_path / "new"
    return ("protect", source, "-m", "rank-swap", "--columns", "pay", "-o", new / "o.csv", "--log", new / "l.json")


def _stopping(before: Callable[..., Any], number: int = signal.SIGINT) -> Callable[..., Any]:
    """The same function, with Ctrl-C pressed as it begins, or another signal sent."""

    def stopped(*given: Any, **named: Any) -> Any:
        os.kill(os.getpid(), number)
        return before(*given, **named)

    return stopped


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("reading", signal.SIGINT),
        ("running", signal.SIGINT),
        ("writing", signal.SIGINT),
        ("reading", signal.SIGTERM),
        ("writing", signal.SIGTERM),
        ("writing", signal.SIGHUP),
    ],
)
def test_before_files_are_in_place_nothing_is_left(
    moment: str, number: int, words: tuple[Any, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, name = {"reading": (mv.io, "read"), "running": (mv.Plan, "run"), "writing": (mv.io, "write")}[moment]
    monkeypatch.setattr(room, name, _stopping(getattr(room, name), number))
    said = run(*words, status=130, match="microveil: stopped; nothing was written")
    assert "Wrote" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["moving", "telling"])
def test_files_that_are_written_are_whole_and_said(
    moment: str, number: int, words: tuple[Any, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, name = {"moving": (outputs, "_move"), "telling": (protect, "_show")}[moment]
    monkeypatch.setattr(room, name, _stopping(getattr(room, name), number))
    said = run(*words, status=130, match="had been written")
    assert "nothing was" not in said
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["l.json", "o.csv"]


@pytest.mark.parametrize("module", ["microveil.cli.stopping", "microveil.cli.app"])
def test_stopped_while_loading(run: Run, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    class Loader:
        """Stands where our answer to signals or the commands would be loaded."""

        def find_spec(self, name: str, *_: Any) -> None:
            if name == "microveil.cli.stopping":
                raise KeyboardInterrupt  # as Python itself answers Ctrl-C until ours is there
            if name == module:
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Loader(), *sys.meta_path])
    run("methods", status=130, match="microveil: stopped; nothing was written")


def test_little_is_loaded_before_signals_are_answered() -> None:
    """What comes before is Python's own answer: a traceback."""
    script = "import sys; before = set(sys.modules); import microveil.cli; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert "importlib.metadata" not in loaded
    ours = {name for name in loaded if name.startswith("microveil")}
    assert ours == {"microveil", "microveil._rooms", "microveil.cli"}


@pytest.mark.parametrize("stopped", [Stopped, KeyboardInterrupt])
def test_a_signal_as_the_command_begins_or_ends(
    stopped: type[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    """While one answer to a signal is put in the place of another, either may be given."""
    with pytest.raises(SystemExit) as end, stoppable():
        raise stopped
    assert end.value.code == 130
    assert capsys.readouterr().err == "\nmicroveil: stopped; nothing was written\n"


def test_the_usual_answers_to_signals_are_put_back(words: tuple[Any, ...], run: Run) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    run(*words)
    assert [signal.getsignal(number) for number in numbers] == before


def test_who_said_nohup_is_not_stopped_when_the_terminal_closes(
    words: tuple[Any, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mv.io, "write", _stopping(mv.io.write, signal.SIGHUP))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run(*words, match="Wrote")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (tmp_path / "new" / "o.csv").exists()


def test_folders_that_are_made_are_said(words: tuple[Any, ...], run: Run, tmp_path: Path) -> None:
    said = run(*words)
    assert said.count(f"Made the folder {tmp_path / 'new'}/.") == 1
    assert "Made the folder" not in run(*words[:-3], tmp_path / "new" / "again.csv")
    inspected = run("inspect", tmp_path / "data.csv", "-p", tmp_path / "deep" / "er" / "p.yaml")
    assert f"Made the folder {tmp_path / 'deep' / 'er'}/." in inspected


def test_a_command_that_wrote_much_in_between_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def stopped(*words: str) -> None:
        with stoppable():
            for one in words:
                tell_when_stopped(one)
            raise Stopped

    for words in (("all is kept",), ()):
        with pytest.raises(SystemExit):
            stopped(*words)
    assert capsys.readouterr().err == "\nmicroveil: stopped; all is kept\n\nmicroveil: stopped; nothing was written\n"


def test_signals_while_python_ends_change_no_status() -> None:
    code = """
import atexit, os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    atexit.register(os.kill, os.getpid(), number)
sys.argv = ["x", "--version"]
from microveil.cli import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "microveil" in ended.stdout
