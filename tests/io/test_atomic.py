"""Whole or not at all: what is left when a process is killed, and what is never replaced."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io import atomic
from microveil.io.text import read_text, write_text

TABLE = pa.table({"x": [1.5, 2.5]})
OLD = time.time() - 3600


def killed_while_verifying(folder: Path, target: str, nameless: bool = True) -> None:
    """A child that writes a file and is killed by -9 after it was filled, before it was verified."""
    script = f"""
        import os, signal
        import pyarrow as pa
        import microveil as mv
        from microveil.io import atomic, verifying

        if not {nameless}:
            atomic._nameless = lambda folder: None
        verifying.verify = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
        mv.write(pa.table({{"x": [1.5, 2.5]}}), {str(folder / target)!r}, unprotected=True)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL


def has_nameless_files(folder: Path) -> bool:
    handle = atomic._nameless(folder)
    if handle is not None:
        os.close(handle)
    return handle is not None


@pytest.mark.long
@pytest.mark.parametrize(
    "target", ["out.csv", *(pytest.param(name, marks=pytest.mark.full) for name in ("out.xlsx", "out.dta"))]
)
def test_a_killed_process_leaves_nothing(tmp_path: Path, target: str) -> None:
    if not has_nameless_files(tmp_path):
        pytest.skip("this file system knows no files without a name")
    killed_while_verifying(tmp_path, target)
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    killed_while_verifying(tmp_path, "out.csv", nameless=False)
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "x\n1.5\n2.5\n" or left.read_text() == "x\n2.5\n1.5\n"
    mv.write(TABLE, tmp_path / "soon.csv", unprotected=True)
    assert left.exists()  # it may be a file that another process has just made
    os.utime(left, (OLD, OLD))
    mv.write(TABLE, tmp_path / "later.csv", unprotected=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["later.csv", "soon.csv"]


def test_only_our_own_abandoned_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [".microveil-notes", ".microveil-0123456789abcdefg", ".0123456789abcdef.csv", "microveil-0123456789abcdef"]
    for name in others:
        (tmp_path / name).write_text("keep")
        os.utime(tmp_path / name, (OLD, OLD))
    (tmp_path / ".microveil-0123456789abcdef").symlink_to(tmp_path / others[0])
    monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    with atomic.replacing(tmp_path / "slow.csv") as being_written:
        os.utime(being_written, (OLD, OLD))
        mv.write(TABLE, tmp_path / "out.csv", unprotected=True)
        assert being_written.exists()
    assert {*others, ".microveil-0123456789abcdef", "out.csv", "slow.csv"} == {one.name for one in tmp_path.iterdir()}


@pytest.mark.parametrize("nameless", [True, False])
@pytest.mark.parametrize("before", [None, "as it was"])
def test_a_file_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool, before: str | None
) -> None:
    if not nameless:
        monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    target = tmp_path / "out.txt"
    if before is not None:
        target.write_text(before)
    with atomic.replacing(target) as temporary:
        assert [entry.name for entry in tmp_path.iterdir() if not entry.name.startswith(".")] == ["out.txt"] * (
            before is not None
        )
        temporary.write_text("new")
    assert target.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]


def test_systems_that_cannot_name_a_file_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert not has_nameless_files(tmp_path)
    mv.write(TABLE, tmp_path / "out.csv", unprotected=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.csv"]


def test_private_files_are_private_from_the_beginning(tmp_path: Path) -> None:
    write_text(tmp_path / "log.json", "{}", private=True)
    assert (tmp_path / "log.json").stat().st_mode & 0o777 == 0o600


# -- the system's side of it -----------------------------------------------------------------------------


def system_names_later(folder: Path) -> bool:
    """Whether files without a name can be made here and named later, tried without the package."""
    try:
        handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    except (AttributeError, OSError):
        return False
    place = os.open(folder, os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{handle}", "probe", dst_dir_fd=place, follow_symlinks=True)
    except OSError:
        return False
    finally:
        os.close(handle)
        os.close(place)
    (folder / "probe").unlink()
    return True


def test_files_have_no_name_where_the_system_allows_it(tmp_path: Path) -> None:
    assert has_nameless_files(tmp_path) == system_names_later(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("lacking", ["flag", "folder of open files", "support of the file system"])
def test_systems_without_nameless_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    if lacking == "flag":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif lacking == "folder of open files":
        monkeypatch.setattr(atomic, "OPEN_FILES", tmp_path / "nowhere")
    else:
        monkeypatch.setattr(atomic, "_open_nameless", lambda folder: None)
        assert atomic.knows_nameless_files(tmp_path) is False
    assert atomic._nameless(tmp_path) is None
    with atomic.replacing(tmp_path / "out.txt") as temporary:
        assert temporary.parent == tmp_path
        temporary.write_text("new")
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("out.txt", "new")]


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.EACCES])
def test_only_lacking_support_means_no_nameless_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    if not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system knows no files without a name")

    def refuse(*given: object) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(os, "open", refuse)
    if code == errno.EACCES:
        with pytest.raises(PermissionError):
            atomic._open_nameless(tmp_path)
    else:
        assert atomic._open_nameless(tmp_path) is None


def test_a_place_is_tried_without_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic.check_place(tmp_path / "out.csv")
    monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    atomic.check_place(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("nameless", [True, False])
def test_no_file_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool) -> None:
    closed: list[int] = []
    opened: list[int] = []
    real_open, real_close = os.open, os.close

    def open_and_note(*given: Any, **options: Any) -> int:
        opened.append(real_open(*given, **options))
        return opened[-1]

    def close_and_note(handle: int) -> None:
        closed.append(handle)
        real_close(handle)

    monkeypatch.setattr(os, "open", open_and_note)
    monkeypatch.setattr(os, "close", close_and_note)
    if not nameless:
        monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    with atomic.replacing(tmp_path / "out.txt"):
        pass
    atomic.check_place(tmp_path / "out.txt")
    assert opened
    assert sorted(opened) == sorted(closed)


@pytest.mark.parametrize("nameless", [True, False])
def test_file_and_folder_are_on_disk_before_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    if not nameless:
        monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    write_text(tmp_path / "out.txt", "x")
    assert synced == [(tmp_path / "out.txt").stat().st_ino, tmp_path.stat().st_ino]


@pytest.mark.parametrize("nameless", [True, False])
def test_permissions_are_all_that_the_mask_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool
) -> None:
    if not nameless:
        monkeypatch.setattr(atomic, "_nameless", lambda folder: None)
    mask = os.umask(0)
    try:
        write_text(tmp_path / "open.txt", "x")
        write_text(tmp_path / "private.txt", "x", private=True)
    finally:
        os.umask(mask)
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("open.txt", "private.txt")]
    assert modes == [0o666, 0o600]


@pytest.mark.parametrize(("age", "stays"), [(60, True), (61, False), (-86_400, False)])
def test_what_was_left_behind_goes_after_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, stays: bool
) -> None:
    left = tmp_path / ".microveil-0123456789abcdef.csv"
    left.touch()
    os.utime(left, (1_000_000, 1_000_000))
    monkeypatch.setattr(time, "time", lambda: 1_000_000 + age)
    write_text(tmp_path / "out.txt", "x")
    assert left.exists() == stays


def test_without_locks_what_was_left_behind_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / ".microveil-0123456789abcdef"
    left.touch()
    os.utime(left, (OLD, OLD))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    write_text(tmp_path / "out.txt", "x")
    assert left.exists()


@pytest.mark.parametrize(
    ("name", "ending"), [("out", ""), ("out.csv", ".csv"), ("a.b.csv.gz", ".csv.gz"), ("a.b.c.csv", ".c.csv")]
)
def test_hidden_names_end_as_the_file_does(tmp_path: Path, name: str, ending: str) -> None:
    hidden = atomic._hidden_name(tmp_path / name)
    assert hidden.parent == tmp_path
    assert re.fullmatch(r"\.microveil-[0-9a-f]{16}" + re.escape(ending), hidden.name)
    assert re.match(atomic._HIDDEN_NAME, hidden.name)


def test_a_file_that_appears_meanwhile_is_replaced(tmp_path: Path) -> None:
    with atomic.replacing(tmp_path / "out.txt") as temporary:
        temporary.write_text("ours")
        (tmp_path / "out.txt").write_text("another's")
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("out.txt", "ours")]


def test_a_system_error_without_words_is_named(tmp_path: Path) -> None:
    problem = atomic._unwritable(tmp_path / "out.txt", PermissionError())
    assert str(problem).endswith("/out.txt' cannot be written: PermissionError; nothing was written")


# -- what is never replaced or read --------------------------------------------------------------------


def special(folder: Path, kind: str) -> Path:
    path = folder / "out.csv"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    elif kind == "a device":
        path.symlink_to("/dev/null")
    elif kind == "a link to a file that is not there":
        path.symlink_to(folder / "nowhere.csv")
    else:
        path.symlink_to(path)
    return path


@pytest.mark.parametrize(
    "kind",
    ["a pipe", "a socket", "a device", "a link to a file that is not there", "a link that leads back to itself"],
)
def test_special_files_are_not_replaced(tmp_path: Path, kind: str) -> None:
    path = special(tmp_path, kind)
    before = path.lstat()
    for attempt in (
        lambda: mv.write(TABLE, path, unprotected=True),
        lambda: write_text(path, "x"),
        lambda: mv.io.check_writable(mv.Microdata(TABLE), path),
    ):
        with pytest.raises(FileProblem, match=f"'.*/out.csv' is {kind}"):
            attempt()
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    if kind != "a link to a file that is not there":
        for attempt in (lambda: mv.read(path), lambda: read_text(path)):
            with pytest.raises(FileProblem, match=f"'.*/out.csv' is {kind}"):
                attempt()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x" * 300 + ".csv", r"the file name '.*\.\.\.' has 304 characters, more than the system allows"),
        ("a\0b.csv", r"the file name '.*a\\x00b.csv' holds a zero character; give it a plain name"),
    ],
)
def test_names_that_no_file_can_have(tmp_path: Path, name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for attempt in (
        lambda: mv.write(TABLE, name, unprotected=True),
        lambda: mv.read(name),
        lambda: mv.io.check_writable(mv.Microdata(TABLE), name),
        lambda: read_text(name),
        lambda: write_text(name, "x"),
    ):
        with pytest.raises(BadInput, match=message):
            attempt()
