"""A file that is there whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from microveil.core.errors import FileProblem


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A hidden temporary file beside `path` that takes its place when all went well, and is removed otherwise."""
    _refuse_folder(path)
    # the same ending, so that it is read back as the file itself will be
    temporary = path.parent / f".{secrets.token_hex(8)}{''.join(path.suffixes[-2:])}"
    try:
        _create(temporary, path)
        yield temporary
        try:
            _to_disk(temporary)
            os.replace(temporary, path)  # noqa: PTH105 - the very call whose atomicity is relied on
        except OSError as problem:
            raise _unwritable(path, problem) from None
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _folder_to_disk(path.parent)


@contextlib.contextmanager
def opened(temporary: Path, path: Path) -> Iterator[BinaryIO]:
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
    _refuse_folder(path)
    temporary = path.parent / f".{secrets.token_hex(8)}"
    _create(temporary, path)
    temporary.unlink()


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileProblem(f"there is no folder {str(path.parent)!r} to write to; make it first")


def _create(temporary: Path, path: Path) -> None:
    try:
        # the permissions of any new file: all that the user's mask leaves
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as problem:
        raise _unwritable(path, problem) from None


def _unwritable(path: Path, problem: OSError) -> FileProblem:
    return FileProblem(
        f"{str(path)!r} cannot be written: {problem.strerror or type(problem).__name__}; nothing was written"
    )


def _to_disk(temporary: Path) -> None:
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())


def _folder_to_disk(folder: Path) -> None:
    # not every system lets a folder be opened; the file itself is safe already
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
