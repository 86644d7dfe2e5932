"""Hidden folders beside the places of outputs, in which they are made before they are moved there.

A folder is locked for as long as its process lives. What a killed process leaves was not released, or is even a key:
its watcher removes the folder, or else the next run into the same place. Where a system knows no locks no run can tell
whether somebody still writes there, and it is for the watcher alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from microveil.core.errors import FileProblem
from microveil.core.locking import lock
from microveil.core.watching import Watcher

_PREFIX = ".microveil-"
_NAME = rf"{re.escape(_PREFIX)}[a-z0-9_]{{8}}"  # as `tempfile` completes it
_LOCK = "lock"
_UNLOCKED = "lock.new"


class Stage:
    """One hidden folder: the new file in it, what stands in its place, and the way there and back."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._kept = False
        try:
            with _alone_in(place.parent):
                self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place.parent))
                self._lock = _locked(self._folder)
            # in folders of their own, so that no name that somebody gives an output is taken
            self.new, self._old = (self._folder / part / place.name for part in ("new", "old"))
            for path in (self.new, self._old):
                path.parent.mkdir()
            self._watcher = Watcher(self._folder)
        except OSError as problem:
            raise FileProblem(f"nothing can be written into {place.parent}: {problem.strerror}") from None

    def set_aside(self) -> None:
        """Keep what stands in the place; it stands there too, so that the place is never empty."""
        if not os.path.lexists(self.place):
            return
        try:
            os.link(self.place, self._old, follow_symlinks=False)
        except (OSError, NotImplementedError):  # no links here, or none of links themselves
            shutil.copy2(self.place, self._old, follow_symlinks=False)

    def move(self) -> None:
        """Put the new file into its place."""
        os.replace(self.new, self.place)  # noqa: PTH105 - the very call whose atomicity is relied on

    def put_back(self) -> str:
        """Undo the move; in words what could not be undone, and empty if all is as it was."""
        try:
            if os.path.lexists(self._old):
                os.replace(self._old, self.place)  # noqa: PTH105
            else:
                self.place.unlink()
        except OSError:
            if not os.path.lexists(self._old):
                return f"{self.place} could not be taken away again"
            self._keep()
            return f"{self.place} could not be put back: what it was is in {self._old}"
        return ""

    def remove(self) -> None:
        """Remove the folder with all that is still in it; the lock at last, so that the rest is never left without."""
        if not self._kept:
            for path in (self.new, self._old):
                shutil.rmtree(path.parent, ignore_errors=True)
        self._unlock()
        if not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._watcher.end()

    def _keep(self) -> None:
        """Leave the folder, for good: without its lock no later run takes it for its own."""
        self._kept = True
        self._watcher.end()
        with contextlib.suppress(OSError):
            (self._folder / _LOCK).unlink()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def place_meant(place: Path) -> Path:
    """The place that somebody named, of one inside hidden folders beside it."""
    parts = list(place.parts)
    for at in reversed([at for at, part in enumerate(parts) if re.fullmatch(_NAME, part)]):
        del parts[at : at + 2]
    return Path(*parts)


def remove_left_behind(folder: Path) -> None:
    """Remove the hidden folders of processes that no longer live."""
    with _alone_in(folder) as alone:
        for found in folder.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                if not stat.S_ISDIR(found.lstat().st_mode):
                    continue
                if (found / _LOCK).exists():
                    _remove_unless_locked(found)
                elif alone and _is_empty_stage(found):
                    # killed before it had its lock, or after: nobody alive makes one while we are alone
                    shutil.rmtree(found, ignore_errors=True)


def _is_empty_stage(found: Path) -> bool:
    """Whether a folder is called as ours are and holds no file; what could not be put back is in one that does."""
    files = (path for path in found.rglob("*") if path.is_file() and path.name != _UNLOCKED)
    return re.fullmatch(_NAME, found.name) is not None and not any(files)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Let one process at a time make and sweep hidden folders here; whether that could be had."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # no such folder, or a system that opens none: what follows will tell
        yield False
        return
    try:
        yield lock(handle, wait=True)
    finally:
        os.close(handle)


def _remove_unless_locked(found: Path) -> None:
    handle = os.open(found / _LOCK, os.O_RDWR)
    try:
        if lock(handle):
            shutil.rmtree(found, ignore_errors=True)
    finally:
        os.close(handle)


def _locked(folder: Path) -> int | None:
    """Lock a folder by an open file in it; None where that cannot be done."""
    unlocked = folder / _UNLOCKED
    handle = os.open(unlocked, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    if lock(handle):
        # named only now: nobody ever sees the lock of a living process open
        unlocked.rename(folder / _LOCK)
        return handle
    os.close(handle)
    unlocked.unlink()
    return None
