"""A file that is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from microveil.core.errors import FileProblem
from microveil.core.locking import lock
from microveil.io.holding import OPEN_FILES, held_for, link_open_file
from microveil.io.paths import check_target

_HIDDEN = ".microveil-"
_HIDDEN_NAME = r"\.microveil-[0-9a-f]{16}(\.|$)"
# errors with which systems and file systems say that they know no files without a name
_NO_NAMELESS_FILES = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
_FRESH_SECONDS = 60


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when all went well, and is gone otherwise.

    Where the system allows it the file has no name until then: nothing that was not verified stays behind, even
    if the process is killed. Elsewhere it is hidden, and one left behind is removed by the next write there. In a
    folder that is held (`microveil.io.holding`) it gets its name with all others.
    """
    check_target(path)
    _remove_left_behind(path.parent)
    handle, named = _create(path)
    try:
        yield named or OPEN_FILES / str(handle)
        try:
            _to_disk(handle)
            held = held_for(path) if named is None else None
            if held is not None:
                held.keep(handle, path)
            else:
                named = named or _named(handle, path)
                if named is not None:
                    os.replace(named, path)  # noqa: PTH105 - the very call whose atomicity is relied on
        except OSError as problem:
            raise _unwritable(path, problem) from None
    except BaseException:
        if named is not None:
            with contextlib.suppress(OSError):
                named.unlink()
        raise
    finally:
        os.close(handle)
    folder_to_disk(path.parent)


@contextlib.contextmanager
def open_temporary(temporary: Path, path: Path) -> Iterator[BinaryIO]:
    """The temporary file open for writing; a full disk or the like is one clear error."""
    try:
        with temporary.open("r+b") as handle:
            yield handle
    except OSError as problem:
        raise _unwritable(path, problem) from None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def check_place(path: Path) -> None:
    """Refuse a place where no file can be made, by making and removing one."""
    check_target(path)
    handle, named = _create(path)
    os.close(handle)
    if named is not None:
        named.unlink()


def _create(path: Path) -> tuple[int, Path | None]:
    """A new file beside `path`, open and locked, and its name unless it has none."""
    # the permissions of any new file: all that the user's mask leaves
    try:
        handle = _nameless(path.parent)
        named = None
        if handle is None:
            named = _hidden_name(path)
            handle = os.open(named, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
    except OSError as problem:
        raise _unwritable(path, problem) from None
    lock(handle)
    return handle, named


def _nameless(folder: Path) -> int | None:
    """A new file without a name, open; None where the system cannot make one or cannot name it afterwards."""
    return _open_nameless(folder) if knows_nameless_files(folder) else None


def knows_nameless_files(folder: Path) -> bool:
    """Whether a file made without a name can get one: tried with an empty one, for not every system allows it."""
    if not hasattr(os, "O_TMPFILE") or not OPEN_FILES.is_dir():
        return False
    handle = _open_nameless(folder)
    if handle is None:
        return False
    hidden = folder / f"{_HIDDEN}{secrets.token_hex(8)}"
    try:
        link_open_file(handle, hidden)
        hidden.unlink()
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _open_nameless(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError as problem:
        if problem.errno in _NO_NAMELESS_FILES:
            return None
        raise


def _hidden_name(path: Path) -> Path:
    # the same ending, so that it is read back as the file itself will be
    return path.parent / f"{_HIDDEN}{secrets.token_hex(8)}{''.join(path.suffixes[-2:])}"


def _named(handle: int, path: Path) -> Path | None:
    """Give a file without a name its place if that is free; else a hidden name, which is returned."""
    with contextlib.suppress(FileExistsError):
        link_open_file(handle, path)
        return None
    hidden = _hidden_name(path)
    link_open_file(handle, hidden)
    return hidden


def _remove_left_behind(folder: Path) -> None:
    """Remove our own hidden files that no living process writes to: they hold data that nobody verified."""
    with contextlib.suppress(OSError):
        for found in folder.glob(f"{_HIDDEN}*"):
            status = found.lstat()
            # a file just made may not be locked yet
            old = abs(time.time() - status.st_mtime) > _FRESH_SECONDS  # or ahead, where a clock was set back
            if old and stat.S_ISREG(status.st_mode) and re.match(_HIDDEN_NAME, found.name):
                _remove_unless_locked(found)


def _remove_unless_locked(found: Path) -> None:
    with contextlib.suppress(OSError), found.open("rb") as handle:
        # without locks nobody can tell whether a file is still being written: it stays
        if lock(handle.fileno()):
            found.unlink()


def _unwritable(path: Path, problem: OSError) -> FileProblem:
    return FileProblem(
        f"{str(path)!r} cannot be written: {problem.strerror or type(problem).__name__}; nothing was written"
    )


def _to_disk(handle: int) -> None:
    os.fsync(handle)


def folder_to_disk(folder: Path) -> None:
    """Let the names in a folder reach the disk, where the system lets a folder be opened; files are safe already."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
