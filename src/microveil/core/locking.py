"""Locks by which a living process shows that a file is still being written."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from microveil.core.errors import FileProblem

_PATIENCE, _PAUSE = 10.0, 0.05  # seconds that a second writer waits, and between two trials


def knows_locks() -> bool:
    """Whether this system has the locks that end with their process."""
    try:
        import fcntl
    except ImportError:
        return False
    return hasattr(fcntl, "flock")


def lock(handle: int, wait: bool = False) -> bool:
    """Mark the file as being written for as long as this process lives; whether that could be done.

    `wait`: as soon as nobody else holds it.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


@contextlib.contextmanager
def locked_file(place: Path, what: str) -> Iterator[None]:
    """Keep other writers out while a file is held; they wait a while. `what` is what they would write."""
    with _locked(place, os.O_CREAT | os.O_RDWR, what):
        yield


@contextlib.contextmanager
def locked_folder(place: Path, what: str = "") -> Iterator[None]:
    """The same by a folder itself, in which nothing is left behind."""
    with _locked(place, os.O_RDONLY, what or place.name):
        yield


@contextlib.contextmanager
def _locked(place: Path, how: int, what: str) -> Iterator[None]:
    if not knows_locks():
        yield  # a system without such locks
        return
    try:
        handle = os.open(place, how, 0o666)
    except OSError as problem:
        raise FileProblem(f"{what} cannot be written: {problem.strerror}; nothing was written") from None
    try:
        until = time.monotonic() + _PATIENCE
        while not lock(handle):
            if time.monotonic() > until:
                raise FileProblem(f"somebody else is writing {what}; nothing was written: say it again later")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)
