"""Which files a result is of: each is told by its size and by when it was written; no page waits for a hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from microveil.core.open_types import Json
from microveil.core.words import list_all

_MOST = 4  # files that are named


def stamps_of(folder: Path, names: Iterable[str]) -> Json:
    """What tells the files of these names from others that may stand there later."""
    return {name: _stamp(folder / name) for name in names}


def written_anew(folder: Path, stamps: Mapping[str, object]) -> str:
    """Which of the files are no longer what they were, in a sentence; empty while all are."""
    names = [name for name, stamp in stamps.items() if _stamp(folder / name) != stamp]
    if not names:
        return ""
    was, is_ = ("was", "is") if len(names) == 1 else ("were", "are")
    shown = [*names[:_MOST], *(["others"] if len(names) > _MOST else [])]
    return f"{list_all(shown)} {was} written anew since, or {is_} gone."


def _stamp(path: Path) -> list[int]:
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return []
    return [found.st_size, found.st_mtime_ns]
