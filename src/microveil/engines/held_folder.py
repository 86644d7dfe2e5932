"""A hidden folder with records in it, there as long as somebody uses them."""

from __future__ import annotations

import weakref
from pathlib import Path

from microveil.core.errors import FileProblem
from microveil.core.stages import Stage


class HeldFolder:
    """Removes a hidden folder when nobody refers to this any more, and when the process ends."""

    def __init__(self, stage: Stage) -> None:
        weakref.finalize(self, stage.remove)


def hidden_in(folder: Path, what: str) -> Stage:
    """A hidden folder that only its owner can read."""
    if not folder.is_dir():
        raise FileProblem(f"there is no folder {str(folder)!r} in which the records of {what} could be kept")
    return Stage(folder.absolute() / "records")
