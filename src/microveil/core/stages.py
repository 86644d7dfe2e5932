"""Hidden folders beside the places of outputs, in which they are made before they are moved there.

A folder is locked for as long as its process lives. One that a killed process left holds what was not released, or even
a key: the next run into the same place removes it. Where a system knows no locks nobody can tell, and it stays.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from microveil.core.errors import FileProblem
from microveil.core.locking import lock

_PREFIX = ".microveil-"
_LOCK = "lock"


class Stage:
    """One hidden folder: the new file in it, what stands in its place, and the way there and back."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._kept = False
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place.parent))
            self._lock = _locked(self._folder)
            # in folders of their own, so that no name that somebody gives an output is taken
            self.new, self._old = (self._folder / part / place.name for part in ("new", "old"))
            for path in (self.new, self._old):
                path.parent.mkdir()
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
        """Remove the folder with all that is still in it."""
        self._unlock()
        if not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _keep(self) -> None:
        """Leave the folder, for good: without its lock no later run takes it for its own."""
        self._kept = True
        with contextlib.suppress(OSError):
            (self._folder / _LOCK).unlink()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_left_behind(folder: Path) -> None:
    """Remove the hidden folders of processes that no longer live."""
    for found in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if stat.S_ISDIR(found.lstat().st_mode) and stat.S_ISREG((found / _LOCK).lstat().st_mode):
                _remove_unless_locked(found)


def _remove_unless_locked(found: Path) -> None:
    handle = os.open(found / _LOCK, os.O_RDWR)
    try:
        if lock(handle):
            shutil.rmtree(found, ignore_errors=True)
    finally:
        os.close(handle)


def _locked(folder: Path) -> int | None:
    """Lock a folder by an open file in it; None where that cannot be done."""
    unlocked = folder / f"{_LOCK}.new"
    handle = os.open(unlocked, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    if lock(handle):
        # named only now: nobody ever sees the lock of a living process open
        unlocked.rename(folder / _LOCK)
        return handle
    os.close(handle)
    unlocked.unlink()
    return None
