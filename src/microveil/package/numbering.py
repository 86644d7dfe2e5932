"""Numbers of runs: each run gets the next one, and two that run at once never get the same."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microveil.core.errors import FileProblem
from microveil.core.locking import knows_locks, lock
from microveil.core.stages import remove_left_behind
from microveil.package.writing import check_place

RUNS = "runs"
NUMBER = re.compile(r"[0-9]{4,}")
_PREFIX = ".microveil-run-"


@contextmanager
def next_run(folder: Path) -> Iterator[Path]:
    """The folder of the next run, kept for it as long as it lives: one more than the highest number there is.

    A number is taken by an empty hidden file, locked while its run lives. What a killed run left is taken over, or
    removed, by the next one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileProblem(f"the folder {str(folder)!r} cannot be made: {problem.strerror}") from None
    _sweep(folder)
    number = 1 + max((int(path.name) for path in folder.iterdir() if NUMBER.fullmatch(path.name)), default=0)
    while True:
        handle = _take(folder / f"{_PREFIX}{number:04d}")
        target = folder / f"{number:04d}"
        if handle is not None and not os.path.lexists(target):
            break
        _let_go(folder / f"{_PREFIX}{number:04d}", handle)
        number += 1
    try:
        check_place(target)
        yield target
    finally:
        _let_go(folder / f"{_PREFIX}{number:04d}", handle)


def _take(path: Path) -> int | None:
    """An open file that is ours alone; None where another run has it."""
    own = 0 if knows_locks() else os.O_EXCL  # without locks the first to make it has it
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR | own, 0o600)
    except FileExistsError:
        return None
    except OSError as problem:
        raise FileProblem(f"nothing can be written into {path.parent}: {problem.strerror}") from None
    if own or (lock(handle) and _is_there(path, handle)):
        return handle
    os.close(handle)
    return None


def _is_there(path: Path, handle: int) -> bool:
    """Whether the file that was locked still has its name: another run may have swept it in between."""
    with contextlib.suppress(OSError):
        return os.path.samestat(path.stat(), os.fstat(handle))
    return False


def _let_go(path: Path, handle: int | None) -> None:
    if handle is not None:
        with contextlib.suppress(OSError):
            path.unlink()  # before the lock is gone: nobody takes what is being removed
        os.close(handle)


def _sweep(folder: Path) -> None:
    """Remove what killed runs left: files of a package that never got its place, and their numbers."""
    remove_left_behind(folder)
    if knows_locks():
        for path in folder.glob(f"{_PREFIX}*"):
            if path.is_file() and not path.is_symlink():
                _let_go(path, _take(path))
