"""Files of a folder that have no name yet: complete for this process, and gone if it is killed.

While a folder is held, a file that is written into it stays without a name, and a link to it as an open file of this
process stands in its place: whoever reads it by its name reads the file. If the process is killed the system removes
the file, and the link leads nowhere. `Held.name` gives all files their names. Where a system knows no files without a
name they have their names from the beginning.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")  # where Linux shows the open files of a process as links
_held: list[Held] = []


class Held:
    """A folder whose files get their names at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[Path, int] = {}

    def keep(self, handle: int, path: Path) -> None:
        """Let a file without a name live on, and a link lead to it."""
        self._forget(path)
        kept = os.dup(handle)
        self._files[path] = kept
        path.unlink(missing_ok=True)
        # by the number of the process: other processes that read for us find it too
        path.symlink_to(f"/proc/{os.getpid()}/fd/{kept}")

    def holds(self, path: Path) -> bool:
        """Whether the link at this place is one of ours."""
        return path in self._files

    def name(self) -> None:
        """Give all files their names; what was written first, the data, is the last to be seen."""
        for path, handle in reversed(self._files.items()):
            path.unlink()
            link_open_file(handle, path)
        self.close()

    def close(self) -> None:
        """Let go of all files; those without a name are gone."""
        for path in list(self._files):
            self._forget(path)

    def _forget(self, path: Path) -> None:
        if path in self._files:
            os.close(self._files.pop(path))


@contextmanager
def holding(folder: Path) -> Iterator[Held]:
    """Keep what is written into a folder, and into folders in it, without names until they are given."""
    held = Held(folder)
    _held.append(held)
    try:
        yield held
    finally:
        _held.remove(held)
        held.close()


def held_for(path: Path) -> Held | None:
    """The folder that is held and that this file is written into, if there is one."""
    return next((held for held in _held if path.is_relative_to(held.folder)), None)


def is_strange_link(path: Path) -> bool:
    """Whether a link stands here that is not one of ours: what it leads to is no part of its folder."""
    held = held_for(path)
    return path.is_symlink() and not (held is not None and held.holds(path))


def link_open_file(handle: int, path: Path) -> None:
    """Give an open file a name."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        # with a folder given, the system follows the entry of the open file to the file itself
        os.link(OPEN_FILES / str(handle), path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
