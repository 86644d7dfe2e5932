"""File names and what stands at them: one clear error instead of a surprise of the system."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem

_SHOWN = 60


def check_path(path: Path) -> None:
    """Refuse names that no file can have, and anything that is there but neither a file nor a folder."""
    if "\0" in str(path):
        raise BadInput(f"the file name {_shortened(path)} holds a zero character; give it a plain name")
    try:
        mode = path.stat().st_mode
    except OSError as problem:
        if problem.errno == errno.ENAMETOOLONG:
            raise BadInput(
                f"the file name {_shortened(path)} has {len(path.name)} characters, more than the system allows; "
                "give it a shorter one"
            ) from None
        if problem.errno == errno.ELOOP:
            raise FileProblem(f"{str(path)!r} is a link that leads back to itself; name a file") from None
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileProblem(f"{str(path)!r} is {_kind(mode)}, not a file; name a file")


def check_target(path: Path) -> None:
    """Refuse to write where no file can be, or where something other than a file would be replaced."""
    check_path(path)
    if path.is_dir():
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    if path.is_symlink() and not path.exists():
        raise FileProblem(f"{str(path)!r} is a link to a file that is not there; remove it or name a file")
    if not path.parent.is_dir():
        raise FileProblem(f"there is no folder {str(path.parent)!r} to write to; make it first")


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _shortened(path: Path) -> str:
    text = str(path) if len(str(path)) <= _SHOWN else f"{os.fspath(path)[:_SHOWN]}..."
    return repr(text)
