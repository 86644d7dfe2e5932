"""Outputs are safe: nothing is overwritten, and everything is written or nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.cli.outputs import written_together
from microveil.core.errors import FileProblem


@pytest.fixture
def with_amounts(folder: Path) -> Path:
    """The present folder with income and debt in s.csv."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"income": draw.lognormal(8, 1, 80).round(2), "debt": draw.normal(500, 90, 80).round(2)})
    frame.to_csv("s.csv", index=False)
    return folder


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
        ((*PROTECT, "-o", "pipe.csv", "--force"), "'pipe.csv' is a pipe, not a file; name a file"),
        ((*PROTECT, "-o", "p.csv", "--log", "pipe.csv"), "'pipe.csv' is a pipe, not a file; name a file"),
        ((*PROTECT, "-o", "/dev/null", "--force"), "'/dev/null' is a device, not a file; name a file"),
        ((*PROTECT, "-o", "p.csv", "--report", "nowhere.html"), "is there already; give --report another name"),
        (("reproduce", "pil-3", "-o", "there.html"), "there.html is there already; give --output another name"),
        (("demo", "-d", "old"), "old/report.html is there already; give --folder another name, or say --force"),
        (("demo", "-d", "kept", "--force"), "a log is never replaced: its key is the only one; give --folder another"),
        (("demo", "-d", "there.html"), "--folder: nothing can be written into"),
        (("evaluate", "s.csv", "other.csv", "--json", "s.csv"), "--json and the original file are the same file"),
        (("evaluate", "s.csv", "other.csv", "--report", "other.csv"), "--report and the protected file are the same"),
        (("inspect", "s.csv", "--project", "s.csv", "--force"), "--project and the data file are the same file"),
    ],
)  # fmt: skip
def test_no_output_is_an_input_or_another_output(
    with_amounts: Path, run: Callable[..., str], words: tuple[str, ...], match: str
) -> None:
    (with_amounts / "link.csv").symlink_to("s.csv")
    os.link("s.csv", "hard.csv")
    (with_amounts / "there.html").write_text("a page")
    (with_amounts / "old.json").write_text("{}")
    (with_amounts / "other.csv").write_bytes((with_amounts / "s.csv").read_bytes())
    mv.plan.save_log(mv.mask.RankSwap().apply(mv.read("s.csv"), seed="ab" * 32), "real.json")
    os.link("real.json", "hardlog.csv")
    (with_amounts / "seed.txt").write_text("cd" * 32)
    os.mkfifo("pipe.csv")
    (with_amounts / "nowhere.html").symlink_to("gone.html")
    for name in ("old/report.html", "kept/private/log.json"):
        (with_amounts / name).parent.mkdir(parents=True)
        (with_amounts / name).write_text("mine")
    before = contents(with_amounts)
    run(*words, status=2, match=match)
    assert contents(with_amounts) == before


def test_folders_are_made_and_that_of_a_log_is_private(with_amounts: Path, run: Callable[..., str]) -> None:
    run(*PROTECT, "-o", "out/p.csv", "--log", "private/keys/log.json", "--report", "pages/report.html")
    assert {"out/p.csv", "private/keys/log.json", "pages/report.html"} <= set(contents(with_amounts))
    assert stat.S_IMODE((with_amounts / "private" / "keys").stat().st_mode) == 0o700
    assert not list(with_amounts.rglob(".microveil-*"))


def test_files_are_replaced_by_word_only(with_amounts: Path, run: Callable[..., str]) -> None:
    (with_amounts / "p.csv").write_text("mine")
    run(*PROTECT, "-o", "p.csv", status=2, match="say --force to replace it")
    assert (with_amounts / "p.csv").read_text() == "mine"
    run(*PROTECT, "-o", "p.csv", "--force")
    assert (with_amounts / "p.csv").read_text() != "mine"


def test_a_report_that_fails_leaves_neither_file_nor_log(
    with_amounts: Path, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import microveil.report

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(microveil.report, "write_report", fail)
    before = contents(with_amounts)
    words = (*PROTECT, "-o", "new/p.csv", "--log", "private/log.json", "--report", "r.html")
    said = run(*words, status=3, match="this is a fault of microveil, not of yours (OSError); nothing was released")
    assert "no space left" in said
    assert contents(with_amounts) == before
    assert sorted(path.name for path in with_amounts.iterdir()) == ["s.csv"]


def write_three(folder: Path) -> None:
    with written_together({name: folder / name for name in ("a", "b", "c")}) as places:
        for place in places.values():
            place.write_text("new")


def refusing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing can be moved to this place."""
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if Path(target) == place:
            raise OSError(16, "Device or resource busy")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_what_cannot_be_moved_takes_the_others_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, links: bool
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    (tmp_path / "a").write_text("old a")
    (tmp_path / "true").write_text("old b")
    (tmp_path / "b").symlink_to("true")
    before = contents(tmp_path)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    refusing(tmp_path / failing, monkeypatch)
    with pytest.raises(FileProblem, match=f"/{failing} cannot be written: Device or resource busy; nothing was writt"):
        write_three(tmp_path)
    assert contents(tmp_path) == before
    assert (tmp_path / "b").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "true"]


def test_a_folder_in_the_place_of_an_output_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "c").mkdir()
    with pytest.raises(FileProblem, match=r"/c cannot be written: .*; nothing was written"):
        write_three(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_file_that_cannot_be_put_back_is_kept_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")
    real = os.replace
    moves: list[Path] = []

    def replace(source: Path, target: Path) -> None:
        moves.append(Path(target))
        if moves.count(tmp_path / "a") == 2 or Path(target).name == "b":
            raise OSError(5, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(FileProblem, match=r"/b cannot be written: .*; .*/a could not be put back") as told:
        write_three(tmp_path)
    kept = Path(str(told.value).rpartition(" is in ")[2])
    assert kept.read_text() == "old"
    monkeypatch.setattr(os, "replace", real)
    write_three(tmp_path)  # removes what dead processes left, but not this
    assert kept.read_text() == "old"


def test_a_new_file_that_cannot_be_taken_away_again_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise OSError(5, "Input/output error")

    refusing(tmp_path / "b", monkeypatch)
    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(FileProblem, match=r"/b cannot be written: .*; .*/a could not be taken away again$"):
        write_three(tmp_path)


def test_a_place_without_room_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tempfile.mkdtemp

    def full(**named: Any) -> str:
        if any(tmp_path.iterdir()):
            raise OSError(28, "No space left on device")
        return real(**named)

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(FileProblem, match=r"nothing can be written into .*: No space left on device"):
        write_three(tmp_path)
    assert not list(tmp_path.iterdir())


def test_links_to_files_are_replaced_as_links(tmp_path: Path) -> None:
    (tmp_path / "true").write_text("old")
    (tmp_path / "a").symlink_to("true")
    write_three(tmp_path)
    assert (tmp_path / "true").read_text() == "old"
    assert (tmp_path / "a").read_text() == "new"


@pytest.mark.parametrize(
    ("log", "page", "modes"),
    [
        ("new/private/log.json", "new/page.html", {"new": 0o755, "new/private": 0o700}),
        ("new/log.json", "new/page.html", {"new": 0o700}),
        ("new/log.json", "new/pages/page.html", {"new": 0o700, "new/pages": 0o755}),
        ("keys/new/log.json", "page.html", {"keys": 0o700, "keys/new": 0o700}),
    ],
)
def test_only_folders_of_logs_are_private(tmp_path: Path, log: str, page: str, modes: dict[str, int]) -> None:
    mask = os.umask(0o022)
    try:
        with written_together({"--log": tmp_path / log, "--report": tmp_path / page}) as places:
            for place in places.values():
                place.write_text("x")
    finally:
        os.umask(mask)
    assert {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in modes} == modes


# -- what killed processes leave ---------------------------------------------------------------------------


def killed(folder: Path, write: str, watched: bool) -> None:
    """A child that is killed by -9 when its outputs are complete but not yet in place."""
    script = f"""
        import os, signal, sys
        from pathlib import Path
        from microveil.cli.outputs import written_together
        from microveil.io import write_text

        if not {watched}:
            sys.executable = ""  # no other process can be started
        with written_together({{"--log": Path({str(folder / "log.json")!r})}}) as places:
            {write}
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_what_a_killed_command_wrote_has_no_name(tmp_path: Path) -> None:
    killed(tmp_path, 'write_text(places["--log"], "key")', watched=False)
    (left,) = tmp_path.glob(".microveil-*")
    if Path("/proc/self/fd").is_dir() and hasattr(os, "O_TMPFILE"):
        assert [path for path in left.rglob("*") if path.is_file() and path.stat().st_size] == []
    write_three(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def test_the_watcher_of_a_killed_command_removes_what_it_left(tmp_path: Path) -> None:
    killed(tmp_path, 'places["--log"].write_text("key")', watched=True)
    for _ in range(6_000):  # it is another process, and has to be told of the end
        if not list(tmp_path.iterdir()):
            break
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


def killed_while_writing(folder: Path) -> Path:
    """What a killed child leaves where its watcher was killed too."""
    killed(folder, 'places["--log"].write_text("key")', watched=False)
    (left,) = folder.glob(".microveil-*")
    assert [path.name for path in left.rglob("*.json")] == ["log.json"]
    return left


def test_what_a_killed_run_left_goes_with_the_next_run_there(tmp_path: Path) -> None:
    left = killed_while_writing(tmp_path)
    strange = tmp_path / ".microveil-notes"
    strange.mkdir()
    (tmp_path / ".microveil-link").symlink_to(left)
    write_three(tmp_path)
    assert not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".microveil-link", ".microveil-notes", "a", "b", "c"]


def test_what_a_living_run_writes_stays(tmp_path: Path) -> None:
    with written_together({"--output": tmp_path / "slow.csv"}) as places:
        places["--output"].write_text("slow")
        write_three(tmp_path)
        assert places["--output"].read_text() == "slow"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c", "slow.csv"]


def test_without_locks_what_a_killed_run_left_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = killed_while_writing(tmp_path)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    write_three(tmp_path)
    assert left.exists()
    assert [path.name for path in tmp_path.glob(".microveil-*")] == [left.name]


def test_the_version_is_told(run: Callable[..., str]) -> None:
    assert run("--version").startswith("microveil 0.")
