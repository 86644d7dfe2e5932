"""Earlier releases of the same original, as `evaluate --earlier` names them: by their private logs, or as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microveil.cli.pairs import Stated, data_of_log, link_rows, read_protected
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.data import Microdata

_LOGS = ".json"


def check_earlier(paths: Sequence[Path], this: Sequence[Path | None]) -> None:
    """Refuse a release that is named twice, or that is the one looked at: twice the same tells nothing new."""
    seen = {path.resolve() for path in this if path is not None}
    for path in paths:
        if path.resolve() in seen:
            raise BadInput(
                f"--earlier {path} is named before, or is the release that is looked at; say each earlier release once"
            )
        seen.add(path.resolve())


def read_earlier(
    paths: Sequence[Path], before: Microdata, original: Path, stated: Stated, rows: str, missing: list[Any]
) -> list[Any]:
    """The releases: a private log makes its release again; of a file the rows must be those of the original."""
    return [
        _of_log(path, original, stated) if path.suffix.lower() == _LOGS else _of_file(path, before, rows, missing)
        for path in paths
    ]


def _of_log(path: Path, original: Path, stated: Stated) -> Any:
    from microveil.plan import load_log, replay

    known = load_log(path)
    return replay(known, data_of_log(known, path, original, stated))


def _of_file(path: Path, before: Microdata, rows: str, missing: list[Any]) -> Any:
    found = read_protected(before, path, missing)
    if not link_rows(before, found, rows)[0]:
        raise BadInput(
            f"the rows of --earlier {path.name} do not seem to be those of the original, as in every file that "
            "microveil writes; give the private log of that release in its place (--earlier LOG), or say --rows "
            "aligned if they are"
        )
    return found
